import type { Context } from '@workflowlookup/conditions';
import { evaluate, lookUp } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import { canonicalJson } from '@workflowlookup/schema';
import type { Place, PlannedLoop } from './navigator.ts';

/** A forEach loop whose variable holds no list: nobody can tell how many iterations it has. */
export interface MissingList {
  readonly loop: string;
  readonly variable: string;
  /** What the variable holds: `nothing`, `a string`, … */
  readonly found: string;
}

/** The list of a forEach loop; `undefined` for any other loop, and where the variable holds no list. */
export function listOf({ type, over }: PlannedLoop, variables: Context): readonly unknown[] | undefined {
  const list = type === 'forEach' && over !== undefined ? lookUp(variables, over) : undefined;
  return Array.isArray(list) ? list : undefined;
}

/** Says why the iterations of a forEach loop can't be counted; `undefined` where they can. */
export function missingList(
  loop: Pick<PlannedLoop, 'id' | 'type' | 'over'>,
  variables: Context,
): MissingList | undefined {
  if (loop.type !== 'forEach' || loop.over === undefined) return undefined;
  const value = lookUp(variables, loop.over);
  return Array.isArray(value) ? undefined : { loop: loop.id, variable: loop.over, found: kindOf(value) };
}

/** Says what is wrong with the list of a loop, and how to give one. */
export function describeMissingList(missing: MissingList): string {
  return `${whatIsMissing(missing)} Give '${missing.variable}' with the move; an empty array means that there is nothing to do.`;
}

/** Says what is wrong with the list of a loop. */
export function whatIsMissing({ loop, variable, found }: MissingList): string {
  return `Loop '${loop}' runs over '${variable}', which must hold an array; found ${found}.`;
}

/**
 * Lists that the values of a call would shorten, or whose items they would replace, as they were before it. An agent that
 * is at an activity can add to the list that its loop runs over, and can change nothing of it.
 */
export function heldLists(
  { loops, context }: Pick<Place, 'loops' | 'context'>,
  { before, given }: { readonly before: Context; readonly given: Context },
): Context | undefined {
  const names = Object.keys(given);
  if (names.length === 0) return undefined;
  const held = loops.flatMap((loop) => {
    const { over = '', steps } = loop;
    if (steps.length === 0 || !names.some((name) => isRootOf(name, over))) return [];
    const [old, fresh] = [listOf(loop, before), listOf(loop, context)];
    return old === undefined || isKept(old, fresh) ? [] : [[over, old]];
  });
  return held.length === 0 ? undefined : (Object.fromEntries(held) as Context);
}

/**
 * Whether a loop that has begun may run over a value in place of the one before: a list that begins with all the items of
 * the other. Where there was no list, there may be none.
 */
export function isKept(before: unknown, after: unknown): boolean {
  if (!Array.isArray(before)) return !Array.isArray(after);
  if (!Array.isArray(after)) return false;
  const [start, all] = [after.slice(0, before.length), before] as readonly [Json, Json];
  return start === all || canonicalJson(start) === canonicalJson(all);
}

/** Variables as a loop sees them: a list that was held counts until an action of the workflow sets another. */
export function withLists({ context, lists }: Place, values: Context): Context {
  const seen = { ...context, ...values };
  if (lists === undefined) return seen;
  const names = Object.keys(values);
  const held = Object.entries(lists).filter(([over]) => !names.some((name) => isRootOf(name, over)));
  return { ...seen, ...Object.fromEntries(held) };
}

function isRootOf(name: string, path: string): boolean {
  return path === name || path.startsWith(`${name}.`);
}

/** The most iterations a loop can have with these variables. */
export function mostIterations(loop: PlannedLoop, variables: Context): number {
  return Math.min(listOf(loop, variables)?.length ?? loop.maxIterations, loop.maxIterations);
}

/** Whether an iteration, counted from 0, begins with these variables. The first of a `doWhile` loop always does. */
export function begins(loop: PlannedLoop, iteration: number, variables: Context): boolean {
  if (iteration >= mostIterations(loop, variables)) return false;
  if (loop.type === 'doWhile' && iteration === 0) return true;
  return !breaks(loop, variables) && (loop.condition === undefined || evaluate(loop.condition, variables));
}

/** Whether the break condition of a loop holds. */
export function breaks({ breakCondition }: PlannedLoop, variables: Context): boolean {
  return breakCondition !== undefined && evaluate(breakCondition, variables);
}

/** The item of an iteration under the name its loop gives it; empty where the loop names none. */
export function itemAt(loop: PlannedLoop, iteration: number, variables: Context): Context {
  const list = listOf(loop, variables);
  if (loop.variable === undefined || list === undefined || iteration >= list.length) return {};
  return { [loop.variable]: list[iteration] };
}

/**
 * Variables with the item of an iteration over them. A variable whose own name reads like a path into the item goes: it
 * would be found before the item.
 */
export function withItem(variables: Context, item: Context): Context {
  const names = Object.keys(item);
  if (names.length === 0) return variables;
  const isInside = (key: string): boolean => names.some((name) => key.startsWith(`${name}.`));
  if (!Object.keys(variables).some(isInside)) return { ...variables, ...item };
  const others = Object.entries(variables).filter(([key]) => !isInside(key));
  return { ...(Object.fromEntries(others) as Context), ...item };
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
