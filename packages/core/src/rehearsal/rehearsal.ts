import type { Values } from '../session/variables.ts';

/** An output that criteria refused. */
export interface RefusedOutput {
  readonly step: string;
  readonly issues: readonly string[];
}

/** What came of a walk. */
export interface Rehearsal {
  /** Steps or activities in the order in which they were entered. */
  readonly path: readonly string[];
  readonly refused: readonly RefusedOutput[];
  readonly warnings: readonly string[];
  readonly variables: Values;
  readonly outcome: 'completed' | 'unfinished';
  /** Why it went no further; absent where the workflow was completed. */
  readonly stop?: string;
}

/** How a test came out. */
export interface TestResult extends Rehearsal {
  readonly name: string;
  /** What is other than the test expects; none where it passes. */
  readonly failures: readonly string[];
}
