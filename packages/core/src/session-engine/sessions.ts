import type { Checkpoint, Json, JsonObject, WorkflowSummary } from '@workflowlookup/schema';
import type {
  DefinitionProblem,
  StoreHealth,
  UntrustedDefinition,
  SessionRow,
  SessionStore,
  WorkflowStore,
} from '@workflowlookup/storage';
import type { EvidenceCollector, StatementReader } from '../evidence/collector.ts';
import type { EvidenceState } from '../evidence/evidence-state.ts';
import type { Jobs } from '../jobs.ts';
import type { ResolvedElement } from '../library/operations.ts';
import type { AnchoredHead } from '../operator/seal-session.ts';
import type { KeyRing, RandomBytes, TokenCodec } from './session-tokens.ts';
import type { AnswerMode, ParkRequest } from '../session/command.ts';
import type { DecisionPolicy } from '../session/decide.ts';
import type { Decider } from '../session/open-checkpoints.ts';
import type { MoveCommand } from '../session/evaluate-move.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import type { ManifestEntry, SessionEvent } from '../session/session-event.ts';
import type { PersonNote, ParkedSession, SessionState } from '../session/session-state.ts';
import type { SessionStatus } from '../session/status.ts';
import type { CollectRequest, Collected } from '../evidence/collect-evidence.ts';
import type { QuestionParts, ShownValue } from './present.ts';
import type { ReadText, TraceReading } from './trace.ts';

/** The result of a session call with the token for the next call. */
export interface Reply<Value> {
  readonly value: Value;
  readonly token: string;
  /** Warnings about an advisory session, an old token, or a changed or broken definition. They block nothing. */
  readonly warnings: readonly string[];
  /** Counts the text that is sent with this reply. A server that knows its length adds it. */
  readonly read: ReadText;
  /** For a move: the trace of the activity that was left. */
  readonly traceToken?: string;
}

/** How to begin, for an agent that knows nothing. */
export interface Discovery {
  /** Resource 00 of `meta`; absent if there is none. */
  readonly guide?: string;
  /** Sessions of the caller that are not completed or parked, newest first, at most 10. */
  readonly openSessions: readonly OpenSessionEntry[];
  /** Parked sessions of the caller whose time has not come, newest first, at most 10. */
  readonly parkedSessions: readonly OpenSessionEntry[];
  /** Number of definitions that are not served because they are not trusted. */
  readonly untrusted: number;
}

/** A session that can be resumed by its id. */
export interface OpenSessionEntry
  extends
    Pick<SessionRow, 'sid' | 'workflowId' | 'project' | 'updatedAt'>,
    Pick<SessionState, 'current' | 'parked'> {}

/** The workflows that can be started, and the definitions that can't. */
export interface WorkflowList {
  /** Sorted by id; without `meta`. */
  readonly workflows: readonly WorkflowSummary[];
  readonly problems: readonly DefinitionProblem[];
  readonly untrusted: readonly UntrustedDefinition[];
}

/** The health of the server. */
export interface Health {
  readonly workflows: number;
  readonly problems: number;
  readonly untrusted: number;
  readonly uptimeSeconds: number;
  /** Absent until a session was requested, because the database is opened then. */
  readonly store?: StoreHealth;
}

/** How a session is started or resumed. */
export interface StartRequest {
  readonly agentId: string;
  /** Default `meta`. */
  readonly workflowId?: string;
  /** What the session is about, for people; at most 200 characters. Ignored if a session is resumed. */
  readonly title?: string;
  /** Token of the session this one is a child of. */
  readonly parentToken?: string;
  /** Token or id of the session to resume. */
  readonly sessionToken?: string;
  /** Enters the initial activity, and returns the activity that the session is at. Default false. */
  readonly includeActivity?: boolean;
}

/** How long to wait for the answer to a checkpoint. */
export interface Wait {
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/** Options of calls that can return the current activity too. */
export interface ReadingOptions {
  /** Returns the activity as `activity` does, which then counts as read. Default false. */
  readonly includeActivity?: boolean;
}

/** A session that was started or resumed. */
export interface Started {
  readonly sid: string;
  readonly workflow: Presented['definition'] & {
    readonly id: string;
    readonly version: string;
    readonly title: string;
    readonly description?: string;
  };
  /** The session existed already. */
  readonly inherited?: true;
  /** The request named it by its id, or by a token that this server did not sign. */
  readonly adopted?: true;
  /** The session that the request named could not be resumed, so this is a new one. */
  readonly recovered?: true;
  readonly warning?: string;
  /** The activity that the session is at, if the request set `includeActivity`. */
  readonly arrival?: Arrival;
}

/** The activity that a session is at, or the reason why it is at none. */
export type Arrival =
  | { readonly kind: 'activity'; readonly activity: ActivityReading; readonly rules: readonly string[] }
  /** The workflow can begin at several activities. None was entered. */
  | {
      readonly kind: 'choice';
      readonly entryPoints: readonly { readonly id: string; readonly name: string }[];
    }
  /** A checkpoint waits, the session is completed, or nothing can be entered before variables are set. */
  | { readonly kind: 'status'; readonly status: SessionStatus };

/** An activity as a worker reads it, each part in TOON. */
export interface ActivityReading {
  /** The operations, or the line that names a bundle the agent has. */
  readonly bundle: string;
  readonly body: string;
}

/** A workflow as an orchestrator reads it, each part in TOON. */
export interface WorkflowReading extends ActivityReading {
  /** The primary skill; empty if there is none. */
  readonly skill: string;
}

/** A step that an agent reports as done or, with a reason, as not done. Its output may be an object if it has fields. */
export interface ReportedStep extends Omit<ManifestEntry, 'output'> {
  readonly output: string | JsonObject;
}

/** A move from one activity to the next, or to the end. */
export interface MoveRequest extends Omit<MoveCommand, 'kind' | 'manifest' | 'credential'> {
  readonly manifest?: readonly ReportedStep[];
}

/** The result of a move. */
export type Moved =
  | {
      readonly status: 'active';
      readonly activity: string;
      readonly name: string;
      readonly reading?: ActivityReading;
    }
  /** With the steps that were not done in the whole session. */
  | ({ readonly status: 'completed' } & Pick<SessionState, 'completed' | 'notDone'>);

/** A session that continues after an answer. */
export interface Resumed {
  /** What persons wrote with their answers in this activity, oldest first. Absent if they wrote nothing. */
  readonly notes?: readonly PersonNote[];
  readonly reading?: ActivityReading;
}

/** A checkpoint that waits now, or that the server answered with its default option without asking. */
export interface Yielded {
  readonly checkpoint: string;
  /** The session has one agent, no parent and no children. */
  readonly isAlone: boolean;
  /** Present if nobody is asked, because of the session's autonomy. */
  readonly taken?: Answered;
}

/** A session that is parked now; `until` is when `discover` lists it as open again, ISO 8601 in UTC. */
export type Parked = Pick<ParkedSession, 'reason' | 'until'>;

/** How a checkpoint is answered. */
export interface AnswerRequest {
  readonly mode: AnswerMode;
  /** `elicitation`: the agent's client reports that its user answered. Default `call`. */
  readonly through?: 'call' | 'elicitation';
  /** The words of the user. They count as a person's only if the credential of the call answers as a person. */
  readonly note?: string;
}

/** A checkpoint that was answered. */
export type Answered = Pick<SessionEventOf<'checkpoint-answered'>, 'checkpoint' | 'answer' | 'effect'>;

/** An open checkpoint as it is presented to a person. */
export interface Presented extends Pick<SessionState, 'taken' | 'notDone'> {
  /** With the variables in its texts. */
  readonly checkpoint: Omit<Checkpoint, 'condition'>;
  /** The texts of the checkpoint in parts: text of the workflow, and inserted values. */
  readonly parts: QuestionParts;
  /** The values inserted in the texts, and who set each. */
  readonly values: readonly ShownValue[];
  readonly activity: string;
  /** The revision at which it was asked: an answer names it, so that it answers this question and no later one. */
  readonly revision: number;
  /** The definition that asks: its digest and, if known, the source that served it. */
  readonly definition: Pick<SessionState, 'digest' | 'source'>;
  /** ISO 8601. */
  readonly yieldedAt: string;
  /**
   * Who decides: a `person` outside of the agent, whose own answer is refused; the `user` of the agent, who is asked by it;
   * or the `agent` itself.
   */
  readonly answeredBy: Decider;
  /** Where a person answers; present if an agent's answer is refused. */
  readonly humanAnswersWith?: string;
  /** Whether an elicited answer would be accepted. */
  readonly mayElicit: boolean;
  /** The evidence of the session, as it stands now. Absent if there is none. */
  readonly evidence?: readonly EvidenceState[];
}

/** A resource: the text of its file without front matter. */
export interface ResourceReading {
  readonly id: string;
  readonly version?: string;
  readonly body: string;
}

/**
 * The sessions of one caller. Every method that takes a token throws `WorkflowError` TOKEN_INVALID for one that is not
 * genuine, and STORE_UNAVAILABLE if the database fails. All but `status`, `present` and `answer` throw CHECKPOINT_OPEN while a
 * checkpoint is open. The `data.remedy` of an error is the call that helps, a `Remedy`.
 *
 * @see docs/sessions.md
 */
export interface Sessions {
  discover(): Promise<Discovery>;
  list(): Promise<WorkflowList>;
  health(): Promise<Health>;
  /**
   * A new session that enters its initial activity begins with both events at once.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_WORKFLOW; TOKEN_INVALID for a parent that is not genuine
   */
  start(request: StartRequest): Promise<Reply<Started>>;
  status(token: string): Promise<Reply<SessionStatus>>;
  /** `full` sends operations again that the agent has. */
  workflow(
    token: string,
    options: { readonly summary: boolean; readonly full: boolean },
  ): Promise<Reply<WorkflowReading>>;
  /** @throws INVALID_STATE before the first activity */
  activity(token: string, options: { readonly full: boolean }): Promise<Reply<ActivityReading>>;
  /** @throws what `decide` refuses; SESSION_CONFLICT with the current token for a token that saw another revision */
  move(token: string, request: MoveRequest, options?: ReadingOptions): Promise<Reply<Moved>>;
  /**
   * Collects the evidence that the current activity asks for, and records it. Two calls never run a check twice.
   *
   * @throws as `move`; INVALID_STATE on a server that can't see the folder of the session
   */
  collect(token: string, request: CollectRequest): Promise<Reply<Collected>>;
  /**
   * The token in the reply identifies the checkpoint. Variables are set first, so that the question shows them.
   *
   * @throws as `move`; CHECKPOINT_NOT_FOUND
   */
  yield(
    token: string,
    checkpointId: string,
    variables?: Readonly<Record<string, Json>>,
  ): Promise<Reply<Yielded>>;
  /** Waits up to that long for the answer. @throws CHECKPOINT_OPEN; INVALID_STATE if nothing was answered */
  resume(token: string, wait?: Wait, options?: ReadingOptions): Promise<Reply<Resumed>>;
  /** @throws INVALID_STATE if no checkpoint waits */
  present(token: string): Promise<Reply<Presented>>;
  /** @throws as `move`; HUMAN_REQUIRED */
  answer(token: string, request: AnswerRequest): Promise<Reply<Answered>>;
  /**
   * Parks the session: it keeps everything, and the next move or start resumes it.
   *
   * @throws INVALID_INPUT for a reason or a time that can't be used; CHECKPOINT_OPEN
   */
  park(token: string, request: ParkRequest): Promise<Reply<Parked>>;
  /** The primary skill of the workflow in TOON, where it has one. */
  skills(token: string): Promise<Reply<readonly string[]>>;
  /** The skill of a step, of the activity, or before the first activity of the workflow. @throws SKILL_NOT_FOUND */
  skill(token: string, stepId?: string): Promise<Reply<string>>;
  /** @throws RESOURCE_NOT_FOUND */
  resource(token: string, resourceId: string): Promise<Reply<ResourceReading>>;
  /** Without a token, references without a workflow mean `meta`. */
  operations(refs: readonly string[], token?: string): Promise<readonly ResolvedElement[]>;
  /** Returns the counter for the text of an error or of operations, if they answer a call of a session. */
  readTextOf(answer: unknown): ReadText | undefined;
  /** With trace tokens the calls of their segments, else those of the session. */
  trace(token: string, traceTokens?: readonly string[]): Promise<Reply<TraceReading>>;
}

/**
 * The session policy of a deployment. It is sealed into each session that starts here. A session started elsewhere
 * keeps its own policy if that is stricter.
 */
export interface SessionPolicy extends DecisionPolicy {
  /** Returns where a person answers the checkpoint of a session, for the refusal that an agent gets. */
  humanAnswersWith(sid: string): string;
  /** Returns the command with which a person ends a session. Default: the one of the command line, without options. */
  humanEndsWith?(sid: string): string;
}

/** The caller. Sessions belong to their principal. */
export interface Caller {
  readonly principal: string;
  /** Whether the caller acts for a person and may answer checkpoints that agents may not. Default false. */
  readonly mayRespond?: boolean;
  /** The id of the call's credential, never the secret. Absent if none is needed. */
  readonly credential?: string;
  /** The name of the person the caller acts for, if it may respond. */
  readonly person?: string;
  /** The working folder, by which open sessions are found again. */
  readonly project?: string;
}

/** The store and keys, opened with the first call of a session and kept open. */
export interface SessionStorage {
  readonly store: SessionStore;
  readonly tokens: TokenCodec;
  readonly keys: KeyRing;
}

/** An event that was appended to a journal, for counting and recording: it has no content of the event. */
export interface WrittenEvent {
  readonly sid: string;
  readonly type: SessionEvent['type'];
  /** Of an answer: how long its checkpoint waited for it. */
  readonly waitedMs?: number;
}

/** The kind of a session call, independent of its name on the wire. */
export type CallKind =
  | 'start'
  | 'status'
  | 'read-workflow'
  | 'move'
  | 'collect'
  | 'read-activity'
  | 'yield'
  | 'resume'
  | 'present'
  | 'answer'
  | 'park'
  | 'read-skills'
  | 'read-skill'
  | 'read-resource'
  | 'resolve-operations'
  | 'read-trace';

/** The result of the work of a call, before its reply is made. */
export interface Outcome<Value> {
  readonly value: Value;
  readonly warnings?: readonly string[];
  /** The state that the work moved the session to, or found it in. */
  readonly state?: SessionState;
  /** Time of the write. Its token is the same however often the call is repeated. */
  readonly atMs?: number;
  /** The call was made before, and this is its result from then. */
  readonly isRepeated?: true;
  readonly skill?: string;
  readonly traceToken?: string;
}

/** The parts that sessions are made from. */
export interface SessionParts {
  readonly workflows: WorkflowStore;
  /** Opens the database and the keys; called again it gives the same. Starting a server must not call it. */
  vault(): Promise<SessionStorage>;
  readonly policy: SessionPolicy;
  readonly caller: Caller;
  /** Called for each event after it is stored, but not for a repeated call. Must not throw. */
  onWrite?(written: WrittenEvent): void;
  /** Called with the session of a call, once it is known to be the caller's. Must not throw. */
  onSession?(sid: string): void;
  /**
   * Called before a session or a child session is started; an error it throws is the reply. By default every session
   * may be started.
   */
  beforeStart?(caller: Caller): Promise<void>;
  /** Collects evidence in the working folder; absent on a server that can't see the folder of its callers. */
  readonly evidence?: EvidenceCollector | undefined;
  /** Reads statements that keys signed which the server trusts; absent: no statement counts. */
  readonly statements?: StatementReader | undefined;
  /** Judges outputs; by default on the thread that asks. */
  readonly jobs?: Jobs | undefined;
  /** Called with the end of a journal after each event, to record it elsewhere. Must not throw. */
  onHead?(head: AnchoredHead): void;
  readonly now?: () => Date;
  readonly random?: RandomBytes;
  /** Waits that many milliseconds, or less if the signal fires. */
  readonly pause?: (ms: number, signal?: AbortSignal) => Promise<void>;
}
