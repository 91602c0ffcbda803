import { markedCheckpoint } from '@workflowlookup/core';
import { plainLine, plainLines } from '../plain-text.ts';
import type { Terminal } from '../terminal.ts';
import { taskText } from './task-text.ts';
import type { WalkEvent } from './walk-event.ts';

type Paint = Terminal['paint'];

/** What is told of a walk to a person; empty where there is nothing to tell. */
export function walkText(event: WalkEvent, { paint }: Pick<Terminal, 'paint'>): string {
  return (texts[event.event] as (event: WalkEvent, paint: Paint) => string)(event, paint);
}

type Told<Name extends WalkEvent['event']> = Extract<WalkEvent, { event: Name }>;

const texts: { readonly [Name in WalkEvent['event']]: (event: Told<Name>, paint: Paint) => string } = {
  started: beginText,
  resumed: beginText,
  step: ({ activity, step, undecided }, paint) =>
    `\n${taskText({ task: { activity }, step }, paint)}${undecidedText(undecided)}`,
  refused: ({ step, issues, suggestions }, paint) =>
    [
      paint('red', `Not accepted${step === undefined ? '' : `: ${plainLine(step)}`}`),
      ...[...issues, ...suggestions].map((line) => plainLines(line, '  ')),
    ].join('\n'),
  checkpoint: (question, paint) => {
    const { name, message } = markedCheckpoint(question);
    return `\n${paint('bold', plainLine(name))}\n${plainLines(message, '  ')}`;
  },
  answered: ({ checkpoint, option }, paint) =>
    paint('green', `${plainLine(checkpoint)}: ${plainLine(option)}`),
  entered: ({ warnings }, paint) => warned(warnings, paint).join('\n'),
  completed: ({ sid, outcome = 'completed', warnings }, paint) =>
    [...warned(warnings, paint), `Session ${sid} is ${outcome}.`].join('\n'),
  left: ({ sid, at, goOn }) =>
    `Session ${sid} stands ${at === undefined ? 'at its start' : `at '${plainLine(at)}'`}: '${goOn}' goes on.`,
};

function beginText({ event, sid, workflow: { title, id, version } }: Told<'resumed' | 'started'>): string {
  return `Session ${sid} of ${plainLine(title)} (${plainLine(`${id} ${version}`)}) is ${event}.`;
}

function undecidedText(names: readonly string[]): string {
  return names.length === 0 ? '' : `Which way is next depends on: ${names.map(plainLine).join(', ')}.\n`;
}

function warned(warnings: readonly string[], paint: Paint): readonly string[] {
  return warnings.map((line) => paint('yellow', `Warning: ${plainLine(line)}`));
}
