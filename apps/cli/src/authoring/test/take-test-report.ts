import type { Inspection } from '@workflowlookup/host';
import type { LintFinding } from '../lint/lint-report.ts';
import { byPlace, takeReport } from '../lint/lint-report.ts';
import type { Suites, SubjectWithTests } from './find-suites.ts';
import { findSuites } from './find-suites.ts';
import type { TestReport } from './test-report.ts';
import type { TestScope } from './test-scope.ts';
import { tryWorkflow } from './try-workflow.ts';

/** What lint, tests and exploring find of the definitions of an inspection that has these scopes as its places. */
export async function takeTestReport(
  inspection: Inspection,
  scopes: readonly TestScope[],
  options: { readonly isExplored: boolean },
): Promise<TestReport> {
  const reports = await inspection.reports();
  const suites: Suites[] = [];
  for (const [at, scope] of scopes.entries()) {
    const report = reports[at];
    if (report !== undefined) suites.push(await findSuites(report, scope));
  }
  const linted = await takeReport(
    inspection,
    scopes.map(({ place, testsFile }, at) => {
      const ids = suites[at]?.subjects.map(({ subject }) => subject.id);
      return { place, ...(testsFile !== undefined && { workflows: new Set(ids) }) };
    }),
  );
  const subjects = bySubject(suites.flatMap((found) => found.subjects));
  const trials = [];
  const wrong = new Set(
    linted.findings.filter(({ severity }) => severity === 'error').map(({ workflow }) => workflow),
  );
  for (const subject of subjects) {
    // What exploring would find of a workflow with errors are the errors once more.
    const isExplored = options.isExplored && !wrong.has(subject.subject.id);
    trials.push(await tryWorkflow(subject, { isExplored }));
  }
  const told = [...linted.findings, ...suites.flatMap(({ findings }) => findings)];
  const explored = trials.flatMap(({ findings }) => findings).filter((one) => !isTold(one, told));
  return {
    checked: subjects.length,
    workflows: trials
      .map(({ workflow }) => workflow)
      .filter(({ exploration, tests }) => exploration !== undefined || tests.length > 0),
    findings: [...new Map([...told, ...explored].map((one) => [keyOf(one), one])).values()].toSorted(byPlace),
  };
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
