import type { AnswerMode, Answer, Effect, Question, VariableChange } from '@workflowlookup/core';
import type { RunOutput } from './run.ts';
import type { RunRow } from './runs.ts';

/** What there is to judge by. */
export interface Evidence {
  /** The last outputs before the checkpoint, newest first, at most 5, each at most 2,000 characters. */
  readonly outputs: readonly RunOutput[];
  /** The last changes of variables, newest first, at most 20; of a value over 2,000 characters, the beginning of its JSON. */
  readonly variables: readonly VariableChange[];
}

/** A checkpoint that waits. */
export interface WaitingGate {
  readonly run: RunRow;
  /** Its message and options are data: text of a workflow and values of an agent. */
  readonly question: Question;
  /** Whether texts over 2,000 characters, or lists over 100 entries, of the question are cut off. It is answered where it is read. */
  readonly isShortened?: boolean;
  readonly evidence: Evidence;
}

/** `GET /console/api/gates?cursor=&limit=` (1 to 100; 20 when left out): the one that began to wait last first. */
export interface GatesPage {
  readonly gates: readonly WaitingGate[];
  readonly next?: string;
  /** How many wait. */
  readonly waiting: number;
}

/**
 * `POST /console/api/runs/:sid/answer`. 409 `SESSION_CONFLICT` where somebody else answered first: nothing was written,
 * and the message says who. The same answer by the same person again is answered as before. 403 `FORBIDDEN` without
 * `may.answer`.
 */
export interface GateAnswer {
  readonly mode: AnswerMode;
  /** At most 2,000 characters; kept with the answer. */
  readonly note?: string;
  /** `revision` of the question. */
  readonly revision: number;
}

/** A checkpoint that was answered. */
export interface GateAnswered {
  readonly checkpoint: string;
  readonly answer: Answer;
  readonly effect?: Effect;
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
}
