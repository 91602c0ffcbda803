import type { Json } from '@workflowlookup/schema';

/** What a walk begins with, and how it answers. */
export interface WalkOptions {
  /** Variables from the start. */
  readonly context?: Readonly<Record<string, Json>>;
  /** Option by checkpoint, or by `activity/checkpoint`; the first option where none is named. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Asked before each turn: false ends the walk, as one that takes too long. By default always true. */
  mayGoOn?(): boolean;
}

/** A step or activity that could have come next. */
export interface Considered {
  /** Id of a step or activity; `end` where that is meant. */
  readonly target: string;
  /** `not-reached`: it would do, and another came before it. */
  readonly verdict: 'chosen' | 'skipped' | 'not-reached';
  /** The reason as a sentence. */
  readonly why: string;
  /** Variables that nobody set and that could have made it come out otherwise. */
  readonly undecided: readonly string[];
}

/** One step of a walk. */
export interface Turn {
  /** Where it stands after the turn: id of an activity, or of a step with its round. */
  readonly at: string;
  readonly name: string;
  /** The activity, or the step without its round; nodes of a picture have it as `ref`. */
  readonly node: string;
  /** In the order they were tried. */
  readonly considered: readonly Considered[];
  /** Checkpoints that were answered on the way there. */
  readonly answered: readonly { readonly checkpoint: string; readonly option: string }[];
  /** Values that the turn set. */
  readonly sets: Readonly<Record<string, Json>>;
}

/** What an agent would be given, one after the other. */
export interface Walk {
  readonly turns: readonly Turn[];
  readonly end: 'completed' | 'stuck' | 'endless';
  /** Why it went no further than this; absent where everything was done. */
  readonly why?: string;
  /** What was considered when it ended. */
  readonly left: readonly Considered[];
  readonly variables: Readonly<Record<string, Json>>;
}
