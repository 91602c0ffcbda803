import type { Inspection } from '@workflowlookup/host';
import type { LintFinding } from '../lint/lint-report.ts';
import { byPlace, takeReport } from '../lint/lint-report.ts';
import type { LintScope } from '../lint/lint-scope.ts';
import type { Suites, SubjectWithTests } from './find-suites.ts';
import { findSuites } from './find-suites.ts';
import type { TestReport } from './test-report.ts';
import type { TestScope } from './test-scope.ts';
import type { Trial } from './try-workflow.ts';
import { tryWorkflow } from './try-workflow.ts';

/** What lint, tests and exploring find of the definitions of an inspection that has these scopes as its places. */
export async function takeTestReport(
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
  const { findings: linted } = await takeReport(inspection, lintScopes(scopes, suites));
  const subjects = bySubject(suites.flatMap((found) => found.subjects));
  const wrong = new Set(linted.flatMap(({ severity, workflow }) => (severity === 'error' ? workflow : [])));
  const trials: Trial[] = [];
  for (const one of subjects) {
    // What exploring would find of a workflow with errors are the errors once more.
    const isExplored = options.isExplored && !wrong.has(one.subject.id);
    trials.push(await tryWorkflow(one, { isExplored }));
  }
  const told = [...linted, ...suites.flatMap(({ findings }) => findings)];
  const explored = trials.flatMap(({ findings }) => findings).filter((one) => !isTold(one, told));
  return {
    checked: subjects.length,
    workflows: trials.flatMap(({ workflow, isServed }) =>
      isServed || workflow.tests.length > 0 ? workflow : [],
    ),
    findings: [...new Map([...told, ...explored].map((one) => [keyOf(one), one])).values()].toSorted(byPlace),
  };
}

/** Where one file of tests is asked for, lint tells only of what it tests. */
function lintScopes(scopes: readonly TestScope[], suites: readonly Suites[]): readonly LintScope[] {
  return scopes.map(({ place, testsFile }, at) => {
    const ids = suites[at]?.subjects.map(({ subject }) => subject.id);
    return { place, ...(testsFile !== undefined && { workflows: new Set(ids) }) };
  });
}

/** Each definition once, with all of its tests, where several paths lead to it. */
function bySubject(found: readonly SubjectWithTests[]): readonly SubjectWithTests[] {
  const byPath = new Map<string, SubjectWithTests>();
  for (const { subject, suites } of found) {
    const known = byPath.get(subject.path)?.suites ?? [];
    const all = new Map([...known, ...suites].map((suite) => [suite.path, suite]));
    byPath.set(subject.path, { subject, suites: [...all.values()] });
  }
  return [...byPath.values()].toSorted((a, b) => (a.subject.path < b.subject.path ? -1 : 1));
}

/** What lint says of a place, exploring need not say again. */
function isTold(finding: LintFinding, told: readonly LintFinding[]): boolean {
  return told.some(
    ({ path, pointer, code }) =>
      path === finding.path && pointer === finding.pointer && code === finding.code,
  );
}

function keyOf({ path, pointer, code, message }: LintFinding): string {
  return JSON.stringify([path, pointer, code, message]);
}
