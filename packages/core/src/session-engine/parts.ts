import type { SessionStore, WorkflowStore } from '@workflowlookup/storage';
import type { Jobs } from '../jobs/jobs.ts';
import type { AnchoredHead } from '../operator/anchors.ts';
import type { KeyRing } from '../tokens/key-ring.ts';
import type { RandomBytes } from '../tokens/session-id.ts';
import type { TokenCodec } from '../tokens/token-codec.ts';
import type { DecisionPolicy } from '../session/policy.ts';
import type { SessionEvent } from '../session/session-event.ts';

/**
 * What a deployment decides about its sessions. It is sealed into each session that starts here; a session that was
 * started elsewhere keeps what was sealed into it, where that is stricter.
 */
export interface SessionPolicy extends DecisionPolicy {
  /** Where a person answers the checkpoint of a session, as the refusal of an agent says it. */
  humanAnswersWith(sid: string): string;
}

/** Who calls: sessions belong to their principal. */
export interface Caller {
  readonly principal: string;
  /** Whether the caller stands for a person: it may answer checkpoints that agents may not. Default false. */
  readonly mayRespond?: boolean;
  /** The credential of the call: an id, never the secret. Absent where none is needed. */
  readonly credential?: string;
  /** The name of the person the caller stands for, where it may respond. */
  readonly person?: string;
  /** The working folder, by which open sessions are found again. */
  readonly project?: string;
}

/** What opens with the first call of a session and stays open. */
export interface SessionVault {
  readonly store: SessionStore;
  readonly tokens: TokenCodec;
  readonly keys: KeyRing;
}

/** An event that was added to a journal, for whoever counts or records: nothing of what it says. */
export interface WrittenEvent {
  readonly sid: string;
  readonly type: SessionEvent['type'];
  /** Of an answer: how long its checkpoint waited for it. */
  readonly waitedMs?: number;
}

/** What sessions are made of. */
export interface SessionParts {
  readonly workflows: WorkflowStore;
  /** Opens the database and the keys; called again it gives the same. Starting a server must not call it. */
  vault(): Promise<SessionVault>;
  readonly policy: SessionPolicy;
  readonly caller: Caller;
  /** Told of each event once it is kept; of a call that is answered again, nothing. Must not throw. */
  onWrite?(written: WrittenEvent): void;
  /** Called with the session of a call, once it is known to be the caller's. Must not throw. */
  onSession?(sid: string): void;
  /** Called before a session is started, also a child session; what it throws is the answer. By default all may be started. */
  beforeStart?(caller: Caller): Promise<void>;
  /** Judges outputs; by default on the thread that asks. */
  readonly jobs?: Jobs | undefined;
  /** Called with the end of a journal after each event, to record it elsewhere. Must not throw. */
  onHead?(head: AnchoredHead): void;
  readonly now?: () => Date;
  readonly random?: RandomBytes;
  /** Waits that many milliseconds, less when the signal says so. */
  readonly pause?: (ms: number, signal?: AbortSignal) => Promise<void>;
}
