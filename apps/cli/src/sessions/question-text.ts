import type { Question, TextPart } from '@workflowlookup/core';
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

/**
 * A checkpoint with «…» around each value that is not text of the workflow, so that an agent can't write what looks like
 * a part of its question.
 */
export function markedCheckpoint({
  checkpoint,
  parts,
  values,
}: Pick<Question, 'checkpoint' | 'parts' | 'values'>): Question['checkpoint'] {
  const ours = new Set(values.flatMap(({ name, isFromWorkflow }) => (isFromWorkflow ? [name] : [])));
  const textOf = (part: TextPart): string => {
    if (typeof part === 'string') return part;
    return ours.has(part.variable) ? part.text : `«${oneLine(part.text)}»`;
  };
  const marked = (text: readonly TextPart[]): string => text.map(textOf).join('');
  return {
    ...checkpoint,
    name: marked(parts.name),
    message: marked(parts.message),
    options: checkpoint.options.map((option, at) => {
      const { label, description } = parts.options[at] ?? {};
      return {
        ...option,
        ...(label === undefined ? {} : { label: marked(label) }),
        ...(description === undefined ? {} : { description: marked(description) }),
      };
    }),
  };
}

/** A value that can't end its own mark, nor begin a line of the question. */
function oneLine(text: string): string {
  return plainLine(text).replaceAll('«', '\\u{ab}').replaceAll('»', '\\u{bb}');
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
