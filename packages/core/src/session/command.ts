import type { Json } from '@workflowlookup/schema';
import type { Navigator } from './navigator.ts';
import type { Judge } from './manifest.ts';
import type { ManifestEntry } from './session-event.ts';

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
    }
  | { readonly kind: 'yield'; readonly checkpointId: string }
  | {
      readonly kind: 'answer';
      readonly mode: AnswerMode;
      readonly by: 'agent' | 'human';
      /** Who answers, and what they have to say about it. */
      readonly person?: string;
      readonly note?: string;
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
  readonly judge: Judge;
}
