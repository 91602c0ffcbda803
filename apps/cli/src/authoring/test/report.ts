import { dirname, parse, resolve } from 'node:path';
import type { Coverage, Exploration, ExplorationFinding, WorkflowTestRunner } from '@workflowlookup/analysis';
import { createWorkflowTests, explore } from '@workflowlookup/analysis';
import type { Inspection } from '@workflowlookup/host';
import type { ActivityPart, ActivityWorkflow, Workflow } from '@workflowlookup/schema';
import { nameOf } from '../../files.ts';
import type { LintScope } from '../lint/lint.ts';
import type { LintFinding } from '../lint/report.ts';
import { byPlace, placeFindings, createReport } from '../lint/report.ts';
import type { PlacedTest, SubjectWithTests, Suites } from './suites.ts';
import { findSuites } from './suites.ts';
import type { TestScope } from './test.ts';

export interface TestResult {
  readonly name: string;
  /** The file of the test, as shown to people. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `not-run` means that the workflow has errors and can't be served. */
  readonly status: 'failed' | 'not-run' | 'passed';
  /** The differences from what the test expects, one sentence each. */
  readonly failures: readonly string[];
  /** The steps or activities that the test entered, in order. */
  readonly path: readonly string[];
}

export interface TestedWorkflow {
  readonly id: string;
  /** The file of the definition, as shown to people. */
  readonly file: string;
  readonly tests: readonly TestResult[];
  /** What the tests covered together. Absent if no test ran. */
  readonly coverage?: Coverage;
  /** Absent if `--no-explore` is set or the workflow has errors. */
  readonly exploration?: Omit<Exploration, 'findings'>;
}

export interface TestReport {
  readonly checked: number;
  /** The workflows that can be served, and others that have tests, sorted by file. */
  readonly workflows: readonly TestedWorkflow[];
  /** Sorted by file and position. */
  readonly findings: readonly LintFinding[];
}

export function countTests({ workflows }: Pick<TestReport, 'workflows'>): {
  readonly passed: number;
  readonly failed: number;
  readonly notRun: number;
} {
  const all = workflows.flatMap(({ tests }) => tests);
  const count = (wanted: TestResult['status']): number =>
    all.filter(({ status }) => status === wanted).length;
  return { passed: count('passed'), failed: count('failed'), notRun: count('not-run') };
}

/** Returns coverage in whole percent; 100 only if nothing was missed. */
export function percentOf({
  total,
  missed,
}: {
  readonly total: number;
  readonly missed: readonly unknown[];
}): number {
  return total === 0 ? 100 : Math.floor((100 * (total - missed.length)) / total);
}

/** Lints, tests and explores the definitions of an inspection whose places are these scopes. */
export async function createTestReport(
  inspection: Inspection,
  scopes: readonly TestScope[],
  options: { readonly isExplored: boolean },
): Promise<TestReport> {
  const reports = await inspection.reports();
  const suites = await Promise.all(
    reports.flatMap((report, at) => {
      const scope = scopes[at];
      return scope === undefined ? [] : [findSuites(report, scope)];
    }),
  );
  const { findings: linted } = await createReport(inspection, lintScopes(scopes, suites));
  const subjects = bySubject(suites.flatMap((found) => found.subjects));
  const wrong = new Set(linted.flatMap(({ severity, workflow }) => (severity === 'error' ? workflow : [])));
  const trials: WorkflowResult[] = [];
  for (const one of subjects) {
    // Exploring a workflow with errors would only report the same errors again.
    const isExplored = options.isExplored && !wrong.has(one.subject.id);
    trials.push(await testWorkflow(one, { isExplored }));
  }
  const reported = [...linted, ...suites.flatMap(({ findings }) => findings)];
  const explored = trials.flatMap(({ findings }) => findings).filter((one) => !isReported(one, reported));
  return {
    checked: subjects.length,
    workflows: trials.flatMap(({ workflow, isServed }) =>
      isServed || workflow.tests.length > 0 ? workflow : [],
    ),
    findings: [...new Map([...reported, ...explored].map((one) => [keyOf(one), one])).values()].toSorted(
      byPlace,
    ),
  };
}

/** When the user names one test file, lint reports only on the workflow that it tests. */
function lintScopes(scopes: readonly TestScope[], suites: readonly Suites[]): readonly LintScope[] {
  return scopes.map(({ place, testsFile }, at) => {
    const ids = suites[at]?.subjects.map(({ subject }) => subject.id);
    return { place, ...(testsFile !== undefined && { workflows: new Set(ids) }) };
  });
}

/** Merges definitions that several paths lead to, with all of their tests. */
function bySubject(found: readonly SubjectWithTests[]): readonly SubjectWithTests[] {
  const byPath = new Map<string, SubjectWithTests>();
  for (const { subject, suites } of found) {
    const known = byPath.get(subject.path)?.suites ?? [];
    const all = new Map([...known, ...suites].map((suite) => [suite.path, suite]));
    byPath.set(subject.path, { subject, suites: [...all.values()] });
  }
  return [...byPath.values()].toSorted((a, b) => (a.subject.path < b.subject.path ? -1 : 1));
}

/** Returns whether lint already reported the problem. */
function isReported(finding: LintFinding, reported: readonly LintFinding[]): boolean {
  return reported.some(
    ({ path, pointer, code }) =>
      path === finding.path && pointer === finding.pointer && code === finding.code,
  );
}

function keyOf({ path, pointer, code, message }: LintFinding): string {
  return JSON.stringify([path, pointer, code, message]);
}

interface WorkflowResult {
  readonly workflow: TestedWorkflow;
  readonly isServed: boolean;
  readonly findings: readonly LintFinding[];
}

/** Runs the tests of a workflow and, if asked, explores its state graph. */
async function testWorkflow(
  { subject, suites }: SubjectWithTests,
  { isExplored }: { readonly isExplored: boolean },
): Promise<WorkflowResult> {
  const { id, path, workflow } = subject;
  const placed = suites.flatMap(({ tests }) => tests);
  const file = nameOf(path);
  if (workflow === undefined) {
    return { workflow: { id, file, tests: placed.map(notRun) }, isServed: false, findings: [] };
  }
  const runner = createWorkflowTests(workflow);
  const tests: TestResult[] = [];
  for (const one of placed) tests.push(await run(runner, one));
  const tried = { id, file, tests, ...(tests.length > 0 && { coverage: runner.coverage() }) };
  if (!isExplored) return { workflow: tried, isServed: true, findings: [] };
  const { findings, ...exploration } = explore(workflow);
  return {
    workflow: { ...tried, exploration },
    isServed: true,
    findings: await placeExplored(findings, workflow, path),
  };
}

function notRun({ test: { name }, ...place }: PlacedTest): TestResult {
  return { name, ...place, status: 'not-run', failures: [], path: [] };
}

async function run(runner: WorkflowTestRunner, { test, ...place }: PlacedTest): Promise<TestResult> {
  const { name, failures, path } = await runner.run(test);
  return { name, ...place, status: failures.length === 0 ? 'passed' : 'failed', failures, path };
}

/** Adds files and positions to the problems that exploring found. */
async function placeExplored(
  found: readonly ExplorationFinding[],
  workflow: Workflow,
  path: string,
): Promise<readonly LintFinding[]> {
  const findings = found.map((finding): LintFinding => {
    const { file, ...rest } = workflow.kind === 'steps' ? finding : atHome(finding, workflow);
    const own = file === undefined ? path : resolve(dirname(path), file);
    return { ...rest, file: nameOf(own), path: own, workflow: workflow.id, line: 1, column: 1 };
  });
  return placeFindings(findings);
}

/** Moves a problem in an activity of another workflow to the reference to it, as lint does. */
function atHome(finding: ExplorationFinding, workflow: ActivityWorkflow): ExplorationFinding {
  const part = workflow.activities.find(({ file }) => file === finding.file);
  if (part?.lender === undefined) return finding;
  const { file: _file, ...rest } = finding;
  const message = `Borrowed activity '${part.id}': ${finding.message}`;
  return { ...rest, pointer: borrowedAt(part, workflow), message };
}

function borrowedAt({ lender, file }: ActivityPart, { definition }: ActivityWorkflow): string {
  const at = (definition.activities ?? []).findIndex((entry) => {
    if (typeof entry !== 'string' || !entry.startsWith(`${lender}/`)) return false;
    const [wanted, found] = [parse(entry).name, parse(file).name];
    return found === wanted || found.replace(/^\d+-/, '') === wanted;
  });
  return at < 0 ? '/activities' : `/activities/${at}`;
}
