import { readdir } from 'node:fs/promises';
import { dirname, parse, resolve, basename, join } from 'node:path';
import type { Coverage, Exploration, ExplorationFinding, WorkflowTestRunner } from '@workflowlookup/analysis';
import { createWorkflowTests, explore } from '@workflowlookup/analysis';
import type { DirectoryReport, Inspection } from '@workflowlookup/host';
import type {
  ActivityPart,
  ActivityWorkflow,
  DefinitionText,
  FindingCode,
  Issue,
  Position,
  Workflow,
  WorkflowTest,
} from '@workflowlookup/schema';
import { WorkflowError, createPositions, readWorkflowTests } from '@workflowlookup/schema';
import { nameOf, leadsInto, readDefinitionText } from '../files.ts';
import { testMessages } from '../messages/authoring.ts';
import type { LintScope } from './lint.ts';
import type { LintFinding } from './lint-report.ts';
import { byPlace, placeFindings, createReport } from './lint-report.ts';
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

export function countTests({
  workflows,
}: Pick<TestReport, 'workflows'>): Readonly<Record<'failed' | 'notRun' | 'passed', number>> {
  const all = workflows.flatMap(({ tests }) => tests);
  const count = (wanted: TestResult['status']): number =>
    all.filter(({ status }) => status === wanted).length;
  return { passed: count('passed'), failed: count('failed'), notRun: count('not-run') };
}

/** Returns coverage in whole percent; 100 only if nothing was missed. */
export function percentOf({ total, missed }: Coverage['branches'] | Coverage['sites']): number {
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
    workflows: trials
      .filter(({ workflow }, at) => subjects[at]?.subject.workflow !== undefined || workflow.tests.length > 0)
      .map(({ workflow }) => workflow),
    findings: unique([...reported, ...explored]).toSorted(byPlace),
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

function unique(findings: readonly LintFinding[]): readonly LintFinding[] {
  const keyOf = (one: LintFinding): string => JSON.stringify([one.path, one.pointer, one.code, one.message]);
  return [...new Map(findings.map((one) => [keyOf(one), one])).values()];
}

interface WorkflowResult extends Pick<TestReport, 'findings'> {
  readonly workflow: TestedWorkflow;
}

/** Runs the tests of a workflow and, if asked, explores its state graph. */
async function testWorkflow(
  { subject, suites }: SubjectWithTests,
  { isExplored }: { readonly isExplored: boolean },
): Promise<WorkflowResult> {
  const { id, path, workflow } = subject;
  const placed = suites.flatMap(({ tests }) => tests);
  const file = nameOf(path);
  if (workflow === undefined) return { workflow: { id, file, tests: placed.map(notRun) }, findings: [] };
  const runner = createWorkflowTests(workflow);
  const tests: TestResult[] = [];
  for (const one of placed) tests.push(await run(runner, one));
  const tried = { id, file, tests, ...(tests.length > 0 && { coverage: runner.coverage() }) };
  if (!isExplored) return { workflow: tried, findings: [] };
  const { findings, ...exploration } = explore(workflow);
  return { workflow: { ...tried, exploration }, findings: await placeExplored(findings, workflow, path) };
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
  const message = testMessages.borrowed(part.id, finding.message);
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

/** A definition with its test files. */
interface SubjectWithTests {
  readonly subject: Subject;
  readonly suites: readonly Suite[];
}

/** Definitions with their tests, and the problems of the test files. */
type Suites = Awaited<ReturnType<typeof findSuites>>;

/** Finds the tests of the definitions of a place. When the user names one test file, returns only what it tests. */
async function findSuites(report: DirectoryReport, scope: TestScope) {
  const subjects = subjectsOf(report);
  const files =
    scope.testsFile === undefined ? await testsIn(subjects.flatMap(foldersOf)) : [scope.testsFile];
  const suites = await Promise.all(files.map((file) => readSuite(file, report.directory)));
  const owned = suites.map((suite) => ({
    suite,
    owner: subjectOf(suite.path, suite.workflow?.id, subjects),
  }));
  const counting = owned.filter(({ owner }) => owner !== undefined || scope.isWhole);
  const wanted = subjects.filter(
    (subject) => scope.testsFile === undefined || owned.some(({ owner }) => owner === subject),
  );
  return {
    subjects: wanted.map((subject): SubjectWithTests => ({
      subject,
      suites: owned.filter(({ owner }) => owner === subject).map(({ suite }) => suite),
    })),
    findings: counting.flatMap(({ suite, owner }) => findingsOf(suite, owner)),
  };
}

function findingsOf(suite: Suite, owner: Subject | undefined): readonly LintFinding[] {
  const { path, issues } = suite;
  const isBroken = issues.some(({ severity }) => severity === 'error');
  const all = owner === undefined && !isBroken ? [...issues, strayTests(suite)] : issues;
  return all.map((issue) => ({ ...issue, path, file: nameOf(path), workflow: owner?.id ?? idIn(suite) }));
}

function strayTests(suite: Suite): Issue {
  const { line, column } = suite.workflow ?? { line: 1, column: 1 };
  return {
    severity: 'error',
    code: 'unknown-workflow',
    pointer: suite.workflow === undefined ? '' : '/workflow',
    message: testMessages.unknownWorkflow(idIn(suite)),
    suggestion: testMessages.nameWorkflow,
    line,
    column,
  };
}

function idIn({ workflow, path }: Suite): string {
  return workflow?.id ?? basename(path).replace(/\.test\.[a-z]+$/, '');
}

interface PlacedTest extends Position {
  readonly test: WorkflowTest;
  /** The file, as shown to people. */
  readonly file: string;
}

/** The content of a test file. */
interface Suite {
  readonly path: string;
  readonly workflow?: Position & { readonly id: string };
  readonly tests: readonly PlacedTest[];
  /** The problems of the file. With an error, it has no tests. */
  readonly issues: readonly Issue[];
}

/** Reads a test file of a source and lists its problems. A link out of the source is not opened. */
async function readSuite(path: string, source: string): Promise<Suite> {
  const name = nameOf(path);
  try {
    if (!(await leadsInto(source, path)))
      return unread(path, 'leaves-source', testMessages.leavesSource(name), testMessages.copyFile);
    const text = await readDefinitionText(path);
    return { path, ...(await readText({ text, format: path.endsWith('.json') ? 'json' : 'yaml' }, path)) };
  } catch (error) {
    if (error instanceof WorkflowError) {
      const isTooLarge = error.data['reason'] === 'too-large';
      return unread(path, isTooLarge ? 'beyond-limits' : 'unreadable-file', error.message);
    }
    if (!isFromSystem(error)) throw error;
    const message = testMessages.unreadable(name, error.code ?? 'unknown');
    return unread(path, 'unreadable-file', message, testMessages.letRead);
  }
}

async function readText(source: DefinitionText, path: string): Promise<Omit<Suite, 'path'>> {
  const { value, issues } = await readWorkflowTests(source);
  if (value === undefined) return { tests: [], issues };
  const positionOf = await createPositions(source);
  const tests = value.tests.map((test, at): PlacedTest => ({
    test,
    file: nameOf(path),
    ...positionOf(`/tests/${at}`),
  }));
  const { workflow: id } = value;
  return { tests, issues, ...(id !== undefined && { workflow: { id, ...positionOf('/workflow') } }) };
}

function isFromSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Returns a test file that can't be read, with the reason. */
function unread(path: string, code: FindingCode, message: string, suggestion?: string): Suite {
  const place = { severity: 'error', pointer: '', line: 1, column: 1 } as const;
  return {
    path,
    tests: [],
    issues: [{ ...place, code, message, ...(suggestion !== undefined && { suggestion }) }],
  };
}

/** A definition that may have tests beside it. */
interface Subject {
  readonly id: string;
  /** Absolute path of the definition, or of the workflow file of an activity workflow. */
  readonly path: string;
  /** Absent if the definition has errors. */
  readonly workflow?: Workflow;
}

/** Returns the definitions of a place, including those with errors. */
function subjectsOf({ directory, workflows, problems }: DirectoryReport): readonly Subject[] {
  const served = workflows.map(({ workflow, file }): Subject => ({
    id: workflow.id,
    path: resolve(directory, file),
    workflow,
  }));
  const known = new Set(served.map(({ path }) => path));
  const broken = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ id, file }): Subject => ({ id, path: resolve(directory, file) }))
    .filter(({ path }) => !known.has(path));
  return [...served, ...broken];
}

/**
 * Returns the folders that may hold tests of a definition: its own, and for an activity workflow also the parent of
 * its folder.
 */
function foldersOf({ path, workflow }: Subject): readonly string[] {
  const folder = dirname(path);
  return workflow?.kind === 'activities' ? [folder, dirname(folder)] : [folder];
}

/**
 * Returns the definition that a test file belongs to. A file that names an id belongs to the workflow with that id;
 * otherwise the part of its name before `.test` must be the file name or the id of a definition. Definitions beside
 * the file come first.
 */
function subjectOf(
  testsFile: string,
  named: string | undefined,
  subjects: readonly Subject[],
): Subject | undefined {
  const folder = dirname(testsFile);
  const near = subjects.filter((subject) => foldersOf(subject).includes(folder));
  const stem = stemOf(testsFile);
  const sameName = near.find(({ path }) => dirname(path) === folder && stemOf(path) === stem);
  const id = named ?? stem;
  const byId = [...near, ...subjects].find((subject) => subject.id === id);
  return named === undefined ? (sameName ?? byId) : byId;
}

function stemOf(path: string): string {
  return basename(path).replace(/(?:\.test)?\.[a-z]+$/, '');
}

export function isTestsFile(path: string): boolean {
  return /.\.test\.(?:json|ya?ml)$/.test(basename(path));
}

/**
 * Returns the test files in folders, sorted. Unreadable folders are skipped because reading the definitions reports
 * them.
 */
async function testsIn(folders: Iterable<string>): Promise<readonly string[]> {
  const found = await Promise.all(
    Array.from(new Set(folders), async (folder) => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      return entries
        .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && isTestsFile(entry.name))
        .map(({ name }) => join(folder, name));
    }),
  );
  return found.flat().toSorted();
}
