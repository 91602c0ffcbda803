import type { SessionCounts, SessionRow } from '@workflowlookup/core';

/**
 * The query of `GET /console/api/runs`, all of it optional. Unknown parameters are refused with 400 `INVALID_PARAMS`, and
 * so is a cursor that is none.
 */
export interface RunsQuery {
  /** Any of these, with commas between: `active`, `blocked` at a checkpoint, `completed`. */
  readonly status?: string;
  /** Id of a workflow. */
  readonly workflow?: string;
  /** The agent that started it, whole. */
  readonly agent?: string;
  /** A part of the id, the workflow's id, the principal, the agent or the working folder. */
  readonly text?: string;
  /** Session a run was started from. */
  readonly parent?: string;
  /** ISO 8601: last written to then or later. */
  readonly since?: string;
  /** ISO 8601: last written to before then. */
  readonly before?: string;
  /** 1 to 200; 50 when left out. */
  readonly limit?: string;
  /** `next` of the page before. */
  readonly cursor?: string;
}

/** A run as a list shows it. */
export interface RunRow extends Omit<SessionRow, 'hash' | 'digest'> {
  /** Of the workflow it runs on. */
  readonly title: string;
  readonly outcome?: 'abandoned';
  /** The activity, or the step with its round, where it stands; absent before the first. */
  readonly current?: string;
  /** The checkpoint it waits at. */
  readonly checkpoint?: string;
  /** How much of the plan is done: activities or steps that were left, and all there are. */
  readonly progress: { readonly done: number; readonly of: number };
  /** Why it can't be shown as a run; then `title` is the id of its workflow, and nothing else is known. */
  readonly problem?: string;
}

/** `GET /console/api/runs`. */
export interface RunsPage {
  /** The one last written to first. A run that is written to meanwhile moves to the front. */
  readonly runs: readonly RunRow[];
  /** Where there are more. */
  readonly next?: string;
  /** How many there are of each status, whatever was asked for. */
  readonly counts: SessionCounts;
}
