import type { Coverage, Exploration } from '@workflowlookup/core/testing';
import type { LintFinding } from '../lint/lint-report.ts';

/** A test of a workflow, and how it came out. */
export interface TriedTest {
  readonly name: string;
  /** The file it stands in, as people call it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `not-run`: its workflow can't be served. */
  readonly status: 'failed' | 'not-run' | 'passed';
  /** What is other than expected, a sentence for each. */
  readonly failures: readonly string[];
  /** Steps or activities in the order in which they were entered. */
  readonly path: readonly string[];
}

/** A workflow that was tried. */
export interface TriedWorkflow {
  readonly id: string;
  /** Its definition, as people call it. */
  readonly file: string;
  readonly tests: readonly TriedTest[];
  /** What its tests have gone through together; absent where none ran. */
  readonly coverage?: Coverage;
  /** Absent where it was not asked for, and where the workflow has errors. */
  readonly exploration?: Omit<Exploration, 'findings'>;
}

/** What testing has to say. */
export interface TestReport {
  /** How many workflows were looked at. */
  readonly checked: number;
  /** Those that can be served, and others that have tests; by file. */
  readonly workflows: readonly TriedWorkflow[];
  /** By file, in the order of its text. */
  readonly findings: readonly LintFinding[];
}

/** How the tests of a report came out, by number. */
export function countTests({ workflows }: Pick<TestReport, 'workflows'>): {
  readonly passed: number;
  readonly failed: number;
  readonly notRun: number;
} {
  const all = workflows.flatMap(({ tests }) => tests);
  const count = (wanted: TriedTest['status']): number => all.filter(({ status }) => status === wanted).length;
  return { passed: count('passed'), failed: count('failed'), notRun: count('not-run') };
}

/** How much of all there is was gone through, in whole percent; 100 only where nothing was missed. */
export function percentOf({
  total,
  missed,
}: {
  readonly total: number;
  readonly missed: readonly unknown[];
}): number {
  return total === 0 ? 100 : Math.floor((100 * (total - missed.length)) / total);
}
