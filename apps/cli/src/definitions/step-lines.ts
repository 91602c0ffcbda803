import type { OutlinedStep } from '@workflowlookup/core';
import { plainLine } from '../plain-text.ts';
import type { Terminal } from '../terminal.ts';

/** The steps of a step workflow, a line each and below it what there is to know of it. */
export function stepLines(
  steps: readonly OutlinedStep[],
  terminal: Terminal,
  number: (at: number) => string = (at) => `${at}`,
): readonly string[] {
  const { paint } = terminal;
  return steps.flatMap((step, index) => {
    const label = number(index + 1);
    const indent = ' '.repeat(label.length + 2);
    const { body } = step;
    const inner = typeof body === 'object' ? stepLines(body, terminal, (at) => `${label}.${at}`) : [];
    return [
      `${label}. ${paint('bold', plainLine(step.id))}  ${plainLine(step.title)}`,
      ...notesOf(step).map((note) => indent + paint('dim', plainLine(note))),
      ...inner.map((line) => `  ${line}`),
    ];
  });
}

function notesOf({ when, rounds, body, confirmation, criteria = [] }: OutlinedStep): readonly string[] {
  return [
    ...(when === undefined ? [] : [`when ${when}`]),
    ...(rounds === undefined
      ? []
      : [`repeats ${typeof body === 'string' ? `step '${body}' ` : ''}${rounds}`]),
    ...(confirmation === undefined ? [] : [confirmationText(confirmation)]),
    ...criteria.map((sentence) => `refused with: ${sentence}`),
  ];
}

function confirmationText({ approver, when }: NonNullable<OutlinedStep['confirmation']>): string {
  const who = approver === 'human' ? 'a person confirms it' : 'is confirmed';
  return when === undefined ? who : `${who} when ${when}`;
}
