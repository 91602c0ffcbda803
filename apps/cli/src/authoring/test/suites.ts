import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { DirectoryReport } from '@workflowlookup/host';
import type { DefinitionText, Issue, Position, Workflow, WorkflowTest } from '@workflowlookup/schema';
import { WorkflowError, createPositions, readWorkflowTests } from '@workflowlookup/schema';
import { leadsInto, nameOf, readDefinitionText } from '../../files.ts';
import type { LintFinding } from '../lint/report.ts';
import type { TestScope } from './test.ts';

/** A definition with its test files. */
export interface SubjectWithTests {
  readonly subject: Subject;
  readonly suites: readonly Suite[];
}

/** Definitions with their tests, and the problems of the test files. */
export interface Suites {
  readonly subjects: readonly SubjectWithTests[];
  readonly findings: readonly LintFinding[];
}

/** Finds the tests of the definitions of a place. When the user names one test file, returns only what it tests. */
export async function findSuites(report: DirectoryReport, scope: TestScope): Promise<Suites> {
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
    subjects: wanted.map((subject) => ({
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
    message: `These are tests of '${idIn(suite)}', which is not among the definitions here`,
    suggestion: "Name the workflow under 'workflow', or move the tests beside it",
    line,
    column,
  };
}

function idIn({ workflow, path }: Suite): string {
  return workflow?.id ?? basename(path).replace(/\.test\.[a-z]+$/, '');
}

export interface PlacedTest extends Position {
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
  try {
    if (!(await leadsInto(source, path))) return { path, tests: [], issues: [leavesSource(path)] };
    const text = await readDefinitionText(path);
    return { path, ...(await readText({ text, format: path.endsWith('.json') ? 'json' : 'yaml' }, path)) };
  } catch (error) {
    if (error instanceof WorkflowError) return { path, tests: [], issues: [refused(error)] };
    if (!isFromSystem(error)) throw error;
    return { path, tests: [], issues: [unreadable(path, error)] };
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

function unreadable(path: string, { code = 'unknown' }: NodeJS.ErrnoException): Issue {
  return {
    ...ofWholeFile,
    code: 'unreadable-file',
    message: `'${nameOf(path)}' can't be read (${code})`,
    suggestion: 'Let this user read it',
  };
}

function refused({ message, data }: WorkflowError): Issue {
  const code = data['reason'] === 'too-large' ? 'beyond-limits' : 'unreadable-file';
  return { ...ofWholeFile, code, message };
}

function leavesSource(path: string): Issue {
  return {
    ...ofWholeFile,
    code: 'leaves-source',
    message: `'${nameOf(path)}' is a symbolic link that leaves its source`,
    suggestion: 'Copy the file into the source',
  };
}

const ofWholeFile = { severity: 'error', pointer: '', line: 1, column: 1 } as const;

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
