import type { Outline } from '@workflowlookup/core';
import { plainLine, plainLines } from '../plain-text.ts';
import { columns } from '../render/columns.ts';
import type { Terminal } from '../terminal.ts';
import { activityLines } from './activity-lines.ts';
import { stepLines } from './step-lines.ts';

/** An outline as people read it. */
export function outlineText(
  outline: Outline & { readonly source?: string; readonly file?: string },
  terminal: Terminal,
): string {
  const { id, name, version, description, variables, source, file, steps = [], activities = [] } = outline;
  const { paint } = terminal;
  const parts = [
    `${paint('bold', plainLine(id))}  ${plainLine(name)}  ${plainLine(version)}`,
    ...(description === '' ? [] : [plainLines(description)]),
    ...(source === undefined ? [] : [paint('dim', `From ${source}: ${plainLine(file ?? '')}`)]),
  ];
  const declared = variables.map(({ name: variable, type, default: value, description: what = '' }) => [
    variable,
    type,
    value === undefined ? '' : `= ${plainLine(JSON.stringify(value))}`,
    plainLine(what),
  ]);
  return [
    parts.join('\n'),
    ...(declared.length === 0 ? [] : [`Variables\n${columns(declared, '  ')}`]),
    ...(steps.length === 0 ? [] : [stepLines(steps, terminal).join('\n')]),
    ...activities.map((activity, at) => activityLines(activity, at + 1, terminal).join('\n')),
  ].join('\n\n');
}
