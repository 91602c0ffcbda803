import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';
import type { LoopSpec } from '@workflowlookup/schema';
import { nextMessages } from '../messages/lookup.ts';
import { withItem } from '../session/loop-iterations.ts';
import type { CompiledWorkflow, NodePosition } from './compile-workflow.ts';
import type { LoopPosition, StepFound } from './next-step.ts';

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
    for (const { standing, iterations } of places) record(standing, iterations, { done, latest });
  }
  return { done, latest, unknown: [...unknown] };
}

/** A place of the workflow and the iteration of each loop around it, from the outside in. */
export interface Instance {
  readonly standing: NodePosition;
  readonly iterations: readonly number[];
}

/** Returns the positions that a bare or instance id names, or none if the workflow has no such id. */
export function findInstances({ standings }: CompiledWorkflow, id: string): readonly Instance[] {
  const parsed = parseInstanceId(id);
  if (parsed === undefined) return [];
  const all = standings.get(parsed.stepId) ?? [];
  if (parsed.rounds.length === 0)
    return all.map((standing) => ({ standing, iterations: standing.loops.map(() => 0) }));
  const iterations = parsed.rounds.map((round) => round.iteration);
  return all
    .filter((standing) => fits(standing, parsed.rounds))
    .map((standing) => ({ standing, iterations }));
}

function fits({ loops }: NodePosition, rounds: readonly { loopId: string; iteration: number }[]): boolean {
  return (
    loops.length === rounds.length &&
    loops.every(({ step }, depth) => {
      const round = rounds[depth];
      return round?.loopId === step.id && round.iteration < step.loop.maxIterations;
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
    prefix = roundPrefix(prefix, { loopId: step.id, iteration });
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

/** A loop and the iteration (from 0) of a step. */
export interface Round {
  readonly loopId: string;
  readonly iteration: number;
}

/** An instance id taken apart: the rounds from the outside in, then the step. */
export interface InstanceId {
  readonly rounds: readonly Round[];
  readonly stepId: string;
}

const roundPattern = /^([a-z0-9-]+)@(\d{1,6})$/;

/**
 * Takes apart `outer@0::inner@2::step`; a bare id has no rounds.
 *
 * @returns `undefined` when a part before the last is not `loop-id@iteration`
 */
export function parseInstanceId(text: string): InstanceId | undefined {
  const parts = text.split('::');
  const stepId = parts.pop() ?? '';
  const rounds: Round[] = [];
  for (const part of parts) {
    const [, loopId, iteration] = roundPattern.exec(part) ?? [];
    if (loopId === undefined) return undefined;
    rounds.push({ loopId, iteration: Number(iteration) });
  }
  return { rounds, stepId };
}

/** The prefix of every instance id inside one round: `prefix` is that of the enclosing round, or `''`. */
export function roundPrefix(prefix: string, { loopId, iteration }: Round): string {
  return `${prefix}${loopId}@${iteration}::`;
}

/**
 * Returns a step by its instance id, in the context of its position, as `nextStep` finds it. The bare id of a step
 * inside a loop means the first round of every loop around it.
 *
 * @returns `undefined` when the workflow has no such step
 */
export function stepAt(workflow: CompiledWorkflow, id: string, variables: Context): StepFound | undefined {
  const instance = findInstances(workflow, id).find(({ standing }) => standing.node.kind === 'step');
  if (instance?.standing.node.kind !== 'step') return undefined;
  const { node, loops } = { node: instance.standing.node, loops: instance.standing.loops };
  let prefix = '';
  let context = variables;
  let position: LoopPosition | undefined;
  for (const [depth, { step }] of loops.entries()) {
    const iteration = instance.iterations[depth] ?? 0;
    const planned = plannedRounds(step.loop, context);
    // The variable of the loop may have been removed since the step began. The step continues without it.
    const rounds = 'needed' in planned ? {} : planned;
    prefix = roundPrefix(prefix, { loopId: step.id, iteration });
    context = roundContext(step.loop, rounds, { context, iteration });
    position = {
      id: step.id,
      iteration: iteration + 1,
      index: iteration,
      ...(rounds.total === undefined ? {} : { total: Math.min(rounds.total, step.loop.maxIterations) }),
      ...(rounds.items === undefined ? {} : { item: rounds.items[iteration] }),
    };
  }
  const loop = position === undefined ? {} : { loop: position };
  return { kind: 'step', instanceId: prefix + node.step.id, node, context, ...loop };
}

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
