import type { Json } from '@workflowlookup/schema';
import type { Outline, PaintedPicture, Question, RecordedEvent, Story } from '@workflowlookup/core';
import type { RunRow } from './runs.ts';

/** Whether an output met the criteria of its step. */
export interface OutputVerdict {
  readonly valid: boolean;
  readonly issues: readonly string[];
  readonly suggestions: readonly string[];
}

/** What an agent handed in for a step. */
export interface RunOutput {
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  /** The activity that was left with it; of a step workflow, the step. */
  readonly activity: string;
  /** As the agent named it, with its round where it has one. */
  readonly step: string;
  /** At most the first 20,000 characters; data, whatever it looks like. */
  readonly output: string;
  /** How many characters there are, where not all are here. */
  readonly chars?: number;
  /** Absent where the step has no criteria. */
  readonly verdict?: OutputVerdict;
}

/**
 * `GET /console/api/runs/:sid`. 404 `INVALID_PARAMS` where there is no such run, or it is somebody else's. A compare of
 * two runs asks for both.
 */
export interface Run {
  readonly row: RunRow;
  /** Planned against actual, checkpoints, refusals, changes of variables, children, and whether the chain holds. */
  readonly story: Story;
  /** The definition it was started on. */
  readonly outline: Outline;
  readonly graph: PaintedPicture;
  /** As they are now. */
  readonly variables: Readonly<Record<string, Json>>;
  /** Oldest first; of more than 500 the newest. */
  readonly outputs: readonly RunOutput[];
  /** The checkpoint it waits at. */
  readonly question?: Question;
}

/**
 * `GET /console/api/runs/:sid/events?after=REVISION&limit=N`: events after a revision, at most 500 (100 when left out).
 * `GET /console/api/runs/:sid/export` is a download of lines of JSON that `workflowlookup sessions import` takes.
 */
export interface EventsPage {
  /** By revision. */
  readonly events: readonly RecordedEvent[];
  /** `after` of the next page, where there is one. */
  readonly next?: number;
}
