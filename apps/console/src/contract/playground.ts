import type { Json } from '@workflowlookup/schema';
import type { OutputVerdict } from './run.ts';

/**
 * `POST /console/api/walk`: what an agent would be given, one after the other, in a session that is kept nowhere. A
 * `text` takes the place of the definition that is served.
 */
export interface WalkRequest {
  readonly workflowId: string;
  /** Variables from the start. */
  readonly context?: Readonly<Record<string, Json>>;
  /** Option by checkpoint, or by `activity/checkpoint`; the first option where none is named. */
  readonly answers?: Readonly<Record<string, string>>;
  /** A step workflow that was not saved, in JSON or YAML. */
  readonly text?: string;
}

/** The answer of `walk`: every turn with what was considered and why, and how it ended. */
export type { Considered, Turn, Walk } from '@workflowlookup/core';

/** `POST /console/api/judge`: an output and criteria, as a step has them under `validationCriteria`. */
export interface JudgeRequest {
  readonly output: string;
  readonly criteria: Json;
  /** What conditions of the criteria see. */
  readonly context?: Readonly<Record<string, Json>>;
}

/** What came of it. 422 `VALIDATION` where the criteria can't be used. */
export interface Judged {
  readonly verdict: OutputVerdict;
  /** The criteria as sentences. */
  readonly sentences: readonly string[];
}
