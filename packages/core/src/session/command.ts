import type { Enforcement, Json } from '@workflowlookup/schema';
import type { Navigator } from './navigator.ts';
import type { Judge } from './manifest.ts';
import type { AnswerOrigin, ManifestEntry } from './session-event.ts';

/** An activity an agent says is done, and how it came out; judged for what it names, never held against it. */
export interface ActivityClaim {
  readonly activity_id: string;
  readonly outcome: string;
  readonly transition_condition?: string;
}

/** What is asked of a session. */
export type SessionCommand =
  | {
      readonly kind: 'move';
      /** Left out: the first legal way. */
      readonly activityId?: string;
      readonly condition?: string;
      readonly manifest?: readonly ManifestEntry[];
      readonly activityManifest?: readonly ActivityClaim[];
      readonly variables?: Readonly<Record<string, Json>>;
      /** The credential of the call: its id. */
      readonly credential?: string;
    }
  | {
      readonly kind: 'yield';
      readonly checkpointId: string;
      /** Values that the question is to show. */
      readonly variables?: Readonly<Record<string, Json>>;
      readonly credential?: string;
    }
  | {
      readonly kind: 'answer';
      readonly mode: AnswerMode;
      readonly by: 'agent' | 'human';
      /** Who answers, and what they have to say about it. */
      readonly person?: string;
      readonly note?: string;
      /** How the answer came. */
      readonly origin?: AnswerOrigin;
    }
  | { readonly kind: 'abandon'; readonly person?: string };

/** How a checkpoint is to be answered: exactly one way. */
export type AnswerMode =
  | { readonly kind: 'option'; readonly option: string }
  | { readonly kind: 'auto-advance' }
  | { readonly kind: 'condition-not-met' };

/** What a decision depends on beside the state and the command. */
export interface Circumstances {
  readonly navigator: Navigator;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Time a checkpoint must have been open before an option may be chosen. */
  readonly minResponseMs: number;
  /** `human`: every checkpoint is answered by a person, whatever its author says. */
  readonly gates: 'declared' | 'human';
  /** `strict`: the session is strict here, even if it was started advisory. */
  readonly enforcement?: Enforcement;
  readonly judge: Judge;
}
