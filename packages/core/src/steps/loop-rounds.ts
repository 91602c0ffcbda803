import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';
import type { LoopSpec } from '@workflowlookup/schema';
import { withItem } from '../session/loop-iterations.ts';

/** A loop whose number of rounds is unknown because the variable it reads is missing or of the wrong type. */
export interface BadBound {
  readonly variable: string;
  /** The value found, described: `nothing`, `a string`, … */
  readonly found: string;
  /** The value that the loop needs. */
  readonly needed: string;
}

/** The planned rounds of a loop. `total` is absent if a condition decides. */
export interface Rounds {
  readonly total?: number;
  readonly items?: readonly unknown[];
}

/** Reads how often a loop means to run, each time afresh, so that a list that grows is followed. */
export function plannedRounds(loop: LoopSpec, context: Context): Rounds | BadBound {
  if (loop.type === 'for')
    return typeof loop.count === 'number' ? { total: loop.count } : countFrom(loop.count ?? '', context);
  if (loop.type === 'forEach') return itemsFrom(loop.items ?? '', context);
  return {};
}

function countFrom(variable: string, context: Context): Rounds | BadBound {
  const value = lookUp(context, variable);
  const total = countIn(value);
  return total === undefined
    ? { variable, found: kindOf(value), needed: 'a whole number of 0 or more' }
    : { total };
}

/** Returns the number of rounds for a count value, or `undefined` if the value is no whole number of 0 or more. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function itemsFrom(variable: string, context: Context): Rounds | BadBound {
  const items = lookUp(context, variable);
  if (Array.isArray(items)) return { total: items.length, items };
  return { variable, found: kindOf(items), needed: 'an array' };
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The names that a loop gives its counters and its item. */
export function namesIn(loop: LoopSpec): readonly string[] {
  const { iterationVar = 'currentIteration', indexVar = 'currentIndex', itemVar = 'currentItem' } = loop;
  return [iterationVar, indexVar, ...(loop.type === 'forEach' ? [itemVar] : [])];
}

/** The context as a step of one round sees it: the loop's variables over those around it. */
export function roundContext(
  loop: LoopSpec,
  { items }: Rounds,
  round: { context: Context; iteration: number },
): Context {
  const { context, iteration } = round;
  return withItem(context, {
    [loop.iterationVar ?? 'currentIteration']: iteration + 1,
    [loop.indexVar ?? 'currentIndex']: iteration,
    ...(items === undefined ? {} : { [loop.itemVar ?? 'currentItem']: items[iteration] }),
  });
}
