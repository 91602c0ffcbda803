import type { Context } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import { judgeFields } from '@workflowlookup/validation';
import type { EvidenceDemand } from '../../evidence/evidence-state.ts';
import { fillEvidence } from '../../evidence/evidence-state.ts';
import type {
  SessionCheckpoint,
  CheckpointPolicy,
  ActivityPlan,
  PlannedLoop,
  PlannedStep,
} from '../../navigation/navigator.ts';
import { needsHuman } from '../command.ts';
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
import type { ManifestEntry } from '../session-event.ts';
import type { Values } from '../session-state.ts';
import { assign, ownValue } from '../session-state.ts';

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
export type CheckpointGroup = Pick<StepInstance, 'group' | 'item'>;

/** The steps that an activity requires, and those that a manifest reports as done. */
export interface StepAccount {
  /** Instances a manifest has to name, in order. */
  readonly required: readonly StepInstance[];
  /** Instances whose conditions are true, in order: the required ones and those that a manifest may name. */
  readonly open: readonly StepInstance[];
  /**
   * The instance that each entry of the manifest names, or `undefined` if the activity has no such step or iteration.
   */
  readonly entries: readonly (StepInstance | undefined)[];
  /**
   * The checkpoints of the steps that were done or are required, with one stop for each iteration of a loop. A
   * checkpoint that needs a person and that no step names belongs to the whole activity.
   */
  readonly checkpoints: ReadonlyMap<string, readonly CheckpointGroup[]>;
  /** The evidence that the steps ask for that were done or are required, each id once. */
  readonly evidence: readonly EvidenceDemand[];
  /** The evidence of the other steps, also of those whose conditions are not true yet. */
  readonly otherEvidence: readonly EvidenceDemand[];
  /** The values set by the steps that were done: by the fields of their outputs and by their actions. */
  readonly values: Values;
  /** The names among them that actions of the definition set last. */
  readonly acted: ReadonlySet<string>;
  /** The values that the fields of each output set, in order. They count as written by the agent. */
  readonly writes: readonly Values[];
  /** Loops whose iterations can't be counted because their variable holds no list. */
  readonly missingLists: readonly MissingList[];
}

/** Maximum number of instances of a conditional loop that are planned without a manifest. */
const maxForeseen = 1000;

/**
 * Goes through the steps of an activity in order, then through its loops iteration by iteration. Each step is judged by
 * the variables as the outputs and actions of the previous steps left them. Without a manifest the required steps count as
 * done. `written` has the values that the fields of each entry set.
 *
 * @see docs/sessions.md#loops-over-steps
 */
export function accountForSteps(
  place: ActivityPlan,
  given?: readonly ManifestEntry[],
  gates: CheckpointPolicy = 'declared',
  written: readonly Values[] = [],
): StepAccount {
  const manifest = given ?? [];
  const signed = unnamedCheckpoints(place).filter((checkpoint) => needsHuman(checkpoint, { gates }));
  const account: AccountInProgress = {
    place,
    names: readNames(place, manifest),
    isForeseen: given === undefined,
    required: [],
    open: [],
    entries: Array.from({ length: manifest.length }),
    notDone: new Set(manifest.flatMap((entry, at) => (entry.not_done === undefined ? [] : [at]))),
    stops: new Map(signed.map(({ id }) => [id, new Map([['', {}]])])),
    missingLists: [],
    evidence: new Map(),
    otherEvidence: new Map(),
    values: {},
    acted: new Set(),
    written,
    writes: [],
  };
  for (const [rank, step] of place.steps.entries()) {
    const instance = { id: step.id, step, item: {}, group: '', rank };
    goThrough(account, instance, { named: account.names.steps.get(step) ?? [] });
  }
  for (const loop of place.loops) if (loop.steps.length > 0) goThroughLoop(account, loop);
  const { required, open, entries, values, acted, writes, missingLists } = account;
  const counted = { required, open, entries, values, acted, writes, missingLists };
  const checkpoints = new Map(
    [...account.stops].map(([id, items]) => [id, [...items].map(([group, item]) => ({ group, item }))]),
  );
  const evidence = [...account.evidence.values()];
  const otherEvidence = [...account.otherEvidence.values()].filter(
    ({ evidence: { id } }) => !account.evidence.has(id),
  );
  return { ...counted, checkpoints, evidence, otherEvidence };
}

/** Checkpoints that no step names: an agent may stop at them, and has to only if they need a person. */
export function unnamedCheckpoints(place: ActivityPlan): readonly SessionCheckpoint[] {
  const named = new Set(allSteps(place).map(({ checkpoint }) => checkpoint));
  return place.checkpoints.filter(({ id }) => !named.has(id));
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

/** The step account while it is computed. */
interface AccountInProgress {
  readonly place: ActivityPlan;
  readonly names: NamedSteps;
  /** There is no manifest yet, so required steps count as done. */
  readonly isForeseen: boolean;
  readonly required: StepInstance[];
  readonly open: StepInstance[];
  readonly entries: (StepInstance | undefined)[];
  /** The entries that report a step as not done. */
  readonly notDone: ReadonlySet<number>;
  /** Items of the stops of each checkpoint, by group. */
  readonly stops: Map<string, Map<string, Context>>;
  readonly missingLists: MissingList[];
  readonly evidence: Map<string, EvidenceDemand>;
  readonly otherEvidence: Map<string, EvidenceDemand>;
  values: Values;
  /** The names among the values that actions set last. */
  readonly acted: Set<string>;
  /** The values that the fields of each entry set. */
  readonly written: readonly Values[];
  /** The values in `written` of the entries that were processed so far. */
  readonly writes: Values[];
  /**
   * The last results of `seenBy` and `contextOf`. They are cached because there may be many variables and many
   * instances.
   */
  seen?: { readonly after: Values; readonly variables: Context };
  context?: { readonly after: Values; readonly item: Context; readonly variables: Context };
}

/**
 * Goes through one instance.
 *
 * @returns whether its conditions are true
 */
function goThrough(
  account: AccountInProgress,
  instance: StepInstance,
  by: { readonly named: readonly number[]; readonly mayBeMissing?: boolean },
): boolean {
  const { step, item, group } = instance;
  const { sets } = step;
  for (const entry of by.named) account.entries[entry] = instance;
  if (!applies(account, instance)) {
    // An output of the activity may make them true, and evidence is collected before outputs are submitted.
    askForEvidence(account, { step, item, isAsked: false });
    return false;
  }
  account.open.push(instance);
  const isDue = !step.isOptional && by.mayBeMissing !== true;
  // A required step that the manifest leaves out still has its effects. Otherwise an agent could leave it out to avoid
  // them.
  const done = by.named.filter((entry) => !account.notDone.has(entry));
  const isReported = done.length > 0;
  const isDone = isReported || (isDue && (account.isForeseen || instance.isExcused !== true));
  if (isDue) account.required.push(instance);
  if (step.checkpoint !== undefined && (isDone || isDue)) {
    const stops = account.stops.get(step.checkpoint) ?? new Map<string, Context>();
    account.stops.set(step.checkpoint, stops.set(group, item));
  }
  // A step that is reported as not done needs no proof: the report itself is shown at every later decision. If the report
  // has an output, people can read it, but it is not judged and has no effects.
  if (isReported || by.named.length === 0) askForEvidence(account, { step, item, isAsked: isDone || isDue });
  if (!isDone) return true;
  for (const entry of done) write(account, account.written[entry] ?? {});
  if (sets.length > 0) act(account, assign(sets, contextOf(account, item)));
  return true;
}

function write(account: AccountInProgress, values: Values): void {
  const names = Object.keys(values);
  if (names.length === 0) return;
  account.values = { ...account.values, ...values };
  account.writes.push(values);
  for (const name of names) account.acted.delete(name);
}

function act(account: AccountInProgress, values: Values): void {
  account.values = { ...account.values, ...values };
  for (const name of Object.keys(values)) account.acted.add(name);
}

/**
 * Returns the values that the fields of an output set: those of the fields that are valid.
 *
 * @see docs/authoring.md#fields
 */
export function valuesOfFields({ fields, fills }: PlannedStep, output: string): Values {
  if (fields === undefined || fills === undefined) return {};
  const { valid } = judgeFields(fields, output);
  return Object.fromEntries(
    Object.entries(fills).flatMap(([variable, field]) => {
      const value = ownValue(valid, field);
      return value === undefined ? [] : [[variable, value] as const];
    }),
  );
}

/** In a loop, the evidence of the last iteration counts: it is about the files as they are then. */
function askForEvidence(
  account: AccountInProgress,
  { step, item, isAsked }: Pick<StepInstance, 'item' | 'step'> & { readonly isAsked: boolean },
): void {
  const into = isAsked ? account.evidence : account.otherEvidence;
  const given = step.mayBeMissing === true ? { stepToGiveUp: step.id } : {};
  for (const one of step.evidence ?? [])
    into.set(one.id, { ...fillEvidence(one, contextOf(account, item)), ...given });
}

function applies(account: AccountInProgress, { step, item }: StepInstance): boolean {
  return step.conditions.every((condition) => evaluate(condition, contextOf(account, item)));
}

/** The variables with the item of an iteration. The last ones are kept: the steps of an iteration see the same. */
function contextOf(account: AccountInProgress, item: Context): Context {
  const { place, values, context } = account;
  if (context?.after === values && context.item === item) return context.variables;
  const variables = withItem({ ...place.context, ...values }, item);
  account.context = { after: values, item, variables };
  return variables;
}

const noNames: NamedIterations = { exact: new Map(), bare: new Map(), count: 0, lastRank: -1 };

/**
 * Goes through the iterations of a loop. An iteration is required if it begins with the variables of its turn, or if
 * the manifest names it or a later one. Iterations after the last named one are known only for a list; other loops are
 * planned one iteration ahead.
 */
function goThroughLoop(account: AccountInProgress, loop: PlannedLoop): void {
  const names = account.names.loops.get(loop) ?? noNames;
  const missing = missingList(loop, seenBy(account));
  if (missing !== undefined) account.missingLists.push(missing);
  const bare = new Map([...names.bare].map(([step, entries]) => [step, [...entries]]));
  const passed: StepInstance[] = [];
  for (let iteration = 0; iteration < mostIterations(loop, seenBy(account)); iteration += 1) {
    const isNamed = iteration < names.count;
    if (!isNamed && (missing !== undefined || !isRequired(loop, iteration, seenBy(account)))) break;
    passed.push(...goThroughIteration(account, loop, iteration, names, bare));
    if (!isNamed && loop.type !== 'forEach' && isEnough(account, loop, iteration)) break;
  }
  // The bare name of a step whose condition is false still counts for an iteration, as it does outside of loops.
  for (const instance of passed) {
    const entry = bare.get(instance.step)?.shift();
    if (entry !== undefined) account.entries[entry] = instance;
  }
}

function isRequired(loop: PlannedLoop, iteration: number, seen: Context): boolean {
  // Without a list, the number of iterations is unknown: only the first is required. The manifest may name more.
  if (loop.type === 'forEach' && loop.over === undefined) return iteration === 0;
  return begins(loop, iteration, seen);
}

function isEnough({ isForeseen }: AccountInProgress, { steps }: PlannedLoop, iteration: number): boolean {
  return !isForeseen || (iteration + 1) * steps.length >= maxForeseen;
}

/**
 * Goes through one iteration. `bare` has the entries without an iteration that have not been assigned to one yet.
 *
 * @returns the instances that no entry names and whose conditions are false
 */
function goThroughIteration(
  account: AccountInProgress,
  loop: PlannedLoop,
  iteration: number,
  names: NamedIterations,
  bare: ReadonlyMap<PlannedStep, number[]>,
): readonly StepInstance[] {
  const group = `${loop.id}@${iteration}`;
  const passed: StepInstance[] = [];
  let seen = seenBy(account);
  let item = itemAt(loop, iteration, seen);
  for (const [rank, step] of loop.steps.entries()) {
    if (seen !== seenBy(account)) {
      seen = seenBy(account);
      item = itemAt(loop, iteration, seen);
    }
    const instance = {
      id: `${group}::${step.id}`,
      step,
      item,
      group,
      rank,
      ...(names.count === 0 && isExample(account, loop) && { isExcused: true as const }),
    };
    const exact = names.exact.get(`${iteration}::${step.id}`) ?? [];
    const next = exact.length === 0 && applies(account, instance) ? bare.get(step)?.shift() : undefined;
    const named = next === undefined ? exact : [next];
    // A loop that ended within its last iteration never reached the later steps of it.
    const mayBeMissing =
      iteration === names.count - 1 && rank > names.lastRank && named.length === 0 && breaks(loop, seen);
    if (!goThrough(account, instance, { named, mayBeMissing }) && named.length === 0) passed.push(instance);
  }
  return passed;
}

/**
 * Returns whether a manifest may leave out a loop, because nobody has set its list. A loop that sets variables is not
 * left out, because it may decide whether a person is asked.
 */
function isExample(
  { place: { examples = [] } }: AccountInProgress,
  { over = '', steps }: PlannedLoop,
): boolean {
  return examples.includes(over) && steps.every(({ isOptional, sets }) => isOptional || sets.length === 0);
}

/** The variables as loops see them. */
function seenBy(account: AccountInProgress): Context {
  const { place, values, seen, acted } = account;
  if (seen?.after === values) return seen.variables;
  const variables = withLists(place, values, acted);
  account.seen = { after: values, variables };
  return variables;
}

/** The entries of a manifest, as indexes under the step that each names. */
interface NamedSteps {
  readonly steps: ReadonlyMap<PlannedStep, readonly number[]>;
  readonly loops: ReadonlyMap<PlannedLoop, NamedIterations>;
}

interface NamedIterations {
  /** Entries by `0::step-id`. */
  readonly exact: ReadonlyMap<string, readonly number[]>;
  /** Entries that name a step without its iteration. Each is assigned to the next iteration that lacks the step. */
  readonly bare: ReadonlyMap<PlannedStep, readonly number[]>;
  readonly count: number;
  /** Of the last iteration named, the place of the last step named. */
  readonly lastRank: number;
}

const instancePattern = /^(?:([^@]+)@(\d{1,6})::)?([^:]+)$/;

/** Sorts the entries of a manifest by the step that they name; entries that name no step are left out. */
function readNames(place: ActivityPlan, manifest: readonly ManifestEntry[]): NamedSteps {
  const steps = new Map<PlannedStep, number[]>();
  const loops = new Map<PlannedLoop, { exact: Map<string, number[]>; bare: Map<PlannedStep, number[]> }>();
  for (const [entry, { step_id: id }] of manifest.entries()) {
    const named = stepNamed(place, id);
    if (named === undefined) continue;
    const { loop, step, iteration } = named;
    if (loop === undefined) {
      add(steps, step, entry);
      continue;
    }
    const names = loops.get(loop) ?? { exact: new Map(), bare: new Map() };
    loops.set(loop, names);
    if (iteration === undefined) add(names.bare, step, entry);
    else add(names.exact, `${iteration}::${step.id}`, entry);
  }
  const counted = [...loops].map(
    ([loop, { exact, bare }]) => [loop, { exact, bare, ...extentOf(loop, exact, bare) }] as const,
  );
  return { steps, loops: new Map(counted) };
}

function add<Key>(map: Map<Key, number[]>, key: Key, entry: number): void {
  const entries = map.get(key);
  if (entries === undefined) map.set(key, [entry]);
  else entries.push(entry);
}

interface NamedStep {
  readonly step: PlannedStep;
  readonly loop?: PlannedLoop;
  readonly iteration?: number | undefined;
}

/** Returns the step that an entry of a manifest names, and the iteration if it names one. */
export function stepNamed({ steps, loops }: ActivityPlan, id: string): NamedStep | undefined {
  const own = steps.find((step) => step.id === id || step.id.endsWith(`::${id}`));
  if (own !== undefined) return { step: own };
  const [, loopId, count, stepId] = instancePattern.exec(id) ?? [];
  const iteration = count === undefined ? undefined : Number(count);
  for (const loop of loops) {
    if (iteration !== undefined && (loopId !== loop.id || iteration >= loop.maxIterations)) continue;
    const step = loop.steps.find((candidate) => candidate.id === stepId);
    if (step !== undefined) return { loop, step, iteration };
  }
  return undefined;
}

/** Returns how many iterations of a loop a manifest names, and the rank of the last step named in the last one. */
function extentOf(
  { steps }: PlannedLoop,
  exact: NamedIterations['exact'],
  bare: NamedIterations['bare'],
): Pick<NamedIterations, 'count' | 'lastRank'> {
  const keys = [...exact.keys()];
  const namesOf = (step: PlannedStep): number =>
    (bare.get(step)?.length ?? 0) + keys.filter((key) => key.endsWith(`::${step.id}`)).length;
  const furthest = keys.reduce((most, key) => Math.max(most, Number.parseInt(key, 10) + 1), 0);
  const count = steps.reduce((most, step) => Math.max(most, namesOf(step)), furthest);
  const isLast = (step: PlannedStep): boolean =>
    exact.has(`${count - 1}::${step.id}`) || namesOf(step) >= count;
  return { count, lastRank: steps.findLastIndex(isLast) };
}
