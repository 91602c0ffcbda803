import type { Context } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import type { MissingList } from './loop-iterations.ts';
import {
  begins,
  breaks,
  itemAt,
  missingList,
  mostIterations,
  withItem,
  withLists,
} from './loop-iterations.ts';
import type { NamedIterations, NamedSteps } from './manifest-names.ts';
import { readNames } from './manifest-names.ts';
import { needsHuman } from './policy.ts';
import type { Gate, GatePolicy, Place, PlannedLoop, PlannedStep } from './navigator.ts';
import type { ManifestEntry } from './session-event.ts';
import type { Values } from './variables.ts';
import { assign } from './variables.ts';

/** A step as a manifest names it once: in a loop, in one iteration. */
export interface StepInstance {
  /** In a loop `loop-id@0::step-id`. */
  readonly id: string;
  readonly step: PlannedStep;
  /** The item of its iteration, under the name its loop gives it. */
  readonly item: Context;
  /** Instances of one group come in order: those of the activity, or of one iteration of a loop. */
  readonly group: string;
  /** Its place in the group. */
  readonly rank: number;
  /** A manifest may leave it out with all of its loop. */
  readonly isExcused?: true;
}

/** The steps of one group stop at a checkpoint once. */
export type Stop = Pick<StepInstance, 'group' | 'item'>;

/** What an activity requires, and what a manifest says was done. */
export interface Account {
  /** Instances a manifest has to name, in order. */
  readonly due: readonly StepInstance[];
  /** Instances whose conditions hold, in order: those that are due, and those a manifest may name. */
  readonly open: readonly StepInstance[];
  /** What each entry of the manifest names; `undefined` where the activity has no such step or iteration. */
  readonly entries: readonly (StepInstance | undefined)[];
  /**
   * Checkpoints at which the steps that were done, or are due, stop: once for each iteration of a loop. Those that need a
   * person and that no step names stand for the whole activity.
   */
  readonly checkpoints: ReadonlyMap<string, readonly Stop[]>;
  /** What the actions of the steps that were done set. */
  readonly values: Values;
  /** Loops whose iterations can't be counted, because their variable holds no list. */
  readonly missingLists: readonly MissingList[];
}

/** How many instances of a loop that ends by a condition are looked at without a manifest. */
const maxForeseen = 1000;

/**
 * Goes through the steps of an activity in their order, then through its loops, iteration by iteration: each step is
 * judged by the variables as the actions of those before it left them. Without a manifest the steps that are due count
 * as done.
 *
 * @see docs/sessions.md#loops-over-steps
 */
export function accountFor(
  place: Place,
  manifest?: readonly ManifestEntry[],
  gates: GatePolicy = 'declared',
): Account {
  const signed = unnamedGates(place).filter((gate) => needsHuman(gate, { gates }));
  const round: Round = {
    place,
    names: readNames(place, manifest ?? []),
    isForeseen: manifest === undefined,
    due: [],
    open: [],
    entries: Array.from({ length: manifest?.length ?? 0 }),
    stops: new Map(signed.map(({ id }) => [id, new Map([['', {}]])])),
    missingLists: [],
    values: {},
  };
  for (const [rank, step] of place.steps.entries()) {
    const instance = { id: step.id, step, item: {}, group: '', rank };
    goThrough(round, instance, { named: round.names.steps.get(step) ?? [] });
  }
  for (const loop of place.loops) if (loop.steps.length > 0) goThroughLoop(round, loop);
  const { due, open, entries, values, missingLists, stops } = round;
  const checkpoints = new Map(
    [...stops].map(([id, items]) => [id, [...items].map(([group, item]) => ({ group, item }))]),
  );
  return { due, open, entries, checkpoints, values, missingLists };
}

/** Checkpoints that no step names: an agent may stop at them, and has to only if they need a person. */
export function unnamedGates(place: Place): readonly Gate[] {
  const named = new Set(allSteps(place).map(({ checkpoint }) => checkpoint));
  return place.gates.filter(({ id }) => !named.has(id));
}

/** The steps of an activity, those of its loops among them. */
export function allSteps({
  steps,
  loops,
}: {
  readonly steps: readonly PlannedStep[];
  readonly loops: readonly { readonly steps: readonly PlannedStep[] }[];
}): readonly PlannedStep[] {
  return [...steps, ...loops.flatMap((loop) => loop.steps)];
}

/** An account in the making. */
interface Round {
  readonly place: Place;
  readonly names: NamedSteps;
  /** There is no manifest: required steps count as done. */
  readonly isForeseen: boolean;
  readonly due: StepInstance[];
  readonly open: StepInstance[];
  readonly entries: (StepInstance | undefined)[];
  /** Items of the stops of each checkpoint, by group. */
  readonly stops: Map<string, Map<string, Context>>;
  readonly missingLists: MissingList[];
  values: Values;
  /** The last variables made by `seenBy` and by `contextOf`: there may be many variables, and many instances. */
  seen?: { readonly after: Values; readonly variables: Context };
  context?: { readonly after: Values; readonly item: Context; readonly variables: Context };
}

/** Goes through one instance. @returns whether its conditions hold */
function goThrough(
  round: Round,
  instance: StepInstance,
  by: { readonly named: readonly number[]; readonly mayBeMissing?: boolean },
): boolean {
  const { step, item, group } = instance;
  const { sets } = step;
  for (const entry of by.named) round.entries[entry] = instance;
  if (!applies(round, instance)) return false;
  round.open.push(instance);
  const isDue = !step.isOptional && by.mayBeMissing !== true;
  // A required step that the manifest leaves out still has its effects. Otherwise an agent could leave it out to avoid
  // them.
  const isDone = by.named.length > 0 || (isDue && (round.isForeseen || instance.isExcused !== true));
  if (isDue) round.due.push(instance);
  if (step.checkpoint !== undefined && (isDone || isDue)) {
    const stops = round.stops.get(step.checkpoint) ?? new Map<string, Context>();
    round.stops.set(step.checkpoint, stops.set(group, item));
  }
  if (isDone && sets.length > 0) round.values = { ...round.values, ...assign(sets, contextOf(round, item)) };
  return true;
}

function applies(round: Round, { step, item }: StepInstance): boolean {
  return step.conditions.every((condition) => evaluate(condition, contextOf(round, item)));
}

/** The variables with the item of an iteration. The last ones are kept: the steps of an iteration see the same. */
function contextOf(round: Round, item: Context): Context {
  const { place, values, context } = round;
  if (context?.after === values && context.item === item) return context.variables;
  const variables = withItem({ ...place.context, ...values }, item);
  round.context = { after: values, item, variables };
  return variables;
}

const noNames: NamedIterations = { exact: new Map(), bare: new Map(), count: 0, lastRank: -1 };

/**
 * An iteration is due where it begins by the variables as they are when its turn comes, or where the manifest names it or
 * a later one. What comes after the last that is named is known only for a list: another loop is looked at for one more.
 */
function goThroughLoop(round: Round, loop: PlannedLoop): void {
  const names = round.names.loops.get(loop) ?? noNames;
  const missing = missingList(loop, seenBy(round));
  if (missing !== undefined) round.missingLists.push(missing);
  const bare = new Map([...names.bare].map(([step, entries]) => [step, [...entries]]));
  const passed: StepInstance[] = [];
  for (let iteration = 0; iteration < mostIterations(loop, seenBy(round)); iteration += 1) {
    const isNamed = iteration < names.count;
    if (!isNamed && !isRequired(loop, iteration, { seen: seenBy(round), missing })) break;
    passed.push(...goThroughIteration(round, { loop, iteration, names, bare }));
    if (!isNamed && loop.type !== 'forEach' && isEnough(round, loop, iteration)) break;
  }
  // A bare name of a step whose condition is false stands for an iteration all the same, as it does outside of loops.
  for (const instance of passed) {
    const entry = bare.get(instance.step)?.shift();
    if (entry !== undefined) round.entries[entry] = instance;
  }
}

function isRequired(
  loop: PlannedLoop,
  iteration: number,
  { seen, missing }: { readonly seen: Context; readonly missing: MissingList | undefined },
): boolean {
  if (missing !== undefined) return false;
  // Without a list to count by, the first is required, and the others are those the manifest names.
  if (loop.type === 'forEach' && loop.over === undefined) return iteration === 0;
  return begins(loop, iteration, seen);
}

function isEnough({ isForeseen }: Round, { steps }: PlannedLoop, iteration: number): boolean {
  return !isForeseen || (iteration + 1) * steps.length >= maxForeseen;
}

interface Iteration {
  readonly loop: PlannedLoop;
  readonly iteration: number;
  readonly names: NamedIterations;
  /** Entries without an iteration that still stand for none. */
  readonly bare: ReadonlyMap<PlannedStep, number[]>;
}

/** Goes through one iteration. @returns the instances that no entry names and whose conditions are false */
function goThroughIteration(
  round: Round,
  { loop, iteration, names, bare }: Iteration,
): readonly StepInstance[] {
  const group = `${loop.id}@${iteration}`;
  const passed: StepInstance[] = [];
  let seen = seenBy(round);
  let item = itemAt(loop, iteration, seen);
  for (const [rank, step] of loop.steps.entries()) {
    if (seen !== seenBy(round)) {
      seen = seenBy(round);
      item = itemAt(loop, iteration, seen);
    }
    const instance = {
      id: `${group}::${step.id}`,
      step,
      item,
      group,
      rank,
      ...(names.count === 0 && isExample(round, loop) ? { isExcused: true as const } : {}),
    };
    const exact = names.exact.get(`${iteration}::${step.id}`) ?? [];
    const next = exact.length === 0 && applies(round, instance) ? bare.get(step)?.shift() : undefined;
    const named = next === undefined ? exact : [next];
    // A loop that broke off in its last iteration did not come to the steps after that.
    const mayBeMissing =
      iteration === names.count - 1 && rank > names.lastRank && named.length === 0 && breaks(loop, seen);
    if (!goThrough(round, instance, { named, mayBeMissing }) && named.length === 0) passed.push(instance);
  }
  return passed;
}

function isExample({ place: { examples = [] } }: Round, { over = '' }: PlannedLoop): boolean {
  return examples.includes(over);
}

/** The variables as loops see them. */
function seenBy(round: Round): Context {
  const { place, values, seen } = round;
  if (seen?.after === values) return seen.variables;
  const variables = withLists(place, values);
  round.seen = { after: values, variables };
  return variables;
}
