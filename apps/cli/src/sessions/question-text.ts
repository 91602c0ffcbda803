import type { Question } from '@workflowlookup/core';
import { plainLine, plainLines } from '../plain-text.ts';
import type { Terminal } from '../terminal.ts';

type Option = Question['checkpoint']['options'][number];

/** A checkpoint as it is put to a person: what it asks, each answer, and what the answer does. */
export function questionText(question: Question, { paint }: Pick<Terminal, 'paint'>): string {
  const { checkpoint, sid, workflowId, activity, definition, needsHuman } = question;
  const from = definition.source === undefined ? '' : ` from ${plainLine(definition.source)}`;
  const who = needsHuman ? ', answered by a person' : '';
  return [
    paint('bold', plainLine(checkpoint.name)),
    paint(
      'dim',
      `${plainLine(checkpoint.id)} of '${plainLine(activity)}' in ${plainLine(workflowId)}, session ${sid}${who}`,
    ),
    paint('dim', `definition${from}, ${definition.digest.slice(0, 23)}`),
    '',
    plainLines(checkpoint.message, '  '),
    '',
    ...checkpoint.options.flatMap((option, at) => optionLines(option, `  ${at + 1}. `, paint)),
    '',
  ].join('\n');
}

function optionLines(option: Option, mark: string, paint: Terminal['paint']): readonly string[] {
  const { id, label, description } = option;
  const indent = ' '.repeat(mark.length);
  return [
    `${mark}${paint('bold', plainLine(id))}: ${plainLine(label)}`,
    ...(description === undefined ? [] : [plainLines(description, indent)]),
    ...effectLines(option).map((line) => indent + paint('dim', line)),
  ];
}

function effectLines({ effect = {} }: Option): readonly string[] {
  const { setVariable = {}, transitionTo, skipActivities = [] } = effect;
  return [
    ...Object.entries(setVariable).map(
      ([name, value]) => `sets ${plainLine(name)} to ${plainLine(JSON.stringify(value))}`,
    ),
    ...(transitionTo === undefined ? [] : [`goes on to ${plainLine(transitionTo)}`]),
    ...(skipActivities.length === 0 ? [] : [`skips ${skipActivities.map(plainLine).join(', ')}`]),
  ];
}
