import type { ReactNode } from 'react';
import { ScrollTable } from '../components/lists.tsx';
import { VariableRow } from '../components/values.tsx';
import type { WaitingCheckpoint } from '../contract.ts';
import { checkpointMessages, valueOrigin } from '../messages/checkpoints.ts';

const { question } = checkpointMessages;

type Question = WaitingCheckpoint['question'];

/** Renders a text of a question. Values that do not come from the workflow are marked with their origin. */
export function QuestionText({
  parts,
  values,
}: {
  readonly parts: Question['parts']['message'];
  readonly values: Question['values'];
}): ReactNode {
  const byName = new Map(values.map((value) => [value.name, value]));
  // The index is a stable key, because the parts of a text never change their order.
  return parts.map((part, at) => {
    if (typeof part === 'string') return part;
    const value = byName.get(part.variable);
    if (value?.isFromWorkflow === true) return part.text;
    return (
      <mark key={`${at} ${part.variable}`} className="not-from-workflow">
        <small>{value === undefined ? valueOrigin({ by: 'unknown' }) : valueOrigin(value)}: </small>
        <q>{part.text}</q>
      </mark>
    );
  });
}

/** Renders a table of the values in a question and their origin, or nothing if the question has no values. */
export function QuestionValues({
  values,
}: {
  readonly values: WaitingCheckpoint['question']['values'];
}): ReactNode {
  if (values.length === 0) return null;
  return (
    <details>
      <summary>{question.values}</summary>
      <ScrollTable label={question.values}>
        <thead>
          <tr>
            <th scope="col">{question.columns.variable}</th>
            <th scope="col">{question.columns.value}</th>
            <th scope="col">{question.columns.origin}</th>
          </tr>
        </thead>
        <tbody>
          {values.map(({ name, value, ...setter }) => (
            <VariableRow key={name} name={name} value={value}>
              <td>{valueOrigin(setter)}</td>
            </VariableRow>
          ))}
        </tbody>
      </ScrollTable>
    </details>
  );
}
