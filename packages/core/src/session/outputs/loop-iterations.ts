import type { Context } from '@workflowlookup/conditions';
import { evaluate, lookUp } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import { canonicalJson, defined } from '@workflowlookup/schema';
import type { ActivityPlan, PlannedLoop } from '../../navigation/navigator.ts';

/** A forEach loop whose variable holds no list, so that its iterations can't be counted. */
export interface MissingList {
  readonly loop: string;
  readonly variable: string;
  /** The value found, described: `nothing`, `a string`, … */
  readonly found: string;
}

/** Returns the list of a forEach loop, or `undefined` for other loops and if the variable holds no list. */
export function listOf({ type, over }: PlannedLoop, variables: Context): readonly unknown[] | undefined {
  const list = type === 'forEach' && over !== undefined ? lookUp(variables, over) : undefined;
  return Array.isArray(list) ? list : undefined;
}

/** Returns why the iterations of a forEach loop can't be counted, or `undefined` if they can. */
export function missingList(
  loop: Pick<PlannedLoop, 'id' | 'type' | 'over'>,
  variables: Context,
): MissingList | undefined {
  if (loop.type !== 'forEach' || loop.over === undefined) return undefined;
  const value = lookUp(variables, loop.over);
  return Array.isArray(value) ? undefined : { loop: loop.id, variable: loop.over, found: kindOf(value) };
}

/**
 * Returns the lists that the values of a call would shorten or change, as they were before it. An agent in an activity
 * may add items to a list that its loop runs over, and may change nothing else in it.
 */
export function heldLists(
  { loops, context }: Pick<ActivityPlan, 'loops' | 'context'>,
  at: { readonly before: Context; readonly given: Context },
): Context {
  const lists = Object.entries(listsBefore({ loops }, at));
  return Object.fromEntries(lists.filter(([over, before]) => !isKept(before, lookUp(context, over))));
}

/** Returns the `loop` of a refusal's data: the id of the loop over steps that runs over this list. */
export function loopOver({ loops }: Pick<ActivityPlan, 'loops'>, list: string): { readonly loop?: string } {
  return defined({ loop: loops.find(({ over, steps }) => over === list && steps.length > 0)?.id });
}

/**
 * Returns whether a loop that has begun may continue with a new value: a list that starts with all items of the old
 * one. If there was no list, there may still be none.
 */
export function isKept(before: unknown, after: unknown): boolean {
  if (!Array.isArray(before)) return !Array.isArray(after);
  if (!Array.isArray(after)) return false;
  const [start, all] = [after.slice(0, before.length), before] as readonly [Json, Json];
  return start === all || canonicalJson(start) === canonicalJson(all);
}

/** Returns the lists of loops over steps that values of a call are written to, as they were before it. */
export function listsBefore(
  { loops }: Pick<ActivityPlan, 'loops'>,
  { before, given }: { readonly before: Context; readonly given: Context },
): Context {
  const names = Object.keys(given);
  const lists = loops.flatMap((loop): readonly (readonly [string, unknown])[] => {
    const { over = '', steps } = loop;
    const isWritten = steps.length > 0 && names.some((name) => isRootOf(name, over));
    const list = isWritten ? listOf(loop, before) : undefined;
    return list === undefined ? [] : [[over, list]];
  });
  return Object.fromEntries(lists);
}

/**
 * Variables as a loop sees them. A list that the call shortens or changes counts as it was before, until an action of the
 * workflow sets another.
 */
export function withLists(
  { context, lists }: ActivityPlan,
  values: Context,
  acted: ReadonlySet<string>,
): Context {
  const seen = { ...context, ...values };
  if (lists === undefined) return seen;
  const held = Object.entries(lists).filter(
    ([over, before]) =>
      ![...acted].some((name) => isRootOf(name, over)) && !isKeptOnce(before, lookUp(seen, over)),
  );
  return held.length === 0 ? seen : { ...seen, ...Object.fromEntries(held) };
}

/** Caches the results of {@link isKept}, because a loop asks about the same list in each iteration. */
const verdicts = new WeakMap<readonly unknown[], { readonly before: unknown; readonly isKept: boolean }>();

function isKeptOnce(before: unknown, after: unknown): boolean {
  if (!Array.isArray(after)) return isKept(before, after);
  const known = verdicts.get(after);
  if (known?.before === before) return known?.isKept === true;
  const verdict = { before, isKept: isKept(before, after) };
  verdicts.set(after, verdict);
  return verdict.isKept;
}

function isRootOf(name: string, path: string): boolean {
  return path === name || path.startsWith(`${name}.`);
}

/** The most iterations a loop can have with these variables. */
export function mostIterations(loop: PlannedLoop, variables: Context): number {
  return Math.min(listOf(loop, variables)?.length ?? loop.maxIterations, loop.maxIterations);
}

/**
 * Returns whether an iteration, counted from 0, begins with these variables. The first iteration of a `doWhile` loop
 * always does.
 */
export function begins(loop: PlannedLoop, iteration: number, variables: Context): boolean {
  if (iteration >= mostIterations(loop, variables)) return false;
  if (loop.type === 'doWhile' && iteration === 0) return true;
  return !breaks(loop, variables) && (loop.condition === undefined || evaluate(loop.condition, variables));
}

export function breaks({ breakCondition }: PlannedLoop, variables: Context): boolean {
  return breakCondition !== undefined && evaluate(breakCondition, variables);
}

/** Returns the item of an iteration under the loop's name for it, or an empty object if the loop has no name for it. */
export function itemAt(loop: PlannedLoop, iteration: number, variables: Context): Context {
  const list = listOf(loop, variables);
  if (loop.variable === undefined || list === undefined || iteration >= list.length) return {};
  return { [loop.variable]: list[iteration] };
}

/**
 * Returns the variables with the item of an iteration added. A variable whose own name reads like a path into the item
 * is left out, because conditions would find it before the item.
 */
export function withItem(variables: Context, item: Context): Context {
  const names = Object.keys(item);
  if (names.length === 0) return variables;
  const isInside = (key: string): boolean => names.some((name) => key.startsWith(`${name}.`));
  if (!Object.keys(variables).some(isInside)) return { ...variables, ...item };
  const others = Object.entries(variables).filter(([key]) => !isInside(key));
  return { ...(Object.fromEntries(others) as Context), ...item };
}

/** Describes the type of a value: `nothing`, `a string`, … */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
