import type { EvidenceCollector, StatementReader } from '../evidence/collector.ts';
import type { SessionStore, WorkflowStore } from '@workflowlookup/storage';
import type { Jobs } from '../jobs.ts';
import type { AnchoredHead } from '../operator/seal-session.ts';
import type { DecisionPolicy } from '../session/command.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { KeyRing, RandomBytes, TokenCodec } from '../session-tokens.ts';

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

/** Milliseconds since the epoch. */
export function nowOf({ now = () => new Date() }: Pick<SessionParts, 'now'>): number {
  return now().getTime();
}

/** Milliseconds of a monotonic clock, to measure how long something takes. */
export function steadyMs({ now }: Pick<SessionParts, 'now'>): number {
  return now === undefined ? performance.now() : now().getTime();
}
