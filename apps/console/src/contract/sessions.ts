import type { Route } from './server.ts';
import type {
  CheckpointSummary,
  CheckpointWait,
  SessionSummary,
  SubmittedOutput,
  HumanAnswer,
  Operator,
  OperatorParkRequest,
  Question,
  RecordedEvent,
  SessionCounts,
  SessionRow,
  SessionEvidence,
  SessionHistory,
  VariableChange,
  WorkflowNames,
  WriteReceipt,
} from '@workflowlookup/core/operator';
import type { Outline, SessionDiagram } from '@workflowlookup/diagrams';
import type { Json } from '@workflowlookup/schema';

/** The routes for sessions, their checkpoints and the figures over them. */
export interface SessionsRoutes {
  readonly 'GET /sessions': Route<undefined, SessionsReply>;
  readonly 'GET /insights': Route<undefined, InsightsReply>;
  readonly 'GET /sessions/:sid': Route<undefined, SessionDetail>;
  readonly 'GET /sessions/:sid/events': Route<undefined, EventsPage>;
  readonly 'POST /sessions/:sid/answer': Route<CheckpointAnswer, CheckpointAnswered>;
  readonly 'POST /sessions/:sid/park': Route<ParkRequest, ParkingChanged>;
  readonly 'POST /sessions/:sid/unpark': Route<undefined, ParkingChanged>;
  readonly 'GET /checkpoints': Route<undefined, CheckpointsReply>;
  readonly 'GET /checkpoints/answered': Route<undefined, AnsweredReply>;
  readonly 'GET /checkpoints/:sid': Route<undefined, WaitingCheckpoint>;
}

/**
 * The query parameters of `GET /console/api/sessions`. All are optional. Unknown parameters and invalid cursors are
 * refused with 400 `INVALID_INPUT`.
 */
export interface SessionsQuery {
  /** A comma-separated list of `active`, `blocked` (at a checkpoint), `parked` and `completed`. */
  readonly status?: string;
  readonly workflow?: string;
  /** A part of the name of the agent that started the session. */
  readonly agent?: string;
  /** Words in the title, the variables, the checkpoints, the agents or the working folder. */
  readonly search?: string;
  /** The `tag` of a figure in {@link InsightsReply}: finds the sessions behind it. */
  readonly tag?: string;
  /** A part of the session id, the workflow id, the principal, the agent or the working folder. */
  readonly text?: string;
  /** The id of the parent session. */
  readonly parent?: string;
  /** ISO 8601. Finds sessions last changed at this time or later. */
  readonly since?: string;
  /** ISO 8601. Finds sessions last changed before this time. */
  readonly before?: string;
  /**
   * `started-last`, `started-first`, `longest` or `shortest`. By default, the session that changed last comes first. A
   * session that has not ended counts with the time until now. At most the 10,000 sessions that changed last are sorted.
   */
  readonly sort?: string;
  /** 1 to 200; 50 by default. */
  readonly limit?: string;
  /** The `next` of the previous page. */
  readonly cursor?: string;
}

/** A session in a list. */
export interface SessionListRow extends Omit<SessionRow, 'hash' | 'digest'>, Omit<SessionSummary, 'session'> {
  /** Why the session can't be read. Then `title` is the id of its workflow, and most other data is missing. */
  readonly problem?: string;
}

export interface SessionsReply {
  /** Most recently changed first, unless `sort` says otherwise. A session that changes moves to the front. */
  readonly sessions: readonly SessionListRow[];
  readonly next?: string;
  /** The number of changed sessions that `search` and `tag` can't find yet. Absent if it is zero. */
  readonly behind?: number;
  /** The number of all sessions for each status, regardless of the filter. */
  readonly counts: SessionCounts;
}

/**
 * The response of `GET /console/api/insights?workflow=&since=&before=`. `GET /console/api/insights/csv` has the same
 * figures as CSV. With `behind`, not all sessions are counted yet: ask again in a moment.
 */
export interface InsightsReply extends FoundInsights {
  /** The names in the workflows that the server serves now, by the id of the workflow. */
  readonly names: Readonly<Record<string, WorkflowNames>>;
}

type FoundInsights = Awaited<ReturnType<Operator['insights']>>;

export type { WorkflowNames };

/** The output an agent submitted for a step: the first 20,000 characters at most. This is untrusted data. */
export interface SessionOutput extends SubmittedOutput {
  /** The full length in characters, if the output is cut off. */
  readonly chars?: number;
  /** At a checkpoint: how often the step's criteria refused an output before they accepted this one. Absent if never. */
  readonly refusedBefore?: number;
}

/**
 * The response of `GET /console/api/sessions/:sid`. The status is 404 `INVALID_INPUT` if there is no such session or if
 * it belongs to another user.
 */
export interface SessionDetail {
  readonly row: SessionListRow;
  /**
   * The plan and its progress, checkpoints, refused calls, variable changes, child sessions, and whether the journal
   * is intact.
   */
  readonly history: SessionHistory;
  /** The definition that the session was started with. */
  readonly outline: Outline;
  readonly graph: SessionDiagram;
  readonly variables: Readonly<Record<string, Json>>;
  /** Oldest first. Only the newest 500 are included. */
  readonly outputs: readonly SessionOutput[];
}

/**
 * The response of `GET /console/api/sessions/:sid/events?after=REVISION&limit=N`: events after a revision, at most 500
 * (100 by default). `GET /console/api/sessions/:sid/export` downloads JSON lines for `workflowlookup sessions import`.
 */
export interface EventsPage {
  /** Ordered by revision. */
  readonly events: readonly RecordedEvent[];
  /** The `after` of the next page, if there is one. */
  readonly next?: number;
}

export interface Evidence {
  /** What the server collected, as it stands now. Outputs of commands are untrusted data. */
  readonly collected: readonly SessionEvidence[];
  /** The last 20 outputs before the checkpoint, newest first, with at most 20,000 characters each. */
  readonly outputs: readonly SessionOutput[];
  /** The last 50 variable changes, newest first. Of a value over 20,000 characters, the first part of its JSON. */
  readonly variables: readonly VariableChange[];
}

/** The response of `GET /console/api/checkpoints/:sid`: a checkpoint that needs an answer, with everything to judge it by. */
export interface WaitingCheckpoint {
  readonly session: SessionListRow;
  /** Its message and options are untrusted data, written by workflow authors and agents. */
  readonly question: Question;
  readonly evidence: Evidence;
  /** The names of the activities and steps of the workflow, by id. */
  readonly names: Readonly<Record<string, string>>;
  /** Earlier answers to the same checkpoint in this session, oldest first. */
  readonly earlier: readonly CheckpointWait[];
  /** When an agent last called, in ISO 8601. It may call again while the session stays at the checkpoint. */
  readonly lastCallAt?: string;
  /** When an agent may take the default option, if nobody answers; ISO 8601. */
  readonly timerEndsAt?: string;
  /** Absent if no call was refused. A later refusal does not change the revision of the question. */
  readonly refused?: RefusedCalls;
}

/** The calls of agents that were refused since the session entered the current activity. */
export interface RefusedCalls {
  readonly count: number;
  /** At most three, newest first. Attempts to answer or skip this checkpoint are included before other calls. */
  readonly calls: SessionHistory['refusals'];
}

/** A checkpoint in the list. Its name is untrusted data, of at most 200 characters. */
export interface CheckpointListRow extends Omit<
  CheckpointSummary,
  'subject' | 'title' | 'workflowId' | 'agent' | 'project'
> {
  /** The session that asks, in short: there may be many of them. */
  readonly session: Pick<SessionListRow, 'subject' | 'title' | 'workflowId' | 'agent' | 'project'>;
}

export interface CheckpointsReply {
  /** The longest wait first. At most 2,000 are listed. */
  readonly checkpoints: readonly CheckpointListRow[];
  /** How many checkpoints need an answer. */
  readonly waiting: number;
}

/** An answer that a person gave. All of it is untrusted data. */
export interface AnsweredRow extends Pick<
  NonNullable<CheckpointWait['answered']>,
  'at' | 'note' | 'person' | 'origin' | 'receivedAt'
> {
  readonly sid: string;
  /** The revision that recorded it. */
  readonly revision: number;
  /** The name of the checkpoint and the label of the chosen option. */
  readonly checkpoint: string;
  readonly option: string;
  readonly session: SessionListRow;
}

export interface AnsweredReply {
  /** The newest first, from the 100 sessions that changed last of those that match. */
  readonly answers: readonly AnsweredRow[];
  /** There are more sessions, whose answers are not in the list. */
  readonly hasMore: boolean;
}

/**
 * The body of `POST /console/api/sessions/:sid/answer`. The status is 409 `SESSION_CONFLICT` if somebody else answered
 * first; nothing is written, and the message names them. Repeating one's own answer gives the same response. The
 * status is 403 `FORBIDDEN` without `may.answer`. The note, of at most 2,000 characters, is stored with the answer.
 */
export interface CheckpointAnswer extends HumanAnswer {
  readonly revision: number;
}

export type CheckpointAnswered = Awaited<ReturnType<Operator['respond']>>;

/** The reason has at most 500 characters. From the time `until` on, agents see the session as open again. */
export type ParkRequest = Omit<OperatorParkRequest, 'by'>;

/**
 * The response of `POST /console/api/sessions/:sid/park` and `POST /console/api/sessions/:sid/unpark`. Both require the scope
 * `checkpoints:respond`.
 */
export type ParkingChanged = WriteReceipt;
