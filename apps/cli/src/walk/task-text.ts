import type { Task, TaskStep } from '@workflowlookup/core';
import { plainLine, plainLines } from '../plain-text.ts';
import type { Terminal } from '../terminal.ts';

/** A step as a person reads it: what is to be done, and what its output must meet. */
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
