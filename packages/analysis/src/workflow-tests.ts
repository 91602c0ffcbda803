import type {
  Expectation,
  ExpectedRefusal,
  Workflow,
  WorkflowTest,
  EachTime,
  JsonObject,
} from '@workflowlookup/schema';
import { canonicalJson, didYouMean, walkActivitySteps, walkSteps } from '@workflowlookup/schema';
import {
  runnableOf,
  accountForSteps,
  valuesOfFields,
  evaluateMove,
  judgeStep,
  nextCalls,
  stepIdOf,
  withItem,
} from '@workflowlookup/core/decisions';
import type { Values, ManifestEntry } from '@workflowlookup/core/sessions';
import { coverageOf, createRecord, stateGraphOf } from './exploration/explore.ts';
import type { Coverage } from './exploration/explore.ts';
import type {
  EvaluatedWork,
  OpenCheckpoint,
  PlannedLoop,
  Runnable,
  SessionCommand,
  SessionState,
  StepInstance,
} from '@workflowlookup/core/decisions';
import { failures, stops } from './messages.ts';
import type { StateTransition } from './unstored-session.ts';
import { carryOut, startUnstored } from './unstored-session.ts';

/** Runs the tests of one workflow, each in a session of its own that is not stored. */
export interface WorkflowTestRunner {
  run(test: WorkflowTest): Promise<TestResult>;
  /** Returns the combined coverage of the tests that were run. */
  coverage(): Coverage;
}

/**
 * Prepares the tests of a workflow. Test sessions are strict, so a deviation that only causes a warning in an advisory
 * session ends a test.
 *
 * @throws WorkflowError INVALID_WORKFLOW if the workflow has an error that reading it would have reported
 * @see docs/authoring.md#testing-a-workflow
 * @example
 * ```ts
 * const tests = createWorkflowTests(workflow);
 * const { failures } = await tests.run({ name: 'asks first', answers: { publish: 'yes' }, expect: { path: ['prepare', 'tag'] } });
 * ```
 */
export function createWorkflowTests(workflow: Workflow): WorkflowTestRunner {
  const stateGraph = stateGraphOf(workflow);
  const record = createRecord(stateGraph);
  return {
    async run(test) {
      const testRun = await runScript(runnableOf(workflow), test, (transition) => record.add(transition));
      const differences = [...strangeNames(workflow, test), ...compareTestRun(test, testRun)];
      return { name: test.name, ...testRun, failures: differences };
    },
    coverage: () => coverageOf(stateGraph, record),
  };
}

/** An output that criteria refused. */
export interface RefusedOutput {
  readonly step: string;
  readonly issues: readonly string[];
}

/** The result of a walk. */
export interface TestRun {
  /** Steps or activities in the order in which they were entered. */
  readonly path: readonly string[];
  readonly refused: readonly RefusedOutput[];
  readonly warnings: readonly string[];
  readonly variables: Values;
  readonly outcome: 'completed' | 'unfinished';
  /** Why it stopped early; absent if the workflow was completed. */
  readonly stop?: string;
}

/** How a test came out. */
export interface TestResult extends TestRun {
  readonly name: string;
  /** The differences from the test's expectations; empty if it passes. */
  readonly failures: readonly string[];
}

function compareTestRun({ expect = {} }: WorkflowTest, found: TestRun): readonly string[] {
  return [
    ...outcomeOf(expect, found),
    ...pathOf(expect, found),
    ...reachedOf(expect, found),
    ...refusalsOf(expect, found),
    ...variablesOf(expect, found),
    ...warningsOf(expect, found),
  ];
}

function outcomeOf({ outcome = 'completed' }: Expectation, found: TestRun): readonly string[] {
  if (outcome === found.outcome) return [];
  return [outcome === 'completed' ? failures.notCompleted(found.stop) : failures.completed];
}

function pathOf({ path }: Expectation, found: TestRun): readonly string[] {
  if (path === undefined) return [];
  const length = Math.max(path.length, found.path.length);
  for (let at = 0; at < length; at += 1) {
    const [wanted, came] = [path[at], found.path[at]];
    if (wanted !== undefined && came !== undefined && isMeant(wanted, came)) continue;
    return [failures.otherPath(at + 1, wanted, came)];
  }
  return [];
}

/** Returns whether a test means an instance. An id without an iteration means every iteration. */
function isMeant(id: string, instance: string): boolean {
  return id === instance || id === stepIdOf(instance);
}

function reachedOf({ reached = [], notReached = [] }: Expectation, { path }: TestRun): readonly string[] {
  const isReached = (id: string): boolean => path.some((instance) => isMeant(id, instance));
  return [
    ...reached.filter((id) => !isReached(id)).map(failures.notReached),
    ...notReached.filter(isReached).map(failures.reached),
  ];
}

function refusalsOf({ refused = [] }: Expectation, found: TestRun): readonly string[] {
  const wanted = refused.map((one): ExpectedRefusal => (typeof one === 'string' ? { step: one } : one));
  const stray = found.refused.slice(wanted.length);
  return [
    ...wanted.flatMap(({ step, because }, at) => {
      const came = found.refused[at];
      if (came === undefined || !isMeant(step, came.step)) return [failures.notRefused(step, came?.step)];
      return because === undefined || came.issues.join('; ').includes(because)
        ? []
        : [failures.otherRefusal(came.step, came.issues, because)];
    }),
    ...stray.map(({ step, issues }) => failures.refused(step, issues)),
  ];
}

function variablesOf({ variables = {} }: Expectation, found: TestRun): readonly string[] {
  return Object.entries(variables).flatMap(([name, wanted]) => {
    const value = Object.hasOwn(found.variables, name) ? (found.variables[name] ?? null) : null;
    return canonicalJson(value) === canonicalJson(wanted) ? [] : [failures.otherValue(name, value, wanted)];
  });
}

function warningsOf({ warnings = [] }: Expectation, found: TestRun): readonly string[] {
  return [
    ...warnings
      .filter((part) => !found.warnings.some((warning) => warning.includes(part)))
      .map(failures.noWarning),
    ...found.warnings
      .filter((warning) => !warnings.some((part) => warning.includes(part)))
      .map(failures.unexpectedWarning),
  ];
}

/**
 * Returns a sentence for each name in a test that its workflow does not have. A misspelt name in an expectation fails
 * by itself; other misspelt names would silently have no effect.
 */
function strangeNames(workflow: Workflow, test: WorkflowTest): readonly string[] {
  const { steps, places, checkpoints } = namesIn(workflow);
  const said: readonly [where: string, noun: string, known: readonly string[], ids: readonly string[]][] = [
    ['outputs', 'step', steps, Object.keys(test.outputs ?? {})],
    ['sets', 'step or activity', places, Object.keys(test.sets ?? {})],
    ['answers', 'checkpoint', checkpoints, Object.keys(test.answers ?? {})],
    ['notReached', 'step or activity', places, test.expect?.notReached ?? []],
  ];
  return said.flatMap(([where, noun, known, ids]) =>
    ids
      .filter((id) => !known.includes(lastPart(id)))
      .map((id) => failures.unknownName(id, where, noun, didYouMean(lastPart(id), known))),
  );
}

/** Returns the names of steps, of the steps or activities that a session is at, and of checkpoints. */
function namesIn(
  workflow: Workflow,
): Readonly<Record<'checkpoints' | 'places' | 'steps', readonly string[]>> {
  if (workflow.kind === 'steps') {
    const walked = walkSteps(workflow.definition.steps).filter(({ step }) => step.type !== 'loop');
    const steps = walked.map(({ step }) => step.id);
    return { steps, places: steps, checkpoints: ['confirm'] };
  }
  const activities = workflow.activities.map(({ definition }) => definition);
  return {
    steps: activities.flatMap((activity) => [...walkActivitySteps(activity)].map(({ step }) => step.id)),
    places: activities.map(({ id }) => id),
    checkpoints: activities.flatMap(({ checkpoints = [] }) => checkpoints.map(({ id }) => id)),
  };
}

/** Returns the last part of `loop@1::step` or `activity::step`. */
function lastPart(id: string): string {
  return id.slice(id.lastIndexOf(':') + 1);
}

/** A walk with more steps than this counts as endless. */
const maxSteps = 2000;

/** A walk in progress. */
interface ScriptRun {
  readonly runnable: Runnable;
  readonly test: WorkflowTest;
  readonly script: Script;
  readonly onTransition: (transition: StateTransition) => void;
  readonly path: string[];
  readonly refused: RefusedOutput[];
  readonly warnings: string[];
}

/** The result of a step of a walk: the next state, or the reason why the walk stops. */
type Outcome = { readonly state: SessionState } | { readonly stop: string };

/** Runs a test in a strict session until the workflow is completed or the test has no more inputs. */
async function runScript(
  runnable: Runnable,
  test: WorkflowTest,
  onTransition: (transition: StateTransition) => void,
): Promise<TestRun> {
  const found = { path: [], refused: [], warnings: [] };
  const walk: ScriptRun = { runnable, test, script: createScript(test), onTransition, ...found };
  let state = startUnstored(runnable.navigator, { enforcement: 'strict' });
  for (let count = 0; count < maxSteps; count += 1) {
    const { variables, status } = state;
    if (status === 'completed') return { ...found, variables, outcome: 'completed' };
    const outcome = await goOn(walk, state);
    if ('stop' in outcome) return { ...found, variables, outcome: 'unfinished', stop: outcome.stop };
    state = outcome.state;
  }
  const stop = stops.tooManySteps(maxSteps);
  return { ...found, variables: state.variables, outcome: 'unfinished', stop };
}

async function goOn(walk: ScriptRun, state: SessionState): Promise<Outcome> {
  const { runnable, script, test } = walk;
  if (state.gate !== undefined) return answer(walk, state, state.gate);
  const checkpoint = checkpointToYield(walk, state);
  if (checkpoint !== undefined) return applyCommand(walk, state, { kind: 'yield', checkpointId: checkpoint });
  if (state.current === undefined)
    return applyCommand(walk, state, { kind: 'move', variables: test.context ?? {} });
  const variables = script.sets.next(state.current, state.current) ?? {};
  const work = await doWork(runnable, state, script, variables);
  walk.refused.push(...work.refused);
  return 'stop' in work
    ? { stop: work.stop }
    : applyCommand(walk, state, { kind: 'move', variables, manifest: work.manifest });
}

/** Some options require a note. */
const note = 'Answered by a test.';

function answer(walk: ScriptRun, state: SessionState, { checkpoint, activity }: OpenCheckpoint): Outcome {
  const option = walk.script.answers.next(activity, checkpoint);
  return option === undefined
    ? { stop: stops.unanswered(checkpoint, activity) }
    : applyCommand(walk, state, { kind: 'answer', mode: { kind: 'option', option }, by: 'human', note });
}

/** Returns the first checkpoint that must be yielded, or else an optional one that the test has an answer to. */
function checkpointToYield(
  { runnable: { navigator }, script }: ScriptRun,
  state: SessionState,
): string | undefined {
  const { work } = evaluateMove(state, { kind: 'move' }, navigator);
  if (work === undefined) return undefined;
  const [due] = work.openCheckpoints;
  if (due !== undefined) return due.id;
  const offered = nextCalls(state, navigator, 'declared').flatMap((call) =>
    call.kind === 'yield' ? call.checkpoint : [],
  );
  return offered.find((id) => script.answers.count(work.place.id, id) > 0);
}

function applyCommand(walk: ScriptRun, before: SessionState, command: SessionCommand): Outcome {
  // Outputs are judged before they are submitted.
  const done = carryOut(walk.runnable.navigator, before, command);
  if ('refusal' in done) return { stop: done.refusal.message };
  if (done.event.type === 'activity-entered') walk.path.push(done.event.activity);
  walk.warnings.push(...done.warnings);
  walk.onTransition(done);
  return { state: done.after };
}

/** The accepted outputs of an activity, or the step that has none. */
type Work = { readonly refused: readonly RefusedOutput[] } & (
  | { readonly manifest: readonly ManifestEntry[] }
  | { readonly stop: string }
);

/** Submits the test's outputs for the current activity. A refused output is replaced by the next one. */
async function doWork(
  runnable: Runnable,
  state: SessionState,
  script: Script,
  variables: Values,
): Promise<Work> {
  const { work } = evaluateMove(state, { kind: 'move', variables }, runnable.navigator);
  if (work === undefined) return { refused: [], manifest: [] };
  const refused: RefusedOutput[] = [];
  const manifest: ManifestEntry[] = [];
  for (const due of requiredOutputs(work, script)) {
    const { id, otherwise } = due;
    let output = script.outputs.next(work.place.id, id) ?? otherwise;
    for (let issues = await issuesOf(due, output, work); output !== undefined && issues.length > 0;) {
      refused.push({ step: id, issues });
      output = script.outputs.further(work.place.id, id);
      issues = await issuesOf(due, output, work);
    }
    if (output === undefined) return { refused, stop: lacking(due, refused) };
    manifest.push({ step_id: id, output });
  }
  return { refused, manifest };
}

async function issuesOf(
  { step, item }: RequiredOutput,
  output: string | undefined,
  { place, account }: EvaluatedWork,
): Promise<readonly string[]> {
  if (output === undefined) return [];
  const set = { ...account.values, ...valuesOfFields(step, output) };
  const context = withItem({ ...place.context, ...set }, item);
  const verdict = await judgeStep(step, output, { context });
  return verdict?.issues ?? [];
}

function lacking({ id, step }: RequiredOutput, refused: readonly RefusedOutput[]): string {
  const last = refused.at(-1);
  return last?.step === id
    ? stops.outputRefused(id, last.issues)
    : stops.noOutput(id, step.fields === undefined ? 'criteria' : 'fields');
}

/** A step to submit an output for, under the id that a manifest uses. */
interface RequiredOutput extends Pick<StepInstance, 'id' | 'item' | 'step'> {
  /** The output to submit if the test has none. Absent for a step with criteria or fields. */
  readonly otherwise?: string;
}

/**
 * Returns the steps that a manifest names: the required ones, and the optional ones the test has outputs for. A loop
 * with a condition gets at least as many iterations as the test has outputs for one of its steps.
 */
function requiredOutputs({ place, account }: EvaluatedWork, script: Script): readonly RequiredOutput[] {
  const isWanted = (instance: StepInstance, due: readonly StepInstance[]): boolean =>
    due.includes(instance) || script.outputs.count(place.id, instance.id) > 0;
  const foreseen = account.open
    .filter((instance) => isWanted(instance, account.required))
    .map(({ id }) => id);
  const scripted = place.loops.flatMap((loop) => iterationsOf(loop, place.id, script));
  const names = [...new Set([...foreseen, ...scripted])];
  const { open, required } = accountForSteps(
    place,
    names.map((id) => ({ step_id: id, output: '' })),
  );
  return open
    .filter((instance) => isWanted(instance, required))
    .map(({ id, step, item }) => ({
      id,
      step,
      item,
      ...(step.criteria === undefined && step.fields === undefined ? { otherwise: 'Done.' } : {}),
    }));
}

function iterationsOf({ id, type, steps }: PlannedLoop, activity: string, script: Script): readonly string[] {
  if (type === 'forEach') return [];
  const count = Math.max(0, ...steps.map((step) => script.outputs.count(activity, step.id)));
  const iterations = Array.from({ length: count }, (_, iteration) => `${id}@${iteration}`);
  return iterations.flatMap((iteration) => steps.map((step) => `${iteration}::${step.id}`));
}

/** The inputs of a test, each used when it is needed. */
interface Script {
  /** By step. */
  readonly outputs: Supply<string>;
  /** Variables to set on leaving a place, by its id. */
  readonly sets: Supply<JsonObject>;
  /** By checkpoint. */
  readonly answers: Supply<string>;
}

function createScript(test: WorkflowTest): Script {
  return {
    outputs: createSupply(test.outputs, (output) =>
      typeof output === 'string' ? output : JSON.stringify(output, undefined, 2),
    ),
    sets: createSupply(test.sets, (values) => values),
    answers: createSupply(test.answers, (option) => option),
  };
}

/** Values by id, used one after the other. If one thing has several ids, the first id with values is used. */
interface Supply<Value> {
  count(activity: string, id: string): number;
  /** Returns the next value, repeating the last one. */
  next(activity: string, id: string): Value | undefined;
  /** Returns the next value, or `undefined` if there is none. */
  further(activity: string, id: string): Value | undefined;
}

function createSupply<Given, Value>(
  table: { readonly [id: string]: EachTime<Given> } = {},
  valueOf: (given: Given) => Value,
): Supply<Value> {
  const taken = new Map<string, number>();
  const find = (activity: string, part: string): { readonly id: string; readonly all: readonly Given[] } => {
    const id = idsOf(activity, part).find((known) => Object.hasOwn(table, known));
    const given = id === undefined ? undefined : table[id];
    const all = given === undefined ? [] : ((Array.isArray(given) ? given : [given]) as readonly Given[]);
    return { id: id ?? '', all };
  };
  const further = (activity: string, part: string): Value | undefined => {
    const { id, all } = find(activity, part);
    const at = taken.get(id) ?? 0;
    taken.set(id, at + 1);
    const given = all[at];
    return given === undefined ? undefined : valueOf(given);
  };
  return {
    count: (activity, id) => find(activity, id).all.length,
    next(activity, id) {
      const last = find(activity, id).all.at(-1);
      return further(activity, id) ?? (last === undefined ? undefined : valueOf(last));
    },
    further,
  };
}

/** Returns the ids that a test may use for a part of an activity, the most specific first. */
function idsOf(activity: string, id: string): readonly string[] {
  const bare = stepIdOf(id);
  return [...new Set([`${activity}::${id}`, `${stepIdOf(activity)}::${bare}`, id, bare])];
}
