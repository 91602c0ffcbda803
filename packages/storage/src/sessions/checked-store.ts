import { WorkflowError } from '@workflowlookup/schema';
import { callMessages } from '../messages.ts';
import { createListeners } from '../workflow-store.ts';
import type {
  AccessStore,
  JournalHead,
  NewSession,
  PageRequest,
  SessionIndex,
  SessionQuery,
  SessionStore,
  SessionWrite,
} from './session-store.ts';
import { noSession } from '../errors.ts';
import { emptyJournal } from './hash-chain.ts';

export type JournalMethods = Pick<
  SessionStore,
  'create' | 'load' | 'append' | 'recorded' | 'events' | 'find' | 'counts' | 'changes'
>;

export type ContentMethods = Pick<
  SessionStore,
  'putDefinition' | 'getDefinition' | 'putBlob' | 'getBlob' | 'blobs'
>;

export type CallAndAgentMethods = Pick<
  SessionStore,
  'recordCall' | 'calls' | 'joinAgent' | 'agents' | 'delivered' | 'markDelivered' | 'resetDelivered'
>;

/**
 * Wraps the store of an adapter. It validates the arguments of every call, so that no adapter receives data that not every
 * database can store: such a write is refused, and nothing is found under such an id. It announces every successful write
 * to the watchers.
 */
export function checkedStore<Store extends SessionStore>(store: Store, hints: ChangeHints): Store {
  function announced(sid: string, isKept: boolean): boolean {
    if (isKept) hints.announce(sid);
    return isKept;
  }
  return {
    ...store,
    async create(session, write) {
      checkNewSession(session, write);
      return announced(session.sid, await store.create(session, write));
    },
    load: ofSession(store.load, undefined),
    async append(sid, revision, write) {
      checkWrite({ revision }, write);
      return isSid(sid) && announced(sid, await store.append(sid, revision, write));
    },
    recorded: async (sid, key) => (isSid(sid) && isPlainText(key) ? store.recorded(sid, key) : undefined),
    events: ofSession(store.events, []),
    async find(query, page = {}) {
      pageStart(page);
      checkQuery(query);
      return store.find(query, page);
    },
    recordCall: ofSession(store.recordCall, undefined),
    calls: ofSession(store.calls, []),
    async joinAgent(sid, agent) {
      checkTexts({ agent });
      if (!isSid(sid)) throw noSession(sid);
      return store.joinAgent(sid, agent);
    },
    agents: ofSession(store.agents, []),
    delivered: ofSession(store.delivered, []),
    async markDelivered(sid, agent, digests) {
      checkTexts(digests);
      if (isSid(sid)) await store.markDelivered(sid, agent, digests);
    },
    resetDelivered: ofSession(store.resetDelivered, undefined),
    async putDefinition(digest, body, options) {
      checkTexts({ digest });
      return store.putDefinition(digest, body, options);
    },
    getDefinition: async (digest, options) =>
      isPlainText(digest) ? store.getDefinition(digest, options) : undefined,
    getBlob: async (digest) => (isPlainText(digest) ? store.getBlob(digest) : undefined),
    blobs: ofSession(store.blobs, []),
    async prune(request) {
      checkTime(request.before);
      return store.prune(request);
    },
    ...(store.index && { index: checkedIndex(store.index) }),
    watchChanges: hints.watch,
    async close() {
      await hints.close();
      await store.close();
    },
  };
}

/** Wraps a method of a session. No store receives an id that is not well formed: nothing is found under it. */
function ofSession<More extends readonly unknown[], Answer>(
  method: (sid: string, ...more: More) => Promise<Answer>,
  nothing: Answer,
): (sid: string, ...more: More) => Promise<Answer> {
  return async (sid, ...more) => (isSid(sid) ? method(sid, ...more) : nothing);
}

function checkedIndex(index: SessionIndex): SessionIndex {
  return {
    ...index,
    async put(version, entries) {
      for (const entry of entries) {
        checkTexts({ ...entry });
        checkTexts(entry.tags);
      }
      return index.put(version, entries);
    },
    async select(query) {
      checkQuery(query);
      return index.select(query);
    },
  };
}

function checkQuery(query: SessionQuery): void {
  checkTexts(query);
  checkTexts(query.tags ?? []);
  checkTexts(query.sids ?? []);
}

/** Validates the arguments of every call, so that no adapter receives data that not every database can store. */
export function checkedAccess(store: AccessStore): AccessStore {
  return {
    apiKeys: store.apiKeys,
    async addApiKey(key) {
      checkTexts({ ...key });
      checkTexts(key.scopes);
      checkTime(key.createdAt);
      return store.addApiKey(key);
    },
    findApiKey: async (id) => (isPlainText(id) ? store.findApiKey(id) : undefined),
    async changeApiKeyHash(id, change) {
      checkTexts({ ...change });
      return isPlainText(id) && store.changeApiKeyHash(id, change);
    },
    async revokeApiKey(id, at) {
      checkTime(at);
      return isPlainText(id) && store.revokeApiKey(id, at);
    },
    async revokeId(id, until) {
      checkTexts({ id });
      checkTime(until);
      return store.revokeId(id, until);
    },
    isRevoked: async (id) => isPlainText(id) && store.isRevoked(id),
    async noteTokenKeys(fingerprints) {
      checkTexts(fingerprints);
      return store.noteTokenKeys(fingerprints);
    },
  };
}

/** How far the clock of a server may be off. */
const skewMs = 3_600_000;

/** Returns the time before which a revoked id must have expired to be deleted. */
export function expiryCutoff(nowMs: number): string {
  return new Date(nowMs - skewMs).toISOString();
}

/** Notifies the watchers of a database about writes. */
export interface ChangeHints {
  readonly watch: NonNullable<SessionStore['watchChanges']>;
  /** Announces a write. Returns at once and never throws: the write is already stored. */
  announce(sid: string): void;
  close(): Promise<void>;
}

/** Makes hints that reach watchers in this process only. */
export function createLocalHints(): ChangeHints {
  const listeners = createListeners<readonly string[]>();
  return {
    watch: listeners.watch,
    announce: (sid) => queueMicrotask(() => listeners.emit([sid])),
    close: async () => listeners.clear(),
  };
}

const sidPattern = /^[!-~]{1,128}$/;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Whether a session id is well formed. */
function isSid(sid: string): boolean {
  return sidPattern.test(sid);
}

/** Whether every database stores this text unchanged: it has no NUL and no lone surrogate. */
function isPlainText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

/** Refuses a new session that not every database can store. */
function checkNewSession(session: NewSession, write: SessionWrite): void {
  if (!isSid(session.sid)) refuse(callMessages.badSessionId(session.sid));
  checkTexts(session);
  checkWrite(emptyJournal, write);
}

/**
 * Refuses events that do not form a hash chain after a revision. The store itself checks whether the chain fits the
 * journal.
 */
function checkWrite({ revision }: Pick<JournalHead, 'revision'>, write: SessionWrite): void {
  const { events, snapshot, command, blobs = [] } = write;
  if (events.length === 0) refuse(callMessages.noEvents());
  for (const [index, event] of events.entries()) {
    if (event.revision !== revision + index + 1)
      refuse(callMessages.wrongRevision(event.revision, revision + index + 1));
    if (index > 0 && event.prevHash !== events[index - 1]?.hash)
      refuse(callMessages.brokenChain(event.revision));
    checkTime(event.at);
    checkTexts({ type: event.type, hash: event.hash });
  }
  if (snapshot !== undefined && !(snapshot.revision >= 0 && snapshot.revision <= revision + events.length))
    refuse(callMessages.snapshotAhead(snapshot.revision, revision + events.length));
  if (command !== undefined) checkTexts({ key: command.key });
  checkTexts({ ...blobs });
}

/** Refuses a time in any other format than that of events, because times are compared as texts. */
function checkTime(time: string): void {
  if (!timePattern.test(time)) refuse(callMessages.badTime(time));
}

/** Refuses texts that not every database stores or compares unchanged. */
function checkTexts(texts: object): void {
  for (const [field, text] of Object.entries(texts))
    if (typeof text === 'string' && !isPlainText(text)) refuse(callMessages.badText(field));
}

function refuse(message: string): never {
  throw new WorkflowError('INVALID_INPUT', message);
}

/** The position of a session in a list that is sorted by the time of the last write and then by id, both descending. */
export interface PagePosition {
  readonly updatedAt: string;
  readonly sid: string;
}

export interface PageStart {
  readonly limit: number;
  /** The last session of the previous page. */
  readonly before?: PagePosition;
}

/** Validates a page request. Throws `INVALID_INPUT` for an invalid limit or cursor. */
export function pageStart({ limit = 100, cursor }: PageRequest): PageStart {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) refuse(callMessages.badPageLimit(limit));
  return cursor === undefined ? { limit } : { limit, before: readCursor(cursor) };
}

/** Returns the cursor that continues after this session. */
export function pageCursor({ updatedAt, sid }: PagePosition): string {
  return `${encodeURIComponent(updatedAt)}/${encodeURIComponent(sid)}`;
}

function readCursor(cursor: string): PagePosition {
  try {
    const [updatedAt = '', sid = '', ...more] = cursor.split('/').map(decodeURIComponent);
    if (sid !== '' && more.length === 0 && pageCursor({ updatedAt, sid }) === cursor)
      return { updatedAt, sid };
  } catch {
    // A malformed escape sequence is reported below, like any other malformed cursor.
  }
  refuse(callMessages.badCursor());
}

/** Splits a search into its words, in lower case. */
export function wordsOf(search: string): readonly string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean);
}
