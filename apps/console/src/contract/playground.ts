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

/** A step or activity that could have come next. */
export interface Considered {
  /** Id of a step or activity, or where the end is meant `end`. */
  readonly target: string;
  readonly name?: string;
  readonly verdict: 'chosen' | 'skipped' | 'not-reached';
  /** The reason as a sentence: the condition and how it came out. */
  readonly why: string;
  /** Variables that nobody set and that could have made it come out otherwise. */
  readonly undecided: readonly string[];
}

/** One step of a walk. */
export interface Turn {
  /** Where it stands after the turn: id of an activity, or of a step with its round, such as `loop@0::step`. */
  readonly at: string;
  readonly name: string;
  /** Node of the picture. */
  readonly node: string;
  /** In the order they were tried; what was chosen is the last that counts. */
  readonly considered: readonly Considered[];
  /** Checkpoints that were answered before it went on from there. */
  readonly answered: readonly { readonly checkpoint: string; readonly option: string }[];
  /** Values that the turn set. */
  readonly sets: Readonly<Record<string, Json>>;
}

/** A walk. */
export interface Walk {
  readonly turns: readonly Turn[];
  readonly end: 'completed' | 'stuck' | 'endless';
  /** Why it went no further, or which steps only an unset variable kept out. */
  readonly why?: string;
  /** Considered at the end. */
  readonly left: readonly Considered[];
  /** At the end. */
  readonly variables: Readonly<Record<string, Json>>;
}

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
