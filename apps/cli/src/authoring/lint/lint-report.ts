import { resolve } from 'node:path';
import type { Inspection, PlaceReport } from '@workflowlookup/host';
import type { Issue } from '@workflowlookup/schema';
import { nameOf } from '../name-of.ts';
import { placeIds } from './place-ids.ts';
import type { LintScope } from './lint-scope.ts';

/** Something that was found, and the file it was found in. */
export interface LintFinding extends Issue {
  /** As people call it: from the working folder, where it lies in it. */
  readonly file: string;
  /** Absolute path of the file. */
  readonly path: string;
  /** The id of the workflow, or what stands for it. */
  readonly workflow: string;
}

/** What lint has to say. */
export interface LintReport {
  /** How many workflows were looked at. */
  readonly checked: number;
  /** By file, in the order of its text. */
  readonly findings: readonly LintFinding[];
}

/** How bad it is. */
export function countFindings({ findings }: LintReport): {
  readonly errors: number;
  readonly warnings: number;
} {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return { errors, warnings: findings.length - errors };
}

/** What an inspection of these scopes has found by now. */
export async function takeReport(
  inspection: Inspection,
  scopes: readonly LintScope[] | undefined,
): Promise<LintReport> {
  const reports = await inspection.reports();
  const findings = new Map<string, LintFinding>();
  for (const [at, report] of reports.entries()) {
    for (const finding of findingsOf(report, scopes?.[at])) {
      const { path, line, column, code, message } = finding;
      findings.set(JSON.stringify([path, line, column, code, message]), finding);
    }
  }
  return {
    checked: reports.reduce((sum, report) => sum + checkedIn(report), 0),
    findings: (await placeIds([...findings.values()])).toSorted(byPlace),
  };
}

/** Those that are served, and those whose own file keeps them from it. */
function checkedIn({ workflows, problems }: PlaceReport): number {
  const broken = problems.filter(({ severity }) => severity === 'error');
  return workflows.length + new Set(broken.map(({ file }) => file)).size;
}

function findingsOf(
  { directory, problems }: PlaceReport,
  only: Pick<LintScope, 'file' | 'workflows'> = {},
): readonly LintFinding[] {
  return problems.flatMap(({ id, file, issues }) => {
    const path = resolve(directory, file);
    if ((only.file ?? path) !== path || only.workflows?.has(id) === false) return [];
    return issues.map((issue) => ({ ...issue, file: nameOf(path), path, workflow: id }));
  });
}

/** By file, then in the order of its text. */
export function byPlace(a: LintFinding, b: LintFinding): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
