import { basename } from 'node:path';
import type { PlaceReport } from '@workflowlookup/host';
import type { Issue } from '@workflowlookup/schema';
import type { LintFinding } from '../lint/lint-report.ts';
import { nameOf } from '../name-of.ts';
import type { Suite } from './read-suite.ts';
import { readSuite } from './read-suite.ts';
import type { Subject } from './subject.ts';
import { foldersOf, subjectOf, subjectsOf } from './subject.ts';
import type { TestScope } from './test-scope.ts';
import { testsIn } from './tests-beside.ts';

/** A definition, and the files of tests that are of it. */
export interface SubjectWithTests {
  readonly subject: Subject;
  readonly suites: readonly Suite[];
}

/** Definitions with their tests, and what is wrong with files of tests. */
export interface Suites {
  readonly subjects: readonly SubjectWithTests[];
  readonly findings: readonly LintFinding[];
}

/** Finds the tests of the definitions of a place. Where one file of tests is asked for, only what it tests counts. */
export async function findSuites(report: PlaceReport, scope: TestScope): Promise<Suites> {
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
    suggestion: "Name the workflow under 'workflow', or let the tests lie beside it",
    line,
    column,
  };
}

function idIn({ workflow, path }: Suite): string {
  return workflow?.id ?? basename(path).replace(/\.test\.[a-z]+$/, '');
}
