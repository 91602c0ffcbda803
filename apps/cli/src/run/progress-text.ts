import type { Task, TaskStep } from '@workflowlookup/core/operator';
import { markedCheckpoint } from '@workflowlookup/core/sessions';
import { messages } from '../messages.ts';
import { plainLine, plainLines } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ProgressEvent } from './work-through.ts';

type Paint = Terminal['paint'];

/** Formats an event for people; empty if there is nothing to print. */
export function progressText(event: ProgressEvent, { paint }: Pick<Terminal, 'paint'>): string {
  return (texts[event.event] as (event: ProgressEvent, paint: Paint) => string)(event, paint);
}

type EventOf<Name extends ProgressEvent['event']> = Extract<ProgressEvent, { event: Name }>;

const texts: { readonly [Name in ProgressEvent['event']]: (event: EventOf<Name>, paint: Paint) => string } = {
  started: beginText,
  resumed: beginText,
  step: ({ activity, step, undecided }, paint) =>
    `\n${taskText({ task: { activity }, step }, paint)}${undecidedText(undecided)}`,
  refused: ({ step, issues, suggestions }, paint) =>
    [
      paint('red', messages.run.notAccepted(step === undefined ? undefined : plainLine(step))),
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
    [...warned(warnings, paint), messages.run.ended(sid, outcome)].join('\n'),
  left: ({ sid, at, goOn }) => messages.run.left(sid, at === undefined ? undefined : plainLine(at), goOn),
};

function beginText({ event, sid, workflow: { title, id, version } }: EventOf<'resumed' | 'started'>): string {
  return messages.run.begun(sid, `${plainLine(title)} (${plainLine(`${id} ${version}`)})`, event);
}

function undecidedText(names: readonly string[]): string {
  return names.length === 0 ? '' : `${messages.run.undecided(names.map(plainLine).join(', '))}\n`;
}

function warned(warnings: readonly string[], paint: Paint): readonly string[] {
  return warnings.map((line) => paint('yellow', `Warning: ${plainLine(line)}`));
}

/** Formats a step: what to do, and the criteria for its output. */
export function taskText(
  { task, step }: { readonly task: Pick<Task, 'activity'>; readonly step: TaskStep },
  paint: Terminal['paint'] = (_, text) => text,
): string {
  const { activity } = task;
  const isActivity = activity !== undefined && activity.id !== step.id;
  return [
    ...(isActivity ? [paint('dim', plainLine(`${activity.name} (${activity.id})`))] : []),
    `${paint('bold', plainLine(step.name))} ${paint('dim', plainLine(`(${step.id})`))}`,
    '',
    ...(step.text === undefined ? [] : [plainLines(step.text, '  '), '']),
    ...(step.criteria.length === 0
      ? []
      : ['Refused with:', ...step.criteria.map((line) => plainLines(line, '  ')), '']),
  ].join('\n');
}
