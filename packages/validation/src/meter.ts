import type { Meter } from '@workflowlookup/schema';

/** Steps one judgement may take; what needs more is too complex to check (docs/authoring.md#limits). */
export const maxSteps = 50_000_000;

/** Steps it may take to compile the criteria of one judgement, which a definition pays for when it is read. */
export const maxCompilationSteps = 200_000_000;

/** What criteria are paid from: compiling them, and judging by them. */
export interface Meters {
  readonly compile: Meter;
  /** Filled anew for each judgement. */
  readonly run: Meter;
}
