import type { Enforcement, Json } from '@workflowlookup/schema';
import type { Answer, ParentLink } from './session-event.ts';

/** A checkpoint that waits for its answer. */
export interface OpenGate {
  readonly checkpoint: string;
  readonly activity: string;
  /** ISO 8601. */
  readonly yieldedAt: string;
  /** Only a person may answer, whatever the definition says: it was so where the checkpoint was yielded. */
  readonly approver?: 'human';
}

/** A checkpoint that was answered. */
export interface AnsweredGate {
  readonly checkpoint: string;
  readonly activity: string;
  readonly answer: Answer;
  /** ISO 8601. */
  readonly at: string;
}

/** A session: the fold of its journal. */
export interface SessionState {
  readonly sid: string;
  /** Number of events. */
  readonly revision: number;
  readonly workflowId: string;
  readonly version: string;
  readonly digest: string;
  readonly enforcement: Enforcement;
  readonly parent?: ParentLink;
  readonly status: 'active' | 'completed';
  readonly outcome?: 'abandoned';
  readonly current?: string;
  /** The revision that entered the current activity; 1 before the first. */
  readonly since: number;
  /** Activities that were left, each once, in order. */
  readonly completed: readonly string[];
  /** How often each activity was entered. */
  readonly visits: Readonly<Record<string, number>>;
  /** Activities that answers took out. */
  readonly skipped: readonly string[];
  readonly variables: Readonly<Record<string, Json>>;
  /** Names somebody set; the defaults of modes fill the others. */
  readonly assigned: readonly string[];
  readonly gate?: OpenGate;
  /** Answers given since the current activity was entered, in order. */
  readonly answered: readonly AnsweredGate[];
  readonly lastAnswer?: AnsweredGate;
  /** The activity an answer asked for. */
  readonly expected?: string;
  readonly lastCondition: string;
}
