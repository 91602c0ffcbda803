import type { Json, JsonObject } from '@workflowlookup/schema';

/** The statuses of sessions. An abandoned session is `completed`. */
export const sessionStatuses = ['active', 'blocked', 'parked', 'completed'] as const;

/** The status of a session. */
export type SessionStatusWord = (typeof sessionStatuses)[number];

/** The number of sessions by status. */
export type SessionCounts = Readonly<Record<SessionStatusWord, number>>;

/** The end of a journal, which the hash of the next event covers. Every {@link SessionRow} is one. */
export interface JournalHead {
  /** The number of events. */
  readonly revision: number;
  /** The hash of the last event, or an empty text without events. */
  readonly hash: string;
}

/** An event of a session as it is stored, with the hash from `sealEvents` of `@workflowlookup/storage/journal`. */
export interface JournalEvent {
  /** Starts at 1 for each session and has no gaps. */
  readonly revision: number;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly at: string;
  readonly type: string;
  /** Stores do not interpret it. */
  readonly data: JsonObject;
  /** The hash of the previous event, or an empty text for the first event. */
  readonly prevHash: string;
  readonly hash: string;
}

/** The state after the events up to a revision, so that they need not be replayed. Stores do not interpret it. */
export interface Snapshot {
  readonly revision: number;
  readonly state: JsonObject;
}

/** The fields of a session that never change. */
export interface NewSession {
  /** Printable ASCII without spaces, at most 128 characters. */
  readonly sid: string;
  readonly workflowId: string;
  readonly version: string;
  /** The digest of its definition, which must be stored with `putDefinition` before. */
  readonly digest: string;
  /** The session that started it. */
  readonly parentSid?: string;
  /** The owner. */
  readonly principal: string;
  /** The agent that started it. */
  readonly agent: string;
  /** The working directory in which it was started. */
  readonly project?: string;
  /** Present if the session was imported. */
  readonly imported?: ImportMark;
  /** Present if a person sealed the session after it was written. */
  readonly sealed?: SealMark;
}

/** The record of an import. */
export interface ImportMark {
  /** When it was imported, in ISO 8601. */
  readonly at: string;
  /** The person who imported it. */
  readonly by: string;
  /** Whether a key of this server sealed the export. If so, decisions in it count as made on this server. */
  readonly isAuthentic: boolean;
  /** The number of imported events. Later events were written on this server. */
  readonly revision: number;
  /** The owner on the exporting server. */
  readonly principal: string;
  /** When and by whom it was exported, according to the export. */
  readonly exportedAt?: string;
  readonly exportedBy?: string;
}

/** The record that a person vouched for a session without a seal or with a seal whose key was lost. */
export interface SealMark {
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
  /** The last event that the person vouched for. */
  readonly revision: number;
  /** The id of the lost key. */
  readonly lostKey?: string;
  /** The `digestOf` a definition without a genuine seal. Only this session may use it. */
  readonly definition?: string;
}

/**
 * Why a session is not authentic. `unsealed`: it has no seal, as before there were seals. `forged`: its seal is wrong.
 * `unknown-key`: this server does not have the key of its seal. `unchecked`: this program has no keys to check it with.
 */
export type Unauthentic = 'unsealed' | 'forged' | 'unknown-key' | 'unchecked';

/** A session without its journal. */
export interface SessionRow extends NewSession, JournalHead {
  readonly status: SessionStatusWord;
  /** Absent if the session is authentic, and in a store without seals. */
  readonly unauthentic?: Unauthentic;
  /** The time of its first event. */
  readonly createdAt: string;
  /** The time of its last event. */
  readonly updatedAt: string;
}

/** The idempotency key of a write and its result. A repeated write gets the recorded result. */
export interface RecordedCommand {
  readonly key: string;
  readonly result: JsonObject;
}

/** The changes of one write, made in one transaction. */
export interface SessionWrite {
  /** One or more events that follow the head of the journal. */
  readonly events: readonly JournalEvent[];
  /** Default: `active` for a new session, otherwise the current status. */
  readonly status?: SessionStatusWord;
  /** Default: the previous snapshot stays. */
  readonly snapshot?: Snapshot;
  readonly command?: RecordedCommand;
  /** Digests of the large values that these events refer to, which must be stored with `putBlob` before. */
  readonly blobs?: readonly string[];
  /** For `append`: the session as `load` returned it, so that a store with seals need not read it again. */
  readonly session?: SessionRow;
}

/** A session and the data from which its state is computed. */
export interface LoadedSession {
  readonly session: SessionRow;
  readonly snapshot?: Snapshot;
  /** The events after the snapshot, or all events without a snapshot. */
  readonly events: readonly JournalEvent[];
}

/** A part of a list whose items are numbered from 1. */
export interface Range {
  /** The number before the first item. Default: 0. */
  readonly after?: number;
  /** Default: all. */
  readonly limit?: number;
}

/** Options for reading the data of a session. */
export interface Reading {
  /**
   * Includes the data of a session that is not authentic, which somebody without the keys may have written. Without
   * this option, such a session is refused with `SESSION_UNVERIFIED`.
   */
  readonly isUnverifiedToo?: boolean;
}

/** Which sessions to find. Fields that are absent match everything. */
export interface SessionQuery {
  /** Ids of sessions. Those that are not stored are ignored. */
  readonly sids?: readonly string[];
  readonly workflowId?: string;
  readonly statuses?: readonly SessionStatusWord[];
  readonly principal?: string;
  readonly agent?: string;
  readonly parentSid?: string;
  readonly project?: string;
  /** A part of the session id, workflow id, principal, agent or project. The case of the letters A to Z is ignored. */
  readonly text?: string;
  /** ISO 8601. The last write is before this time. */
  readonly updatedBefore?: string;
  /** ISO 8601. The last write is at this time or later. */
  readonly updatedSince?: string;
  /** Whether the row of the session belongs to its last event. It does not if somebody restored an older row. */
  readonly isAtEnd?: boolean;
  /** A part of the name of the agent that started it. The case of the letters A to Z is ignored. */
  readonly agentPart?: string;
  /** Words that must all appear in the fields that `text` searches or in the `text` of the {@link IndexEntry}. */
  readonly search?: string;
  /** The {@link IndexEntry} of the session must have all of these tags. */
  readonly tags?: readonly string[];
}

/** Which page of the result to return. */
export interface PageRequest {
  /** 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** The `next` of the previous page. */
  readonly cursor?: string;
}

/** A page of sessions. A session that is written to in between moves to the front. */
export interface SessionPage {
  /** Sorted by the time of the last write, latest first. */
  readonly sessions: readonly SessionRow[];
  /** The cursor of the next page, if there is one. */
  readonly next?: string;
}

/**
 * The data about a session that lists, searches and figures use. It is derived from the events and calls of the
 * session, so it can be deleted and derived again at any time.
 */
export interface IndexEntry {
  readonly sid: string;
  /** The number of events that it was derived from. */
  readonly revision: number;
  /** The number of calls that it was derived from. */
  readonly calls: number;
  /** Says what the session is about. Empty if that is not known. */
  readonly title: string;
  /** How the session ended; empty until it ends. */
  readonly outcome: string;
  /** The text that searches look through, in lower case. No seal covers it, because it only selects rows. */
  readonly text: string;
  /** The names of the figures in which this session counts. They contain no line breaks. */
  readonly tags: readonly string[];
  /** Stores do not interpret it. */
  readonly figures: JsonObject;
}

/** A session whose entry has to be derived, with the number of its events and calls. */
export type IndexGap = Pick<IndexEntry, 'sid' | 'revision' | 'calls'>;

/** Keeps an {@link IndexEntry} for each session. An entry that somebody changed in the database is never returned. */
export interface SessionIndex {
  /**
   * Returns sessions whose entry is missing, was derived with another version, or does not cover all their events and
   * calls. Sessions with the latest writes come first.
   */
  outdated(version: number, limit: number): Promise<readonly IndexGap[]>;
  /** Stores entries that were derived with this version. An entry for a deleted session is dropped. */
  put(version: number, entries: readonly IndexEntry[]): Promise<void>;
  /** Returns the entries of these sessions, as far as there are any. They may be outdated. */
  entries(sids: readonly string[]): Promise<readonly Omit<IndexEntry, 'text'>[]>;
  /** Returns the entries of all sessions that a query finds. They may be outdated. */
  select(query: SessionQuery): Promise<readonly Omit<IndexEntry, 'text'>[]>;
}

/** A recorded call of a session. */
export interface CallRecord {
  /** Starts at 1 for each session and has no gaps. */
  readonly n: number;
  /** Stores do not interpret it. */
  readonly call: JsonObject;
}

/** An event with its position in the whole database. */
export interface SessionChange {
  /** Higher than the cursor of every event that any process committed before. */
  readonly cursor: number;
  readonly sid: string;
  readonly revision: number;
  readonly at: string;
  readonly type: string;
}

/** Which sessions to delete. */
export interface PruneRequest {
  /** ISO 8601. Deletes only sessions whose last write is before this time. */
  readonly before: string;
  readonly statuses: readonly SessionStatusWord[];
}

/** A secret that seals are made with. */
export interface SealKey {
  /** Identifies the key and is stored in each seal. */
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** The keys of a store: one to make seals with, and those whose seals are accepted. */
export interface SealKeys {
  readonly signing: SealKey;
  /** Includes `signing`. */
  readonly verifying: readonly SealKey[];
}

/** The kind of a sealed row. A seal of one kind is not valid for another. */
export type SealedKind =
  | 'agent'
  | 'anchor'
  | 'call'
  | 'command'
  | 'definition'
  | 'delivery'
  | 'event'
  | 'export'
  | 'index'
  | 'session'
  | 'state';

/** A value that a seal covers. */
export type SealValue = string | number | boolean | null;

/**
 * The result of checking a seal. `absent`: there is none. `wrong`: the key that it names did not make it for these
 * values. `unknown-key`: this server does not have the key that it names. `unchecked`: this program has no keys.
 */
export type SealVerdict = 'genuine' | 'absent' | 'wrong' | 'unknown-key' | 'unchecked';

/** Makes and checks seals with keys that are not in the database. */
export interface Seals {
  /** Whether there are keys to check with. */
  hasKeys(): boolean;
  /** Whether the store was made without keys. Its seals then detect damage but not forgery. */
  readonly isPlain: boolean;
  /**
   * Returns a seal over these values.
   *
   * @throws WorkflowError KEYS_UNUSABLE if this program has no keys
   */
  make(kind: SealedKind, values: readonly SealValue[]): string;
  judge(kind: SealedKind, values: readonly SealValue[], seal: string | null): SealVerdict;
}

/** Whether a store is available, and writable again after a failed write. */
export interface StoreHealth {
  readonly ok: boolean;
  /** The kind of store, such as `memory`. */
  readonly adapter: string;
  /** The cursor of the last change, or 0. */
  readonly lastChange: number;
  /** Details about the adapter, such as the version of its database. */
  readonly facts: JsonObject;
  /** What is wrong, if `ok` is false. */
  readonly problem?: string;
  /** The reason as a code, the same as `data.reason` of errors. */
  readonly reason?: string;
}

/** A stored item and the verdict on its seal. */
export interface Inspected<Value> {
  readonly value: Value;
  readonly verdict: SealVerdict;
  /** The seal as it is stored. */
  readonly seal: string | null;
}

/** A recorded call with its numbering. */
export interface InspectedCall {
  readonly call: JsonObject;
  /** The store that wrote it and the number in that store. `null` for calls from an older program. */
  readonly writer: string | null;
  readonly seq: number | null;
}

/** Everything that is stored about a session. Items that can't be read have `undefined` as their value. */
export interface InspectedSession {
  readonly sid: string;
  /** Absent if only other rows are left. */
  readonly session?: Inspected<SessionRow>;
  readonly snapshot?: Inspected<Snapshot | undefined>;
  /** Sorted by revision. `follows` names the last call before the event: `WRITER:NUMBER`. */
  readonly events: readonly (Inspected<JournalEvent | undefined> & { readonly follows: string | null })[];
  readonly calls: readonly Inspected<InspectedCall | undefined>[];
  readonly commands: readonly Inspected<RecordedCommand | undefined>[];
  readonly agents: readonly Inspected<{ readonly number: number; readonly agent: string }>[];
  readonly deliveries: readonly Inspected<{ readonly agent: number; readonly digest: string }>[];
  readonly blobs: readonly string[];
  /** The definition that the session refers to. */
  readonly definition?: Inspected<JsonObject | undefined>;
}

/** An object in a database that no server made and that can hide rows from a server or change its writes. */
export interface ForeignObject {
  /** Its kind, such as `trigger`, `rule`, `view`, `row security` or `child table`. */
  readonly kind: string;
  readonly name: string;
  /** The table that it belongs to. */
  readonly table: string;
}

/**
 * The contents of a whole database. They are read from the tables alone, because anyone who can write to the database
 * can leave a session out of an index.
 */
export interface StoreSurvey {
  /** Every session id in any table, sorted. */
  readonly sids: readonly string[];
  readonly foreign: readonly ForeignObject[];
  /** The damage that the database itself reports, at most 100 entries. */
  readonly damage: readonly string[];
}

/** Options for storing a definition. */
export interface PutDefinitionOptions {
  readonly isUnsealed?: boolean;
  readonly isServed?: boolean;
}

/**
 * Stores sessions. Every adapter runs `describeSessionStore` of `@workflowlookup/storage/testing`. Failures are
 * `WorkflowError`s: `STORE_UNAVAILABLE` if the database fails, in which case nothing unacknowledged is stored, and `NOT_FOUND` if a
 * write refers to something that does not exist.
 */
export interface SessionStore {
  /** Stores a new session with its first events. Returns false if the id is taken. */
  create(session: NewSession, write: SessionWrite): Promise<boolean>;
  /** Returns a session with its latest events, or `undefined` if there is none. */
  load(sid: string): Promise<LoadedSession | undefined>;
  /**
   * Adds events if the journal still ends at the expected revision. They survive a crash once this returns true.
   * Returns false, and stores nothing, if another write came first, the command is already recorded, or the session
   * does not exist.
   */
  append(sid: string, expectedRevision: number, write: SessionWrite): Promise<boolean>;
  /** Returns the recorded result of the write with this key. */
  recorded(sid: string, key: string): Promise<JsonObject | undefined>;
  /** Returns events by revision, or none if there is no such session. */
  events(sid: string, range?: Range & Reading): Promise<readonly JournalEvent[]>;
  /** Returns a page of the sessions that a query finds. @throws INVALID_INPUT for a cursor or limit that is not valid */
  find(query: SessionQuery, page?: PageRequest): Promise<SessionPage>;
  /**
   * Counts the sessions of one principal, or of all. Cheap enough to call every few seconds. It does not create a
   * database.
   */
  counts(principal?: string): Promise<SessionCounts>;

  /**
   * Records a call. The write may be delayed, so a crash may lose the latest calls. A call for a deleted session is
   * dropped.
   */
  recordCall(sid: string, call: JsonObject): Promise<void>;
  /** Returns recorded calls, including those of this store that are not written yet. */
  calls(sid: string, range?: Range & Reading): Promise<readonly CallRecord[]>;

  /**
   * Stores a definition for future sessions. An existing definition with the same digest stays, unless it was changed
   * in the database. `isUnsealed` stores a definition that this server can't verify, if there is none yet; a later call
   * without it replaces that definition. `isServed` replaces any other body, because a digest does not cover all of it
   * and the definition that this server serves now is the right one.
   */
  putDefinition(digest: string, body: JsonObject, options?: PutDefinitionOptions): Promise<void>;
  /**
   * Returns the definition with this digest. `isUnsealedToo` includes one without a seal, for a session that can't be
   * verified either.
   */
  getDefinition(
    digest: string,
    options?: { readonly isUnsealedToo?: boolean },
  ): Promise<JsonObject | undefined>;
  /** Stores a large value once and returns its digest (`digestOf`). A write refers to it by that digest. */
  putBlob(value: Json): Promise<string>;
  getBlob(digest: string): Promise<Json | undefined>;
  /** Returns the digests that the writes of a session refer to, sorted. */
  blobs(sid: string): Promise<readonly string[]>;

  /** Adds an agent to a session and returns its number: 1 for the first one, then one more for each. */
  joinAgent(sid: string, agent: string): Promise<number>;
  /** Returns the agents in the order in which they joined. The first one has number 1. */
  agents(sid: string, reading?: Reading): Promise<readonly string[]>;
  /** Returns the digests of the bundles that were sent to the agent with this number, sorted. */
  delivered(sid: string, agent: number): Promise<readonly string[]>;
  /** Records sent bundles. The write may be delayed; after a crash a bundle may be sent again. */
  markDelivered(sid: string, agent: number, digests: readonly string[]): Promise<void>;
  resetDelivered(sid: string, agent: number): Promise<void>;

  /**
   * Deletes sessions and returns how many. It keeps the ancestors of running sessions and of sessions that are not
   * authentic, and sessions that are not authentic themselves or whose row does not belong to the last event, because it
   * is not known whether they ended. Definitions
   * and values that were stored before `before` and have no references are deleted too.
   */
  prune(request: PruneRequest): Promise<number>;
  /** Returns at most `limit` events that were committed after a cursor, oldest first. Start with 0. */
  changes(after: number, limit: number): Promise<readonly SessionChange[]>;
  /**
   * Calls a listener soon after a session was written to, by this store or, where the database supports it, by any
   * other. Returns a function that stops it. It is only a hint to check earlier: it may come twice or never. The
   * listener must not throw.
   */
  watchChanges?(listener: (sids: readonly string[]) => void): () => void;
  /** How the store seals its rows. Absent in a store without seals. */
  readonly seals?: Seals;
  /**
   * The index for lists, searches and figures. In a store without it, `search` matches only the fields that `text`
   * searches, `tags` match no session, and figures are computed from all journals each time.
   */
  readonly index?: SessionIndex;
  /**
   * Returns everything that is stored about a session, with the verdict on each seal, or `undefined` if there is
   * nothing. `verify` uses it to report what is wrong with a session that `load` refuses.
   */
  inspect?(sid: string): Promise<InspectedSession | undefined>;
  /** Reads the whole database, for `verify --all`. */
  survey?(): Promise<StoreSurvey>;
  /**
   * Seals everything stored about a session with the current signing key, because a person vouches for it.
   *
   * @throws WorkflowError CONFLICT if the session has changed since `found` was read
   */
  seal?(found: InspectedSession, mark: SealMark | undefined): Promise<void>;
  /** Returns the health of the store. Never rejects. */
  health(): Promise<StoreHealth>;
  /** Writes what is pending and releases all resources. Another `close` is allowed; any other call is refused. */
  close(): Promise<void>;
}

/** A stored API key. It has a hash of the secret, from which the secret can't be derived. */
export interface ApiKeyRecord {
  /** The public id of the key. */
  readonly id: string;
  readonly principal: string;
  /** Stores do not interpret it. */
  readonly scopes: readonly string[];
  /** ISO 8601 in UTC, with milliseconds. */
  readonly createdAt: string;
  /** Stores do not interpret it. */
  readonly expiresAt?: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly revokedAt?: string;
  /** Stores do not interpret it. */
  readonly hash: string;
}

/**
 * Stores API keys, revoked ids and key fingerprints for all servers that share a database. Every adapter runs
 * `describeAccessStore` of `@workflowlookup/storage/testing`. It fails in the same way as a {@link SessionStore}, and
 * an acknowledged write survives a crash.
 */
export interface AccessStore {
  /** Stores an API key that is not revoked. Returns false if the id is taken. */
  addApiKey(key: Omit<ApiKeyRecord, 'revokedAt'>): Promise<boolean>;
  /** Returns all keys, oldest first, including revoked ones. */
  apiKeys(): Promise<readonly ApiKeyRecord[]>;
  /** Returns the key with this id, or `undefined` if there is none. */
  findApiKey(id: string): Promise<ApiKeyRecord | undefined>;
  /** Replaces the stored hash of a key's secret if it still equals `before`. Returns false if it does not. */
  changeApiKeyHash(id: string, change: { readonly before: string; readonly after: string }): Promise<boolean>;
  /**
   * Revokes a key at a time, in the format of `createdAt`. A second call does not change the time. Returns false if no
   * key has this id.
   */
  revokeApiKey(id: string, at: string): Promise<boolean>;

  /**
   * Revokes an id until a time, in the format of `createdAt`. Of several times the latest one counts. Ids that expired
   * more than an hour ago are deleted; the clock of a server may be off by that much.
   */
  revokeId(id: string, until: string): Promise<void>;
  /** Returns whether an id is revoked. After its time has passed, the answer may be either. */
  isRevoked(id: string): Promise<boolean>;

  /**
   * Records the fingerprints of a server's token keys beside those of other servers. Returns false, and records
   * nothing, if others are recorded and none of these is among them.
   */
  noteTokenKeys(fingerprints: readonly string[]): Promise<boolean>;
}

/** A database with everything that servers share: sessions, API keys and revoked ids. */
export interface StateStore extends SessionStore {
  /** Uses the same connections as the store and is closed with it. */
  readonly access: AccessStore;
}
