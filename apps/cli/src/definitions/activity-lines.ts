import type {
  OutlinedActivity,
  OutlinedActivityLoop,
  OutlinedActivityStep,
  OutlinedCheckpoint,
  OutlinedOption,
  OutlinedWay,
} from '@workflowlookup/core';
import { plainLine } from '../plain-text.ts';
import type { Terminal } from '../terminal.ts';

/** An activity with its steps, its questions and where it leads. */
export function activityLines(
  activity: OutlinedActivity,
  number: number,
  { paint }: Terminal,
): readonly string[] {
  const { id, name, isFirst, lender, steps, loops, checkpoints, ways } = activity;
  const notes = [
    ...(isFirst ? ['first'] : []),
    ...(lender === undefined ? [] : [`borrowed from ${plainLine(lender)}`]),
  ];
  const note = notes.length === 0 ? '' : `  ${paint('dim', `(${notes.join(', ')})`)}`;
  const lines = [
    ...steps.flatMap(stepLines),
    ...loops.flatMap(loopLines),
    ...checkpoints.flatMap(checkpointLines),
    ...ways.map(wayLine),
  ];
  return [
    `${number}. ${paint('bold', plainLine(id))}  ${plainLine(name)}${note}`,
    ...lines.map((line) => `   ${plainLine(line)}`),
  ];
}

function stepLines(step: OutlinedActivityStep): readonly string[] {
  const { id, name, when, checkpoint, isOptional, criteria = [], starts = [] } = step;
  const notes = [
    ...(when === undefined ? [] : [`when ${when}`]),
    ...(checkpoint === undefined ? [] : [`stops at ${checkpoint}`]),
    ...(isOptional ? ['may be left out'] : []),
    ...starts.map((workflow) => `starts ${workflow}`),
  ];
  return [
    `step ${titled(id, name)}${inBrackets(notes)}`,
    ...criteria.map((sentence) => `  refused with: ${sentence}`),
  ];
}

function loopLines({ id, rounds, steps, activities }: OutlinedActivityLoop): readonly string[] {
  const over = activities === undefined ? '' : ` over ${activities.join(', ')}`;
  return [`loop ${id}${over}${inBrackets([rounds])}`, ...steps.flatMap(stepLines).map((line) => `  ${line}`)];
}

function checkpointLines({ id, name, when, approver, options }: OutlinedCheckpoint): readonly string[] {
  const notes = [
    ...(when === undefined ? [] : [`when ${when}`]),
    ...(approver === 'human' ? ['a person answers'] : []),
  ];
  return [
    `checkpoint ${titled(id, name)}${inBrackets(notes)}`,
    ...options.map((option) => `  ${optionLine(option)}`),
  ];
}

function optionLine({ id, label, sets = {}, leadsTo, skips = [] }: OutlinedOption): string {
  const effects = [
    ...Object.entries(sets).map(([name, value]) => `sets ${name} = ${JSON.stringify(value)}`),
    ...(leadsTo === undefined ? [] : [`leads to ${leadsTo}`]),
    ...(skips.length === 0 ? [] : [`skips ${skips.join(', ')}`]),
  ];
  return `${titled(id, label)}${inBrackets(effects)}`;
}

function wayLine({ to, when, isDefault, decision }: OutlinedWay): string {
  const condition = when === undefined ? '' : ` when ${when}`;
  const by = decision === undefined ? '' : `  (decision ${decision})`;
  return `-> ${to ?? 'on'}${condition}${isDefault ? ' by default' : ''}${by}`;
}

function titled(id: string, title = ''): string {
  return title === '' ? id : `${id}  ${title}`;
}

function inBrackets(notes: readonly string[]): string {
  return notes.length === 0 ? '' : `  (${notes.join('; ')})`;
}
