import type { Question } from '@workflowlookup/core';
import { markedCheckpoint } from '@workflowlookup/core';
import { plainLine, plainLines } from '../plain-text.ts';
import { columns } from '../render/columns.ts';
import type { Terminal } from '../terminal.ts';
import { setterText, shortValue } from './evidence-text.ts';

type Option = Question['checkpoint']['options'][number];

/** A checkpoint as it is put to a person: what it asks, each answer, and what the answer does. */
export function questionText(question: Question, { paint }: Pick<Terminal, 'paint'>): string {
  const checkpoint = markedCheckpoint(question);
  const { sid, workflowId, activity, definition, needsHuman } = question;
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
    ...valueLines(question, paint),
  ].join('\n');
}

/** The marked values and who set each, or nothing if no value is marked. */
function valueLines({ values }: Pick<Question, 'values'>, paint: Terminal['paint']): readonly string[] {
  const marked = values.filter(({ isFromWorkflow }) => !isFromWorkflow);
  if (marked.length === 0) return [];
  const rows = marked.map(({ name, value, ...setter }) => [name, shortValue(value), setterText(setter)]);
  return [
    paint('bold', 'Values in this question: what stands between « and » is not text of the workflow'),
    columns(rows, '  '),
    '',
  ];
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
