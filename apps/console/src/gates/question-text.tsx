import type { ReactNode } from 'react';
import type { WaitingGate } from '../contract.ts';
import { setterWords } from './setter-words.ts';

type Question = WaitingGate['question'];

/** A text of a question. Each value that is not text of the workflow is marked with who set it. */
export function QuestionText({
  parts,
  values,
}: {
  readonly parts: Question['parts']['message'];
  readonly values: Question['values'];
}): ReactNode {
  const byName = new Map(values.map((value) => [value.name, value]));
  // The parts of one text never change their order.
  return parts.map((part, at) => {
    if (typeof part === 'string') return part;
    const value = byName.get(part.variable);
    if (value?.isFromWorkflow === true) return part.text;
    return (
      <mark key={`${at} ${part.variable}`} className="not-from-workflow">
        <small>{value === undefined ? 'author not recorded' : setterWords(value)}: </small>
        <q>{part.text}</q>
      </mark>
    );
  });
}
