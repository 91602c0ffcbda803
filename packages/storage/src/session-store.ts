import type { Json, JsonObject } from '@workflowlookup/schema';

/** How far a session is; one that was abandoned is `completed`. */
export type SessionStatus = 'active' | 'blocked' | 'completed';

/** How many sessions there are of each status. */
export type SessionCounts = Readonly<Record<SessionStatus, number>>;

/** The end of a journal: what the next event is sealed onto. A {@link SessionRow} is one. */
export interface JournalHead {
  /** How many events there are. */
  readonly revision: number;
  /** The hash of the last event; empty where there is none. */
  readonly hash: string;
}

/** An event of a session as it is kept: sealed by `sealEvents` of `@workflowlookup/storage/journal`. */
export interface JournalEvent {
  /** 1 for the first event of a session, then one more for each. */
  readonly revision: number;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly at: string;
  readonly type: string;
  /** Never interpreted by a store. */
  readonly data: JsonObject;
  /** The hash of the event before; empty for the first. */
  readonly prevHash: string;
  readonly hash: string;
}

/** What the events up to a revision came to, so that they need not be replayed. Never interpreted by a store. */
export interface Snapshot {
  readonly revision: number;
  readonly state: JsonObject;
}

/** What stays the same about a session from its start. */
export interface NewSession {
  /** Printable ASCII without spaces, at most 128 characters. */
  readonly sid: string;
  readonly workflowId: string;
  readonly version: string;
  /** The definition it runs on; `putDefinition` comes first. */
  readonly digest: string;
  /** The session it was started from. */
  readonly parentSid?: string;
  /** Who owns it. */
  readonly principal: string;
  /** The agent that started it. */
  readonly agent: string;
  /** The working folder it was started in. */
  readonly project?: string;
  /** Present where it was imported. */
  readonly imported?: ImportMark;
  /** Present where a person sealed it later than it was written. */
  readonly sealed?: SealMark;
}

/** That a session was imported: who vouches for what happened before. */
export interface ImportMark {
  /** When it was imported; ISO 8601. */
  readonly at: string;
  /** The person who imported it. */
  readonly by: string;
  /** Whether a key of this server sealed what was imported: its decisions then count as made here. */
  readonly isAuthentic: boolean;
  /** How many events were imported; those after them were written here. */
  readonly revision: number;
  /** Who owned it where it was exported. */
  readonly principal: string;
  /** When and by whom it was exported, as the export says. */
  readonly exportedAt?: string;
  readonly exportedBy?: string;
}

/** That a person vouched for a session which had no seal, or one by a key that was lost. */
export interface SealMark {
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
  /** Up to which event. */
  readonly revision: number;
  /** The key that was lost. */
  readonly lostKey?: string;
  /** `digestOf` the definition, where it had no genuine seal: this session may run on it, and no other. */
  readonly definition?: string;
}

/**
 * Why a session is not known to be what a server with the keys wrote: `unsealed`, it has no seal, as before there were
 * seals; `forged`, its seal is wrong; `unknown-key`, it names a key that is not in the ring; `unchecked`, there are no
 * keys here to check it with.
 */
export type Unauthentic = 'unsealed' | 'forged' | 'unknown-key' | 'unchecked';

/** A session without its journal. */
export interface SessionRow extends NewSession, JournalHead {
  readonly status: SessionStatus;
  /** Absent where the session authenticates, and in a store that does not seal. */
  readonly unauthentic?: Unauthentic;
  /** When its first event happened. */
  readonly createdAt: string;
  /** When its last event happened. */
  readonly updatedAt: string;
}

/** The identity of a write, and what it answered: the same write again is answered from here. */
export interface RecordedCommand {
  readonly key: string;
  readonly result: JsonObject;
}

/** What one write adds to a session, in one transaction. */
export interface SessionWrite {
  /** One or more, sealed onto the head of the journal. */
  readonly events: readonly JournalEvent[];
  /** Left out: `active` for a new session, else as it was. */
  readonly status?: SessionStatus;
  /** Left out: the one before stays. */
  readonly snapshot?: Snapshot;
  readonly command?: RecordedCommand;
  /** Digests of the big values these events refer to; `putBlob` comes first. */
  readonly blobs?: readonly string[];
  /** Of an `append`: the session as `load` gave it, so that a store which seals need not read it again. */
  readonly session?: SessionRow;
}

/** A session, and what it takes to know its state. */
export interface LoadedSession {
  readonly session: SessionRow;
  readonly snapshot?: Snapshot;
  /** The events after the snapshot, or all where there is none. */
  readonly events: readonly JournalEvent[];
}

/** A part of a list that is numbered from 1. */
export interface Range {
  /** The number before the first one wanted; 0 when left out. */
  readonly after?: number;
  /** All when left out. */
  readonly limit?: number;
}

/** Which sessions to find; what is left out does not count. */
export interface SessionQuery {
  readonly workflowId?: string;
  readonly statuses?: readonly SessionStatus[];
  readonly principal?: string;
  readonly agent?: string;
  readonly parentSid?: string;
  readonly project?: string;
  /** A part of the session id, workflow id, principal, agent or project; of letters only A to Z equal a to z. */
  readonly text?: string;
  /** ISO 8601: last written to before then. */
  readonly updatedBefore?: string;
  /** ISO 8601: last written to then or later. */
  readonly updatedSince?: string;
  /** Whether the row of the session is of its last event. It is not if somebody put an older row back. */
  readonly isAtEnd?: boolean;
}

/** Which part of what was found. */
export interface PageRequest {
  /** 1 to 1,000; 100 when left out. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}

/** A part of what was found. A session that is written to meanwhile moves to the front. */
export interface SessionPage {
  /** The one last written to first. */
  readonly sessions: readonly SessionRow[];
  /** Where there are more. */
  readonly next?: string;
}

/** A recorded call of a session. */
export interface CallRecord {
  /** 1 for the first call kept of a session, then one more for each. */
  readonly n: number;
  /** Never interpreted by a store. */
  readonly call: JsonObject;
}

/** An event as the whole database sees it. */
export interface SessionChange {
  /** Higher than that of every event committed before, whichever process did. */
  readonly cursor: number;
  readonly sid: string;
  readonly revision: number;
  readonly at: string;
  readonly type: string;
}

/** Which sessions to drop. */
export interface PruneRequest {
  /** ISO 8601: only those last written to before then. */
  readonly before: string;
  readonly statuses: readonly SessionStatus[];
}

/** A secret that seals are made with. */
export interface SealKey {
  /** Tells keys apart, and is kept with each seal. */
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** The keys of a store: it seals with one, and accepts seals of all of them. */
export interface SealKeys {
  readonly signing: SealKey;
  /** Holds `signing` too. */
  readonly verifying: readonly SealKey[];
}

/** What is sealed; no seal of one kind can stand in for one of another. */
export type SealedKind =
  | 'agent'
  | 'anchor'
  | 'call'
  | 'command'
  | 'definition'
  | 'delivery'
  | 'event'
  | 'export'
  | 'session'
  | 'state';

/** A value that a seal covers. */
export type SealValue = string | number | boolean | null;

/**
 * What a seal turned out to be: `absent`, there is none; `wrong`, no key that it names made it over these values;
 * `unknown-key`, it names a key that is not in the ring; `unchecked`, there are no keys here.
 */
export type SealVerdict = 'genuine' | 'absent' | 'wrong' | 'unknown-key' | 'unchecked';

/** Seals values with a key that is not in the database, and judges seals. */
export interface Seals {
  /** Whether there are keys to check with. */
  hasKeys(): boolean;
  /** Whether the store was made without keys: its seals find damage, and prove nothing. */
  readonly isPlain: boolean;
  /** @throws WorkflowError STORAGE where there are no keys here */
  make(kind: SealedKind, values: readonly SealValue[]): string;
  judge(kind: SealedKind, values: readonly SealValue[], seal: string | null): SealVerdict;
}

/** Whether a store answers, and takes writes again where one has failed. */
export interface StoreHealth {
  readonly ok: boolean;
  /** What it is, such as `memory`. */
  readonly adapter: string;
  /** The cursor of the last change; 0 where there is none. */
  readonly lastChange: number;
  /** Facts of the adapter, such as the version of its database. */
  readonly facts: JsonObject;
  /** What is wrong, where `ok` is false. */
  readonly problem?: string;
  /** The same in one word, as errors have it in `data.reason`. */
  readonly reason?: string;
}

/** Something that is kept of a session, and what its seal turned out to be. */
export interface Inspected<Value> {
  readonly value: Value;
  readonly verdict: SealVerdict;
  /** As it is kept. */
  readonly seal: string | null;
}

/** A call as it is inspected. */
export interface InspectedCall {
  readonly call: JsonObject;
  /** The store that kept it, and the number it gave it; `null` where an older program did. */
  readonly writer: string | null;
  readonly seq: number | null;
}

/** Everything that is kept of a session. What can't be read at all is `undefined` in its place. */
export interface InspectedSession {
  readonly sid: string;
  /** Absent where only other rows are left. */
  readonly session?: Inspected<SessionRow>;
  readonly snapshot?: Inspected<Snapshot | undefined>;
  /** In the order of their revisions; `follows` names the last call before it: `WRITER:NUMBER`. */
  readonly events: readonly (Inspected<JournalEvent | undefined> & { readonly follows: string | null })[];
  readonly calls: readonly Inspected<InspectedCall | undefined>[];
  readonly commands: readonly Inspected<RecordedCommand | undefined>[];
  readonly agents: readonly Inspected<{ readonly number: number; readonly agent: string }>[];
  readonly deliveries: readonly Inspected<{ readonly agent: number; readonly digest: string }>[];
  readonly blobs: readonly string[];
  /** Of the definition it names. */
  readonly definition?: Inspected<JsonObject | undefined>;
}

/** Something in a database that can hide rows from a server, or change what it writes, and that no server made. */
export interface ForeignObject {
  /** Such as `trigger`, `rule`, `view`, `row security` or `child table`. */
  readonly kind: string;
  readonly name: string;
  /** The table it belongs to. */
  readonly table: string;
}

/** What a whole database holds, read from its tables alone: whoever writes to it can leave a session out of an index. */
export interface StoreSurvey {
  /** Every session that a row names, in order. */
  readonly sids: readonly string[];
  readonly foreign: readonly ForeignObject[];
  /** What the database itself reports as damaged; at most 100. */
  readonly damage: readonly string[];
}

/** How a definition is kept. */
export interface PutDefinitionOptions {
  readonly isUnsealed?: boolean;
  readonly isServed?: boolean;
}

/**
 * Where sessions are kept. Every adapter runs `describeSessionStore` of `@workflowlookup/storage/testing`.
 * What a store can't do it says with a `WorkflowError`: `STORAGE` where the place fails, and then nothing that was
 * not acknowledged counts; `STATE` where a write refers to what is not there.
 */
export interface SessionStore {
  /** Keeps a new session with its first events; false where its id is taken. */
  create(session: NewSession, write: SessionWrite): Promise<boolean>;
  /** `undefined` where there is no such session. */
  load(sid: string): Promise<LoadedSession | undefined>;
  /**
   * Adds events if the journal still ends where they were sealed; when this returns true they survive a crash. False
   * where another write came first, its command was recorded before, or the session is gone; nothing is then kept.
   */
  append(sid: string, expectedRevision: number, write: SessionWrite): Promise<boolean>;
  /** What the write with this key answered. */
  recorded(sid: string, key: string): Promise<JsonObject | undefined>;
  /** By revision; none where there is no such session. */
  events(sid: string, range?: Range): Promise<readonly JournalEvent[]>;
  find(query: SessionQuery, page?: PageRequest): Promise<SessionPage>;
  /**
   * Of one principal, or of all. Cheap enough to be asked every few seconds. A place that nobody needed yet is not made
   * for this.
   */
  counts(principal?: string): Promise<SessionCounts>;

  /** Keeps a call. It may be written behind, so a crash may lose the last ones; one of a session that is gone is dropped. */
  recordCall(sid: string, call: JsonObject): Promise<void>;
  /** Those of this store that were written behind included. */
  calls(sid: string, range?: Range): Promise<readonly CallRecord[]>;

  /**
   * Keeps the definition of sessions to come; of two with one digest the first counts, unless it was changed meanwhile.
   * `isUnsealed` keeps a definition that nobody here vouches for, unless there is one already. A later call without it
   * replaces that definition. `isServed` replaces every other body: a digest does not cover all of it, and what this
   * server serves now counts more than what anybody kept.
   */
  putDefinition(digest: string, body: JsonObject, options?: PutDefinitionOptions): Promise<void>;
  /** `isUnsealedToo` also takes one that was kept without a seal, for a session that nobody here vouches for either. */
  getDefinition(
    digest: string,
    options?: { readonly isUnsealedToo?: boolean },
  ): Promise<JsonObject | undefined>;
  /** Keeps a big value once and returns its digest (`digestOf`). A write that refers to it names the digest. */
  putBlob(value: Json): Promise<string>;
  getBlob(digest: string): Promise<Json | undefined>;
  /** The digests that the writes of a session named, sorted. */
  blobs(sid: string): Promise<readonly string[]>;

  /** The number of an agent in a session: 1 for the first that joined, then one more for each. */
  joinAgent(sid: string, agent: string): Promise<number>;
  /** In the order they joined: the first has number 1. */
  agents(sid: string): Promise<readonly string[]>;
  /** The digests of the bundles that the agent with this number was sent, sorted. */
  delivered(sid: string, agent: number): Promise<readonly string[]>;
  /** May be written behind: a crash then means that a bundle is sent again. */
  markDelivered(sid: string, agent: number, digests: readonly string[]): Promise<void>;
  resetDelivered(sid: string, agent: number): Promise<void>;

  /**
   * Drops sessions and returns how many; never one that a session still running descends from, nor one that does not
   * authenticate or whose row is not the end of its events: nobody knows whether it is over. Definitions and values that nothing refers to and that were put before
   * then go too.
   */
  prune(request: PruneRequest): Promise<number>;
  /** The events committed after a cursor, at most `limit`, oldest first; 0 is before the first. */
  changes(after: number, limit: number): Promise<readonly SessionChange[]>;
  /**
   * Tells a listener soon after sessions were written to, by this store or by another one over the same place where
   * the place can tell; returns what ends that. Only a hint, to look earlier than one would have: it may come twice,
   * or never. The listener must not throw.
   */
  watchChanges?(listener: (sids: readonly string[]) => void): () => void;
  /** How a store seals what it keeps; absent in one that does not. */
  readonly seals?: Seals;
  /**
   * Everything that is kept of a session, as it is, with what each seal turned out to be: for `verify`, which tells what
   * is wrong where `load` only refuses. `undefined` where nothing is kept of it.
   */
  inspect?(sid: string): Promise<InspectedSession | undefined>;
  /** For `verify --all`: reads the whole database. */
  survey?(): Promise<StoreSurvey>;
  /**
   * Seals everything that is kept of a session anew, with the key that signs now: a person vouches for it. What was kept
   * at one moment is read, and kept if it is still so. @throws WorkflowError STATE where it changed meanwhile
   */
  seal?(found: InspectedSession, mark: SealMark | undefined): Promise<void>;
  /** Never rejects. */
  health(): Promise<StoreHealth>;
  /** Writes what was left behind and lets everything go. A closed store may be closed again; all else is refused. */
  close(): Promise<void>;
}
