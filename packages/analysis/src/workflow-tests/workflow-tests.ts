import type { Expectation, ExpectedRefusal, Json, Workflow, WorkflowTest } from '@workflowlookup/schema';
import { canonicalJson, didYouMean, walkActivitySteps, walkSteps } from '@workflowlookup/schema';
import { runnableOf } from '@workflowlookup/core/decisions';
import type { Values } from '@workflowlookup/core/sessions';
import { coverageOf, createRecord } from '../exploration/coverage.ts';
import type { Coverage } from '../exploration/explore.ts';
import { stateGraphOf } from '../exploration/explore.ts';
import { bareId, runScript } from './run-script.ts';

/** Runs the tests of one workflow, each as a session of its own that is kept nowhere. */
export interface WorkflowTestRunner {
  run(test: WorkflowTest): Promise<TestResult>;
  /** Returns the combined coverage of the tests that were run. */
  coverage(): Coverage;
}

/**
 * Prepares the tests of a workflow. Test sessions are strict: what an advisory session would only warn about ends a
 * test too.
 *
 * @throws WorkflowError INVALID_WORKFLOW for what the checks of reading would have refused
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
      const failures = [...strangeNames(workflow, test), ...compareTestRun(test, testRun)];
      return { name: test.name, ...testRun, failures };
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
  return outcome === 'completed'
    ? [`The workflow was not completed. ${found.stop ?? ''}`.trim()]
    : ['The workflow was completed, and was expected not to be.'];
}

function pathOf({ path }: Expectation, found: TestRun): readonly string[] {
  if (path === undefined) return [];
  const length = Math.max(path.length, found.path.length);
  for (let at = 0; at < length; at += 1) {
    const [wanted, came] = [path[at], found.path[at]];
    if (wanted !== undefined && came !== undefined && isMeant(wanted, came)) continue;
    return [`Position ${at + 1} of the path: expected ${nameOf(wanted)}, found ${nameOf(came)}.`];
  }
  return [];
}

function nameOf(id: string | undefined): string {
  return id === undefined ? 'the end' : `'${id}'`;
}

/** Returns whether a test means an instance. An id without a round means every round. */
function isMeant(id: string, instance: string): boolean {
  return id === instance || id === bareId(instance);
}

function reachedOf({ reached = [], notReached = [] }: Expectation, { path }: TestRun): readonly string[] {
  const isReached = (id: string): boolean => path.some((instance) => isMeant(id, instance));
  return [
    ...reached.filter((id) => !isReached(id)).map((id) => `'${id}' was not reached.`),
    ...notReached.filter(isReached).map((id) => `'${id}' was reached, and was expected not to be.`),
  ];
}

function refusalsOf({ refused = [] }: Expectation, found: TestRun): readonly string[] {
  const wanted = refused.map((one): ExpectedRefusal => (typeof one === 'string' ? { step: one } : one));
  const stray = found.refused.slice(wanted.length);
  return [
    ...wanted.flatMap(({ step, because }, at) => {
      const came = found.refused[at];
      if (came === undefined || !isMeant(step, came.step))
        return [
          `The output of '${step}' was expected to be refused${came === undefined ? '' : `, not that of '${came.step}'`}.`,
        ];
      const said = came.issues.join('; ');
      return because === undefined || said.includes(because)
        ? []
        : [`The output of '${came.step}' was refused because of '${said}', expected '${because}'.`];
    }),
    ...stray.map(({ step, issues }) => `The output of '${step}' was refused: ${issues.join('; ')}.`),
  ];
}

function variablesOf({ variables = {} }: Expectation, found: TestRun): readonly string[] {
  return Object.entries(variables).flatMap(([name, wanted]) => {
    const value = Object.hasOwn(found.variables, name) ? (found.variables[name] ?? null) : null;
    return canonicalJson(value) === canonicalJson(wanted)
      ? []
      : [`Variable '${name}' is ${show(value)} at the end, expected ${show(wanted)}.`];
  });
}

function show(value: Json): string {
  return value === null ? 'not set' : JSON.stringify(value);
}

function warningsOf({ warnings = [] }: Expectation, found: TestRun): readonly string[] {
  return [
    ...warnings
      .filter((part) => !found.warnings.some((warning) => warning.includes(part)))
      .map((part) => `No warning says '${part}'.`),
    ...found.warnings
      .filter((warning) => !warnings.some((part) => warning.includes(part)))
      .map((warning) => `A warning came that was not expected: ${warning}`),
  ];
}

interface Names {
  readonly step: ReadonlySet<string>;
  /** Names of steps of a step workflow, or of activities. */
  readonly place: ReadonlySet<string>;
  readonly checkpoint: ReadonlySet<string>;
}

/**
 * Returns a sentence for each name in a test that its workflow does not have. A misspelt name in an expectation fails
 * by itself; other misspelt names would silently have no effect.
 */
function strangeNames(workflow: Workflow, test: WorkflowTest): readonly string[] {
  const names = namesIn(workflow);
  const said: readonly [where: string, kind: keyof Names, ids: readonly string[]][] = [
    ['outputs', 'step', Object.keys(test.outputs ?? {})],
    ['sets', 'place', Object.keys(test.sets ?? {})],
    ['answers', 'checkpoint', Object.keys(test.answers ?? {})],
    ['notReached', 'place', test.expect?.notReached ?? []],
  ];
  return said.flatMap(([where, kind, ids]) =>
    ids.filter((id) => !names[kind].has(lastPart(id))).map((id) => sentence(id, where, [kind, names])),
  );
}

function namesIn(workflow: Workflow): Names {
  if (workflow.kind === 'steps') {
    const walked = [...walkSteps(workflow.definition.steps)].filter(({ step }) => step.type !== 'loop');
    const step = new Set(walked.map((one) => one.step.id));
    return { step, place: step, checkpoint: new Set(['confirm']) };
  }
  const activities = workflow.activities.map(({ definition }) => definition);
  return {
    step: new Set(
      activities.flatMap((activity) => [...walkActivitySteps(activity)].map(({ step }) => step.id)),
    ),
    place: new Set(activities.map(({ id }) => id)),
    checkpoint: new Set(activities.flatMap(({ checkpoints = [] }) => checkpoints.map(({ id }) => id))),
  };
}

/** Returns the last part of `loop@1::step` or `activity::step`. */
function lastPart(id: string): string {
  return id.slice(id.lastIndexOf(':') + 1);
}

function sentence(id: string, where: string, [kind, known]: readonly [keyof Names, Names]): string {
  const meant = didYouMean(lastPart(id), [...known[kind]]);
  const hint = meant === undefined ? '' : `; '${meant}' may be meant`;
  return `The test names '${id}' under '${where}', and the workflow has no such ${nouns[kind]}${hint}.`;
}

const nouns = { step: 'step', place: 'step or activity', checkpoint: 'checkpoint' } as const;
