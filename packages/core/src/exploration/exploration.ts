import type { Finding } from '@workflowlookup/schema';

/** What kinds of findings exploration has. */
export type ExplorationCode =
  | 'always-holds'
  | 'endless'
  | 'endless-loop'
  | 'impassable-gate'
  | 'missing-transition'
  | 'never-holds'
  | 'stuck'
  | 'unreachable'
  | 'unset-variable';

/** Something that no session on a workflow can do, or can't help. */
export interface ExplorationFinding extends Finding {
  readonly code: ExplorationCode;
  /** Path in the folder of an activity workflow; absent for a step workflow, which is one document. */
  readonly file?: string;
}

/** A condition or an answer, one of the ways it can turn out. */
export interface BranchOutcome {
  /** As people read it: `size == "large"`. */
  readonly text: string;
  /** Of a condition: whether it holds; of an answer always true. */
  readonly holds: boolean;
  readonly file?: string;
  readonly pointer: string;
}

/** What was gone through, out of all there is. */
export interface Coverage {
  readonly sites: { readonly total: number; readonly missed: readonly string[] };
  readonly branches: { readonly total: number; readonly missed: readonly BranchOutcome[] };
}

/** What exploring a workflow found. */
export interface Exploration {
  readonly findings: readonly ExplorationFinding[];
  readonly coverage: Coverage;
  /** How many states of a session were looked at. */
  readonly states: number;
  /** Why not all of them were, as a sentence; then nothing is said of what was not reached. */
  readonly limit?: string;
}
