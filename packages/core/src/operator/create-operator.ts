import type { Json, Workflow } from '@workflowlookup/schema';
import { WorkflowError, defined } from '@workflowlookup/schema';
import type {
  PageRequest,
  PruneRequest,
  Range,
  Reading,
  SessionCounts,
  SessionPage,
  SessionQuery,
  SessionRow,
  SessionStore,
} from '@workflowlookup/storage';
import { exportSession } from '@workflowlookup/storage/journal';
import type { Verdict } from '@workflowlookup/validation';
import type { EvidenceState } from '../evidence/evidence-state.ts';
import type { Insights, InsightsQuery } from '../insights/insights.ts';
import { actsOf, insightsOf, sessionsOf, withoutHookTags } from '../insights/insights.ts';
import type { Outcome } from '../insights/session-figures.ts';
import type { Freshness } from '../insights/session-index.ts';
import { countedSessions, refreshIndex } from '../insights/session-index.ts';
import { messages } from '../messages/sessions.ts';
import type { CollectedEvidence } from '../evidence/collect-evidence.ts';
import type { Answered, Presented } from '../session-engine/sessions.ts';
import { nowOf } from '../session-engine/trace.ts';
import type { TraceEvent } from '../session-engine/trace.ts';
import type { AnswerMode, ParkRequest } from '../session/command.ts';
import type {
  Answer,
  AnswerOrigin,
  DecidedQuestion,
  ParentLink,
  SessionEvent,
  SetBy,
} from '../session/session-event.ts';
import type { NotDoneStep, ParkedSession, TakenCheckpoint } from '../session/session-state.ts';
import type { ChildLink } from '../session/status.ts';
import type { Prunable, SessionSurvey } from './find-sessions.ts';
import {
  checkStatuses,
  findPrefix,
  summarizeSession,
  prunableSessions,
  prune,
  surveySessions,
} from './find-sessions.ts';
import type { ExportCheck, ExportVerification } from './import-session.ts';
import { importSession, verifyExport } from './import-session.ts';
import type { OperatorParts } from './load-session.ts';
import { readContents, loadSession } from './load-session.ts';
import type { OptionOutcome, CheckpointSummary } from './respond.ts';
import { abandon, ask, park, respond, unpark, summarizeCheckpoint } from './respond.ts';
import type { Anchors, Sealed, SealRequest } from './seal-session.ts';
import { readAnchors, sealSession } from './seal-session.ts';
import type { PlannedActivity } from './session-history.ts';
import { readReceipts, readSessionHistory, recordedEvent } from './session-history.ts';
import type { EvidenceList, EvidenceReport } from './submit-evidence.ts';
import { listEvidence, reportEvidence, submitStatement } from './submit-evidence.ts';
import type { OutputDraft, Task } from './task.ts';
import { judgeDraft, readTask } from './task.ts';
import type { Verification } from './verify-session.ts';
import { verifySession } from './verify-session.ts';

/** An open checkpoint as it is presented to a person. */
export interface Question extends Presented {
  readonly sid: string;
  readonly workflowId: string;
  /** Where the session can go with each option, as far as that is decided already. */
  readonly outcomes: readonly OptionOutcome[];
}

/** A person's answer. */
export interface HumanAnswer {
  readonly mode: AnswerMode;
  /** A note from the person, stored with the answer. */
  readonly note?: string;
  /** `revision` of the question; by default the open question or, if none is open, the last one. */
  readonly revision?: number;
}

/** Why a session is parked, until when, and by whom. */
export interface OperatorParkRequest extends ParkRequest {
  /** `hook`: a hook in the agent's client. Default: the person. */
  readonly by?: 'human' | 'hook';
}

/** A write by a person. */
export interface WriteReceipt {
  readonly revision: number;
  /** When it was first written; ISO 8601. */
  readonly at: string;
}

/** A checkpoint that was reached, and its answer. */
export interface CheckpointWait {
  readonly checkpoint: string;
  readonly activity: string;
  /** The revision that stopped there. */
  readonly revision: number;
  /** ISO 8601. */
  readonly yieldedAt: string;
  /** Absent while it is open, and if the session was abandoned meanwhile. */
  readonly answered?: {
    /** ISO 8601. */
    readonly at: string;
    readonly answer: Answer;
    readonly by: 'agent' | 'human';
    readonly person?: string;
    readonly note?: string;
    /** How the answer came. */
    readonly origin?: AnswerOrigin;
    /** The decision; `isAsAsked: false` if the question has changed since the answer. */
    readonly decided?: DecidedQuestion & { readonly isAsAsked: boolean };
    /**
     * Set if the session was imported with this answer and no key of this server sealed it, so nobody is proven to have
     * given it.
     */
    readonly isImported?: true;
    /**
     * When the agent got a person's answer, in ISO 8601: the end of the first call whose reply has it. Absent before that,
     * and if the answer came through the agent.
     */
    readonly receivedAt?: string;
  };
}

/** A move of a session. */
export interface SessionHistoryMove {
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  /** The activity that was left; absent at the start. */
  readonly from?: string;
  /** The activity that was entered; absent for the end. */
  readonly to?: string;
  /** The steps that were accounted for, as the manifest names them. */
  readonly steps: readonly string[];
  /** Warnings that the agent ignored; absent if there were none. */
  readonly warnings?: readonly string[];
}

/** A value that a variable took after the start. */
export interface VariableChange {
  readonly name: string;
  /** Absent if it had no value. */
  readonly from?: Json;
  readonly to: Json;
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  /** Who set it: `unknown` in journals of older versions. */
  readonly by: SetBy | 'unknown';
  /** The checkpoint whose answer set it, and the person who gave the answer. */
  readonly checkpoint?: string;
  readonly person?: string;
}

/** A participant of a session. */
export interface Participant {
  readonly id: string;
  readonly kind: 'agent' | 'human';
  /** How many calls the trace has of them, and how many of those were refused. */
  readonly calls: number;
  readonly refused: number;
  /** About how many tokens they read of the replies, as insights count them. */
  readonly readTokens: number;
}

/** Whether a journal is intact: its length, or the first revision that was not sealed as it is. */
export type JournalCheck =
  | { readonly ok: true; readonly events: number }
  | { readonly ok: false; readonly brokenAt: number };

/** Evidence of a session, with the end of the output of its command. */
export interface SessionEvidence extends EvidenceState {
  /** The last 4 kB. This is untrusted data, written by a command of the project. */
  readonly output?: string;
}

/** The history of a session: planned against actual. For a broken journal it ends before the break. */
export interface SessionHistory {
  readonly session: SessionRow;
  readonly title: string;
  readonly enforcement: 'advisory' | 'strict';
  readonly outcome?: 'abandoned';
  readonly parent?: ParentLink;
  readonly children: readonly ChildLink[];
  readonly parked?: ParkedSession;
  /** In the order of the definition. */
  readonly plan: readonly PlannedActivity[];
  /** In order, without the abandoning of the session. */
  readonly moves: readonly SessionHistoryMove[];
  readonly checkpoints: readonly CheckpointWait[];
  /** Steps that were reported as not done and were not done since. */
  readonly notDone: readonly NotDoneStep[];
  /** Checkpoints that were not asked, for review. */
  readonly taken: readonly TakenCheckpoint[];
  /** The evidence of the current activity, then of earlier ones, with its status at this moment. Absent without any. */
  readonly evidence?: readonly SessionEvidence[];
  /** When an agent last called, also if the call was refused; ISO 8601. Absent if the trace has no call of an agent. */
  readonly lastCallAt?: string;
  /** Calls that were refused; oldest first. */
  readonly refusals: readonly TraceEvent[];
  readonly participants: readonly Participant[];
  readonly variables: readonly VariableChange[];
  readonly chain: JournalCheck;
}

/** A summary of a session: its identity, position and progress. */
export interface SessionSummary {
  readonly session: SessionRow;
  readonly title: string;
  /** What the session is about; absent if nothing says so. */
  readonly subject?: string;
  /** How it ended; absent while it is active. */
  readonly ended?: Outcome;
  readonly outcome?: 'abandoned';
  /** The activity, or the step with its iteration; absent before the first. */
  readonly current?: string;
  /** The name of the current activity or step, without its iteration. */
  readonly currentName?: string;
  /** The checkpoint it waits at. */
  readonly checkpoint?: string;
  /** The name of that checkpoint, with the variables filled in. This is untrusted data. */
  readonly checkpointName?: string;
  readonly parked?: ParkedSession;
  /** Activities or steps that are done, and all there are. What has to be done again is not done. */
  readonly progress: { readonly done: number; readonly of: number };
}

/** An output that was submitted for a step. */
export interface SubmittedOutput {
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  /** The activity that was left with it. */
  readonly activity: string;
  /** As the agent named it. */
  readonly step: string;
  readonly output: string;
  /** Why the step was not done, or not proved. Its output may be empty then, and was not judged. */
  readonly notDone?: string;
  /** The verdict of the step's criteria at that time; absent if it has none. */
  readonly verdict?: Verdict;
}

/** The variables and outputs of a session. */
export interface SessionContents {
  /** The definition it was started on. */
  readonly workflow: Workflow;
  readonly variables: Readonly<Record<string, Json>>;
  /** Oldest first; of more than 500 the newest. */
  readonly outputs: readonly SubmittedOutput[];
}

/** An event of a journal, decoded. */
export interface RecordedEvent {
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  readonly event: SessionEvent;
}

/**
 * Everything a person can do with the sessions of a store, without a token. The writes of a person are decided, sealed
 * and recorded like those of an agent, and carry the person's name. Every method throws `WorkflowError`: NOT_FOUND
 * if there is no such session, STORE_UNAVAILABLE if the database fails.
 *
 * @see docs/cli.md
 */
export interface Operator {
  /**
   * Returns the id of the one session whose id starts with a prefix.
   *
   * @throws INVALID_INPUT if there is none, or several
   */
  resolve(prefix: string): Promise<string>;
  /**
   * Returns the sessions that a query finds. For `search` and `tags` it first brings the index up to date; `behind` says
   * how many sessions that changed are not in it yet.
   *
   * @throws INVALID_INPUT for a status that does not exist, or a cursor or limit that is not valid
   */
  find(query: SessionQuery, page?: PageRequest): Promise<SessionPage & Partial<Freshness>>;
  /** Returns the number of sessions of each status. If there is no database yet, none is created. */
  counts(): Promise<SessionCounts>;
  /** Returns the summary of a session, or `undefined` if there is none. */
  summary(sid: string): Promise<SessionSummary | undefined>;
  /** Returns the variables and outputs of a session, which its history does not have. */
  contents(sid: string): Promise<SessionContents>;
  /** Returns the open checkpoint of a session in short, or `undefined` if none is open. */
  checkpoint(sid: string): Promise<CheckpointSummary | undefined>;
  /** @throws INVALID_STATE if no checkpoint is open */
  present(sid: string): Promise<Question>;
  /**
   * Answers a checkpoint, even one that only a person may answer. Repeating the same answer gives the same result.
   *
   * @throws SESSION_CONFLICT if somebody else answered; otherwise the error with which `decide` refuses
   */
  respond(sid: string, response: HumanAnswer): Promise<Answered & WriteReceipt>;
  /** Ends a session at its current activity. @throws SESSION_CONFLICT, SESSION_COMPLETED */
  abandon(sid: string): Promise<WriteReceipt>;
  /**
   * Parks a session. It keeps everything, and the next call of an agent that continues the work resumes it.
   *
   * @throws CHECKPOINT_OPEN, INVALID_INPUT, SESSION_COMPLETED, SESSION_CONFLICT
   */
  park(sid: string, request: OperatorParkRequest): Promise<WriteReceipt>;
  /** Ends the parking of a session. @throws INVALID_STATE if it is not parked; SESSION_CONFLICT */
  unpark(sid: string): Promise<WriteReceipt>;
  /** Returns the evidence that the current activity of a session asks for, so that it can be collected elsewhere. */
  evidence(sid: string): Promise<EvidenceList>;
  /**
   * Records evidence that the person collected where the work is, at the level `observed`.
   *
   * @throws FORBIDDEN if their credential worked on the session as an agent; INVALID_STATE if the activity, or what it
   *   asks for, is another one now; INVALID_INPUT, SESSION_COMPLETED, SESSION_CONFLICT
   */
  reportEvidence(sid: string, report: EvidenceReport): Promise<readonly CollectedEvidence[]>;
  /**
   * Records what a signed statement says of the checks that the current activity asks for, at the level `ci`.
   *
   * @throws STATEMENT_REFUSED, INVALID_INPUT, SESSION_COMPLETED, SESSION_CONFLICT
   */
  submitStatement(sid: string, statement: unknown): Promise<readonly CollectedEvidence[]>;
  /** Returns the current work of a session, for a person who does it. */
  task(sid: string): Promise<Task>;
  /** Judges an output before it is submitted. @throws INVALID_STATE if the session has no such step now */
  judge(sid: string, draft: OutputDraft): Promise<Verdict>;
  /** Adds up the figures of all sessions that a query finds, from their journals and traces. */
  insights(query?: InsightsQuery): Promise<Insights & Freshness>;
  history(sid: string): Promise<SessionHistory>;
  /**
   * Returns when an agent got each answer that a person gave elsewhere, by the time of the answer. Both in ISO 8601.
   * `events` are those of the session.
   */
  receipts(sid: string, events: readonly RecordedEvent[]): Promise<ReadonlyMap<string, string>>;
  /** By revision. @throws SESSION_UNVERIFIED for a session that does not authenticate, unless they are read too */
  events(sid: string, range?: Range & Reading): Promise<readonly RecordedEvent[]>;
  /** Checks everything that is kept of a session, and returns the problems. */
  verify(sid: string, anchors?: Anchors): Promise<Verification>;
  /** Finds the sessions that `verify` has to check, from the tables of the database alone. */
  survey(): Promise<SessionSurvey>;
  /** Reads the lines that `--anchor` of a server wrote, for `verify`. */
  anchors(lines: AsyncIterable<string> | Iterable<string>): Promise<Anchors>;
  /** Seals a session again. @throws INVALID_STATE if more is wrong with it than a missing seal or a lost key */
  seal(sid: string, request?: SealRequest): Promise<Sealed>;
  /**
   * Returns the lines that `import` accepts. The last one has a seal only if `verify` finds no problem. A caller that
   * has just verified the session passes the result, so that it is not verified again.
   *
   * @throws STORE_DAMAGED at a broken link
   */
  export(sid: string, verified?: Verification): AsyncIterable<string>;
  /**
   * @throws INVALID_FILE for a broken export; CONFLICT if the session exists already
   */
  import(lines: AsyncIterable<string>): Promise<SessionRow>;
  /** Checks exported lines as `import` does, and keeps nothing. @throws INVALID_FILE for a broken export */
  verifyExport(lines: AsyncIterable<string>, check?: ExportCheck): Promise<ExportVerification>;
  /** The sessions that `prune` would drop, and those that don't authenticate. @throws INVALID_INPUT for an unknown status */
  prunable(request: PruneRequest): Promise<Prunable>;
  /**
   * Drops sessions and returns how many; never one that a session still running descends from. @throws INVALID_INPUT
   * for a status that does not exist, or a time that is not valid
   */
  prune(request: PruneRequest): Promise<number>;
}

/**
 * Creates the operator of a store: everything a person can do with its sessions. Nothing is opened before the first
 * call.
 */
export function createOperator({ principal, ...given }: OperatorParts): Operator {
  const parts: OperatorParts = {
    ...given,
    ...defined({ principal }),
    store: async () => {
      const store = await given.store();
      return principal === undefined ? store : storeOf(principal, store);
    },
  };
  const { indexWaitMs = Infinity } = given;
  const judgeParts = { jobs: given.jobs, principal };
  return {
    resolve: async (prefix) => findPrefix(await parts.store(), prefix),
    async find(asked, page) {
      checkStatuses(asked.statuses ?? []);
      const query = withoutHookTags(asked, () => given.hookActs?.() ?? []);
      const store = await parts.store();
      const isIndexed = query.search !== undefined || query.tags !== undefined;
      const { behind } = isIndexed ? await refreshIndex(await given.store(), indexWaitMs) : { behind: 0 };
      return { ...(await store.find(query, page)), ...(behind > 0 && { behind }) };
    },
    async insights(query = {}) {
      const freshness = await refreshIndex(await given.store(), indexWaitMs);
      const counted = await countedSessions(await parts.store(), sessionsOf(query));
      const acts = actsOf(given.hookActs?.() ?? [], query, principal);
      return { ...insightsOf(counted, { acts, nowMs: nowOf(parts) }), ...freshness };
    },
    counts: async () => (await parts.store()).counts(),
    summary: async (sid) => summarizeSession(await parts.store(), sid),
    contents: async (sid) => readContents(await parts.store(), sid, judgeParts),
    checkpoint: (sid) => summarizeCheckpoint(parts, sid),
    present: (sid) => ask(parts, sid),
    respond: (sid, response) => respond(parts, sid, response),
    abandon: (sid) => abandon(parts, sid),
    park: (sid, request) => park(parts, sid, request),
    unpark: (sid) => unpark(parts, sid),
    evidence: (sid) => listEvidence(parts, sid),
    reportEvidence: (sid, report) => reportEvidence(parts, sid, report),
    submitStatement: (sid, statement) => submitStatement(parts, sid, statement),
    task: (sid) => readTask(parts, sid),
    judge: (sid, draft) => judgeDraft(parts, sid, { ...draft, principal }),
    history: (sid) => readSessionHistory(parts, sid),
    receipts: async (sid, events) => readReceipts(await parts.store(), sid, events),
    async events(sid, range) {
      const store = await parts.store();
      return (await store.events(sid, range)).map(recordedEvent);
    },
    verify: async (sid, anchors) => verifySession(await parts.store(), sid, anchors),
    survey: async () => surveySessions(await parts.store()),
    anchors: async (lines) => readAnchors((await parts.store()).seals, lines),
    seal: (sid, request) => sealSession(parts, sid, request),
    async *export(sid, verified) {
      const store = await parts.store();
      await loadSession(store, sid);
      // The seal of an export vouches for all of it, even for missing data that the rows alone don't reveal.
      const { problems, trace } = verified ?? (await verifySession(store, sid));
      const exported = { at: new Date(nowOf(parts)).toISOString(), by: parts.person };
      yield* exportSession(store, sid, {
        exported,
        isSealed: problems.length === 0,
        ...defined({ trace }),
      });
    },
    import: (lines) => importSession(parts, lines),
    verifyExport: (lines, check) => verifyExport(parts, lines, check),
    async prunable(request) {
      checkStatuses(request.statuses);
      return prunableSessions(await parts.store(), request);
    },
    async prune(request) {
      checkStatuses(request.statuses);
      return prune(parts, request);
    },
  };
}

/**
 * Returns a view of a store with the sessions of one principal only. Other sessions are reported as not found, and
 * operations that concern all sessions are refused.
 */
function storeOf(principal: string, store: SessionStore): SessionStore {
  const { index } = store;
  const load: SessionStore['load'] = async (sid) => {
    const loaded = await store.load(sid);
    return loaded?.session.principal === principal ? loaded : undefined;
  };
  return {
    ...store,
    load,
    find: (query, page) => store.find({ ...query, principal }, page),
    ...(index && {
      index: {
        outdated: refuse,
        put: refuse,
        entries: index.entries,
        select: (query) => index.select({ ...query, principal }),
      },
    }),
    counts: () => store.counts(principal),
    events: async (sid, range) => ((await load(sid)) === undefined ? [] : store.events(sid, range)),
    inspect: async (sid) => {
      const found = await store.inspect?.(sid);
      return found?.session?.value.principal === principal ? found : undefined;
    },
    seal: refuse,
    survey: refuse,
    create: refuse,
    prune: refuse,
    changes: refuse,
  };
}

function refuse(): Promise<never> {
  const error = new WorkflowError('FORBIDDEN', messages.otherUsersToo());
  return Promise.reject(error);
}
