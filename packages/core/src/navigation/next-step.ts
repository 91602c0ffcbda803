import type { Condition, Context } from '@workflowlookup/conditions';
import { evaluate, undecided, lookUp } from '@workflowlookup/conditions';
import type { LoopSpec } from '@workflowlookup/schema';
import { defined } from '@workflowlookup/schema';
import { valueTexts } from '../messages/instructions.ts';
import { nextMessages } from '../messages/lookup.ts';
import { kindOf, withItem } from '../session/outputs/loop-iterations.ts';
import type { CompiledWorkflow, LoopNode, Node, StepNode, NodePosition } from './compile-workflow.ts';

/** Iterations that one call may look through before it gives up: bodies that are skipped whole can nest. */
const maxIterationsScanned = 100_000;

/** The innermost loop around a step. */
export interface LoopPosition {
  readonly id: string;
  /** From 1, as a person counts. */
  readonly iteration: number;
  /** From 0, as in the instance id. */
  readonly index: number;
  /** Absent if a condition decides how many iterations the loop has. */
  readonly total?: number;
  /** forEach: the item of this iteration. */
  readonly item?: unknown;
}

/** A step that was skipped only because these variables were never set. */
export interface UndecidedStep {
  readonly stepId: string;
  /** The unset variables that its condition reads. */
  readonly variables: readonly string[];
}

/** The step to do now, in the context its place gives it. */
export interface StepFound {
  readonly kind: 'step';
  readonly instanceId: string;
  readonly node: StepNode;
  readonly context: Context;
  readonly loop?: LoopPosition;
}

/** A loop that blocks progress because the variable it reads is missing or of the wrong type. */
export interface LoopStuck {
  readonly kind: 'stuck';
  readonly loopId: string;
  readonly bound: BadBound;
}

/** Nothing is eligible. */
export interface NothingLeft {
  readonly kind: 'complete';
  readonly undecided: readonly UndecidedStep[];
}

/** The next step, with warnings for the caller. */
export type NextStep = (
  | StepFound
  | LoopStuck
  | NothingLeft
  | { readonly kind: 'exhausted'; readonly loopId: string }
) & {
  readonly warnings: readonly string[];
};

/** A condition that kept a step or a loop from coming next. */
export interface FailedCondition {
  readonly stepId: string;
  readonly condition: Condition;
  readonly context: Context;
}

type Found = StepFound | LoopStuck | { readonly kind: 'exhausted'; readonly loopId: string };

interface Place {
  readonly prefix: string;
  readonly context: Context;
  readonly loop?: LoopPosition;
}

interface Search {
  readonly progress: Progress;
  readonly warnings: string[];
  readonly failed: FailedCondition[];
  iterationsLeft: number;
}

/**
 * Returns the first step in file order that is not completed and whose condition is true. The steps of a loop come
 * one iteration after the other. Pure: the same workflow, progress and context give the same result.
 *
 * @see docs/tools.md#workflow_next
 */
export function nextStep(workflow: CompiledWorkflow, progress: Progress, context: Context): NextStep {
  return searchNext(workflow, progress, context).next;
}

/** Returns the result of `nextStep` with the conditions that failed before it. */
export function searchNext(
  workflow: CompiledWorkflow,
  progress: Progress,
  context: Context,
): { readonly next: NextStep; readonly failed: readonly FailedCondition[] } {
  const search: Search = {
    progress,
    warnings: [...warnOfUnknown(progress.unknown, nextMessages.unknownStep)],
    failed: [],
    iterationsLeft: maxIterationsScanned,
  };
  const found = searchNodes(workflow.nodes, { prefix: '', context }, search);
  const { warnings, failed } = search;
  if (found !== undefined) return { next: { ...found, warnings }, failed };
  const kept = failed.map(({ stepId, condition, context: seen }) => ({
    stepId,
    variables: undecided(condition, seen),
  }));
  return { next: { kind: 'complete', undecided: groupUndecided(kept), warnings }, failed };
}

/** A loop that has begun and is not done. */
interface LoopInProgress {
  readonly node: LoopNode;
  /** The names that the loops around it give their items and counters. */
  readonly inner: ReadonlySet<string>;
}

/**
 * Returns the loops around the current step, and those that have begun and have a step left. Only the latest iteration
 * of an outer loop counts, because a session never returns to earlier iterations.
 */
export function runningLoops(
  { nodes }: CompiledWorkflow,
  progress: Progress,
  { current, variables }: { readonly current: string | undefined; readonly variables: Context },
): readonly LoopInProgress[] {
  const found: LoopInProgress[] = [];
  const search: Search = { progress, warnings: [], failed: [], iterationsLeft: maxIterationsScanned };
  const look = (some: readonly Node[], place: Place, inner: ReadonlySet<string>): void => {
    for (const node of some) {
      if (node.kind === 'step') continue;
      const key = place.prefix + node.step.id;
      const latest = progress.latest.get(key);
      if (latest === undefined) continue;
      const isHere = current?.startsWith(`${key}@`) === true;
      if (isHere || searchNodes([node], place, search) !== undefined) found.push({ node, inner });
      look(node.body, enterIteration(node, place, latest), new Set([...inner, ...namesIn(node.step.loop)]));
    }
  };
  look(nodes, { prefix: '', context: variables }, new Set());
  return found;
}

/** Puts the variables of each step together, each once. Steps without any are left out. */
export function groupUndecided(found: readonly UndecidedStep[]): readonly UndecidedStep[] {
  const byStep = new Map<string, Set<string>>();
  for (const { stepId, variables } of found) {
    for (const name of variables) byStep.set(stepId, (byStep.get(stepId) ?? new Set()).add(name));
  }
  return [...byStep].map(([stepId, names]) => ({ stepId, variables: [...names] }));
}

function searchNodes(nodes: readonly Node[], place: Place, search: Search): Found | undefined {
  for (const node of nodes) {
    const instanceId = place.prefix + node.step.id;
    if (search.progress.done.has(instanceId) || !holds(node.runs, { node, context: place.context }, search))
      continue;
    if (node.kind === 'step') return stepIn(node, place);
    const found = searchLoop(node, place, search);
    if (found !== undefined) return found;
  }
  return undefined;
}

function stepIn(node: StepNode, { prefix, context, loop }: Place): StepFound {
  return { kind: 'step', instanceId: prefix + node.step.id, node, context, ...defined({ loop }) };
}

/** Evaluates a condition and remembers it if it fails. */
function holds(
  condition: Condition | undefined,
  at: { node: Node; context: Context },
  search: Search,
): boolean {
  if (condition === undefined || evaluate(condition, at.context)) return true;
  search.failed.push({ stepId: at.node.step.id, condition, context: at.context });
  return false;
}

function searchLoop(node: LoopNode, place: Place, search: Search): Found | undefined {
  const { id, loop } = node.step;
  const planned = plannedIterations(loop, place.context);
  if ('needed' in planned) return { kind: 'stuck', loopId: id, bound: planned };
  const end = Math.min(planned.total ?? Infinity, loop.maxIterations);
  const latest = Math.min(search.progress.latest.get(place.prefix + id) ?? -1, end - 1);
  for (let iteration = Math.max(latest, 0); iteration < end; iteration += 1) {
    if (search.iterationsLeft === 0) return { kind: 'exhausted', loopId: id };
    search.iterationsLeft -= 1;
    const inside = enterIteration(node, place, iteration, planned);
    if (iteration > latest && !mayBegin(node, inside.context, search)) return undefined;
    const found = searchNodes(node.body, inside, search);
    if (found !== undefined) return found;
  }
  const more =
    planned.total === undefined
      ? asksForMore(node, enterIteration(node, place, loop.maxIterations, planned).context)
      : planned.total > loop.maxIterations;
  if (more) search.warnings.push(nextMessages.loopCutShort(id, loop.maxIterations, planned.total));
  return undefined;
}

/** Returns a place in one iteration of a loop, whose steps see the loop's variables over those around it. */
function enterIteration(
  { step: { id, loop } }: LoopNode,
  place: Place,
  iteration: number,
  planned = plannedIterations(loop, place.context),
): Place {
  // The variable of the loop may have been removed since the iteration began. The iteration continues without it.
  const { total, items }: PlannedIterations = 'needed' in planned ? {} : planned;
  const [iterationVar = '', indexVar = '', itemVar = ''] = namesIn(loop);
  return {
    prefix: iterationPrefix(place.prefix, { loopId: id, iteration }),
    context: withItem(place.context, {
      [iterationVar]: iteration + 1,
      [indexVar]: iteration,
      ...(items && { [itemVar]: items[iteration] }),
    }),
    loop: {
      id,
      iteration: iteration + 1,
      index: iteration,
      ...(total !== undefined && { total: Math.min(total, loop.maxIterations) }),
      ...(items && { item: items[iteration] }),
    },
  };
}

/** Returns whether an iteration that has not begun may begin. */
function mayBegin(node: LoopNode, context: Context, search: Search): boolean {
  const { type } = node.step.loop;
  return type === 'while' ? holds(node.condition, { node, context }, search) : asksForMore(node, context);
}

function asksForMore({ condition, step }: LoopNode, context: Context): boolean {
  if (condition === undefined) return true;
  return evaluate(condition, context) === (step.loop.type === 'while');
}

/** Describes why a loop can't continue, and what helps. */
export function describeStuck(next: Extract<NextStep, { kind: 'stuck' | 'exhausted' }>): string {
  if (next.kind === 'exhausted') return nextMessages.loopTooLong(next.loopId);
  const { variable, needed, found } = next.bound;
  return nextMessages.wrongBound(next.loopId, variable, needed, found);
}

/** The steps that a caller reports as done, resolved in the workflow. */
export interface Progress {
  /** Instance ids in their full form. */
  readonly done: ReadonlySet<string>;
  /** For each loop (its full form without the iteration), the latest iteration with a completed step. */
  readonly latest: ReadonlyMap<string, number>;
  /** Ids the workflow doesn't have, in the order given, each once. */
  readonly unknown: readonly string[];
}

/**
 * Reads completed ids. A bare id of a step inside a loop counts for iteration 0 of every loop around it.
 *
 * @see docs/tools.md#workflow_next
 */
export function readProgress(workflow: CompiledWorkflow, completed: Iterable<string>): Progress {
  const done = new Set<string>();
  const latest = new Map<string, number>();
  const unknown = new Set<string>();
  for (const id of completed) {
    const places = findInstances(workflow, id);
    if (places.length === 0) unknown.add(id);
    for (const { position, iterations } of places) record(position, iterations, { done, latest });
  }
  return { done, latest, unknown: [...unknown] };
}

/** A place of the workflow and the iteration of each loop around it, from the outside in. */
export interface Instance {
  readonly position: NodePosition;
  readonly iterations: readonly number[];
}

/** Returns the positions that a bare or instance id names, or none if the workflow has no such id. */
export function findInstances({ positions }: CompiledWorkflow, id: string): readonly Instance[] {
  const parsed = parseInstanceId(id);
  if (parsed === undefined) return [];
  const all = positions.get(parsed.stepId) ?? [];
  if (parsed.iterations.length === 0)
    return all.map((position) => ({ position, iterations: position.loops.map(() => 0) }));
  const iterations = parsed.iterations.map(({ iteration }) => iteration);
  return all
    .filter((position) => fits(position, parsed.iterations))
    .map((position) => ({ position, iterations }));
}

function fits({ loops }: NodePosition, iterations: readonly LoopIteration[]): boolean {
  return (
    loops.length === iterations.length &&
    loops.every(({ step }, depth) => {
      const one = iterations[depth];
      return one?.loopId === step.id && one.iteration < step.loop.maxIterations;
    })
  );
}

function record(
  { node, loops }: NodePosition,
  iterations: readonly number[],
  { done, latest }: { done: Set<string>; latest: Map<string, number> },
): void {
  let prefix = '';
  loops.forEach(({ step }, depth) => {
    const iteration = iterations[depth] ?? 0;
    const loopKey = prefix + step.id;
    latest.set(loopKey, Math.max(latest.get(loopKey) ?? 0, iteration));
    prefix = iterationPrefix(prefix, { loopId: step.id, iteration });
  });
  done.add(prefix + node.step.id);
}

/** Maximum number of unknown ids in a warning: naming all of a long list takes long and helps nobody. */
const maxNamed = 20;

/** Warns of completed ids that the workflow does not have; those beyond the first 20 are only counted. */
export function warnOfUnknown(ids: Iterable<string>, describe: (id: string) => string): readonly string[] {
  const all = [...ids];
  const named = all.slice(0, maxNamed).map(describe);
  const more = all.length - named.length;
  return more === 0 ? named : [...named, nextMessages.moreUnknown(more)];
}

/** The iteration of a loop that a step is in, counted from 0. */
export interface LoopIteration {
  readonly loopId: string;
  readonly iteration: number;
}

/** An instance id taken apart: the iterations from the outside in, then the step. */
export interface InstanceId {
  readonly iterations: readonly LoopIteration[];
  readonly stepId: string;
}

const iterationPattern = /^([a-z0-9-]+)@(\d{1,6})$/;

/**
 * Takes apart `outer@0::inner@2::step`; a bare id has no iterations.
 *
 * @returns `undefined` when a part before the last is not `loop-id@iteration`
 */
export function parseInstanceId(text: string): InstanceId | undefined {
  // Most ids are bare, and a call may have thousands.
  if (!text.includes('::')) return { iterations: [], stepId: text };
  const parts = text.split('::');
  const stepId = parts.pop() ?? '';
  const iterations: LoopIteration[] = [];
  for (const part of parts) {
    const [, loopId, iteration] = iterationPattern.exec(part) ?? [];
    if (loopId === undefined) return undefined;
    iterations.push({ loopId, iteration: Number(iteration) });
  }
  return { iterations, stepId };
}

/** Returns the id of a step without the iterations of its loops. The id of an activity is returned as it is. */
export function stepIdOf(instance: string): string {
  return parseInstanceId(instance)?.stepId ?? instance;
}

/**
 * Returns the prefix of every instance id inside one iteration. `prefix` is that of the enclosing iteration, or `''`.
 */
export function iterationPrefix(prefix: string, { loopId, iteration }: LoopIteration): string {
  return `${prefix}${loopId}@${iteration}::`;
}

/**
 * Returns a step by its instance id, in the context of its position, as `nextStep` finds it. The bare id of a step
 * inside a loop means the first iteration of every loop around it.
 *
 * @returns `undefined` when the workflow has no such step
 */
export function stepAt(workflow: CompiledWorkflow, id: string, variables: Context): StepFound | undefined {
  for (const { position, iterations } of findInstances(workflow, id)) {
    const { node, loops } = position;
    if (node.kind !== 'step') continue;
    const start: Place = { prefix: '', context: variables };
    return stepIn(
      node,
      loops.reduce((place, loop, depth) => enterIteration(loop, place, iterations[depth] ?? 0), start),
    );
  }
  return undefined;
}

/** A loop whose number of iterations is unknown because the variable it reads is missing or of the wrong type. */
export interface BadBound {
  readonly variable: string;
  /** The value found, described: `nothing`, `a string`, … */
  readonly found: string;
  /** The kind of value that the loop needs. */
  readonly needed: 'array' | 'count';
}

/** How many iterations a loop plans. `total` is absent if a condition decides. */
export interface PlannedIterations {
  readonly total?: number;
  readonly items?: readonly unknown[];
}

/** Reads how often a loop means to run, each time afresh, so that a list that grows is followed. */
export function plannedIterations(
  { type, count, items }: LoopSpec,
  context: Context,
): PlannedIterations | BadBound {
  if (type !== 'for' && type !== 'forEach') return {};
  if (type === 'for' && typeof count === 'number') return { total: count };
  const variable = String((type === 'for' ? count : items) ?? '');
  const value = lookUp(context, variable);
  if (type === 'forEach')
    return Array.isArray(value)
      ? { total: value.length, items: value }
      : { variable, found: kindOf(value), needed: 'array' };
  const total = countIn(value);
  return total === undefined ? { variable, found: kindOf(value), needed: 'count' } : { total };
}

/** Returns the number of iterations for a count value, or `undefined` if the value is no whole number of 0 or more. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The names that a loop gives its counters and, if it has one, its item. */
function namesIn(loop: LoopSpec): readonly string[] {
  const { iterationVar = 'currentIteration', indexVar = 'currentIndex', itemVar = 'currentItem' } = loop;
  return loop.type === 'forEach' ? [iterationVar, indexVar, itemVar] : [iterationVar, indexVar];
}

/**
 * Maximum number of characters that values add to one step in total. Without it, a step that names a long value many
 * times could become huge.
 */
const maxInsertedChars = 262_144;

const marker = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Creates a function that replaces `{{name.path}}` in texts of one step by values of the context: text as it is,
 * anything else as JSON. An unset variable becomes `[unset: name.path]`. Inserted text is never expanded again. `show` may
 * shorten a value.
 *
 * @see docs/authoring.md#templates
 */
export function createExpander(
  context: Context,
  show = (value: string): string => value,
): (text: string) => string {
  let left = maxInsertedChars;
  return (text) =>
    text.replace(marker, (_, path: string) => {
      const value = lookUp(context, path);
      if (value === undefined || value === null) return valueTexts.unset(path);
      const inserted = typeof value === 'string' ? value : JSON.stringify(value);
      if (inserted.length > left) return valueTexts.tooLong(path);
      left -= inserted.length;
      return show(inserted);
    });
}

/** Converts a text of a step to the syntax of checkpoint texts, in which `{name}` is a variable. */
export function asCheckpointText(text: string): string {
  return text.replace(marker, '{$1}');
}
