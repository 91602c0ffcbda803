import type { Workflow, WorkflowSummary, Json, JsonObject } from '@workflowlookup/schema';
import { summarize, digestOf } from '@workflowlookup/schema';
import type {
  CallAndAgentMethods,
  ContentMethods,
  PagePosition,
  PageStart,
} from './sessions/checked-store.ts';
import {
  checkedAccess,
  expiryCutoff,
  createLocalHints,
  pageCursor,
  pageStart,
  checkedStore,
  wordsOf,
} from './sessions/checked-store.ts';
import { noSession, notStored, storeClosed } from './errors.ts';
import type {
  AccessStore,
  ApiKeyRecord,
  StateStore,
  CallRecord,
  IndexEntry,
  JournalEvent,
  LoadedSession,
  NewSession,
  PruneRequest,
  PutDefinitionOptions,
  Range,
  SessionChange,
  SessionCounts,
  SessionIndex,
  SessionPage,
  SessionQuery,
  SessionRow,
  SessionWrite,
  Snapshot,
  StoreHealth,
} from './sessions/session-store.ts';
import { createListeners, sortSummaries, byCodeUnits } from './workflow-store.ts';
import type { WorkflowStore } from './workflow-store.ts';

/** A store whose workflows are set by the program. */
export interface MemoryStore extends WorkflowStore {
  /** Serves a workflow and replaces the one with the same id. */
  set(workflow: Workflow): void;
  /** Stops serving an id. Returns false if it was not served. */
  delete(id: string): boolean;
}

/**
 * Makes a store that serves the given workflows: for tests, and for programs that embed their workflows. Of two
 * workflows with the same id the last one is served.
 *
 * @example
 * ```ts
 * const store = createMemoryStore([workflow]);
 * await store.get(workflow.id);
 * ```
 */
export function createMemoryStore(workflows: Iterable<Workflow> = []): MemoryStore {
  const served = new Map<string, Workflow>();
  for (const workflow of workflows) served.set(workflow.id, workflow);
  const listeners = createListeners();
  let summaries: readonly WorkflowSummary[] | undefined;

  function changed(id: string): void {
    summaries = undefined;
    listeners.emit([id]);
  }

  return {
    list: async () => (summaries ??= sortSummaries([...served.values()].map(summarize))),
    get: async (id) => served.get(id),
    problems: async () => [],
    watch: listeners.watch,
    close: async () => listeners.clear(),
    set(workflow) {
      if (served.get(workflow.id) === workflow) return;
      served.set(workflow.id, workflow);
      changed(workflow.id);
    },
    delete(id) {
      const existed = served.delete(id);
      if (existed) changed(id);
      return existed;
    },
  };
}

interface StoredSession {
  row: SessionRow;
  snapshot?: Snapshot;
  readonly events: JournalEvent[];
  readonly calls: CallRecord[];
  readonly commands: Map<string, JsonObject>;
  readonly agents: string[];
  readonly delivered: Map<number, Set<string>>;
  readonly blobs: Set<string>;
  indexed?: { readonly version: number; readonly entry: IndexEntry };
}

/** Values by digest. */
type Contents<T> = Map<string, { readonly value: T; readonly putAt: string; readonly isUnsealed: boolean }>;

/** All data of a memory store. Values are replaced, never changed. */
interface MemoryTables {
  readonly sessions: Map<string, StoredSession>;
  readonly definitions: Contents<JsonObject>;
  readonly blobs: Contents<Json>;
  changes: SessionChange[];
  lastChange: number;
  readonly apiKeys: Map<string, ApiKeyRecord>;
  /** The time at which each one would have expired. */
  readonly revokedIds: Map<string, string>;
  readonly tokenKeys: Set<string>;
}

/** Runs a task synchronously, so that no other call sees a partial change. An exception becomes a rejection. */
type Run = <T>(task: (tables: MemoryTables) => T) => Promise<T>;

/** Makes empty tables. */
function emptyTables(): MemoryTables {
  return {
    sessions: new Map(),
    definitions: new Map(),
    blobs: new Map(),
    changes: [],
    lastChange: 0,
    apiKeys: new Map(),
    revokedIds: new Map(),
    tokenKeys: new Set(),
  };
}

/** Returns a session. Throws `NOT_FOUND` if there is none. */
function requireSession({ sessions }: MemoryTables, sid: string): StoredSession {
  const kept = sessions.get(sid);
  if (kept === undefined) throw noSession(sid);
  return kept;
}

/**
 * Stores a value under its digest. The first value stays, but a value without a seal is replaced by one with a seal.
 */
function putContent<T>(
  contents: Contents<T>,
  digest: string,
  {
    value,
    now,
    isUnsealed = false,
    isServed = false,
  }: PutDefinitionOptions & { readonly value: T; readonly now: number },
): void {
  const known = contents.get(digest);
  if (known === undefined || isServed || (known.isUnsealed && !isUnsealed))
    contents.set(digest, { value: frozenCopy(value), putAt: new Date(now).toISOString(), isUnsealed });
}

/** Returns a frozen copy, as a database would return it. */
function frozenCopy<T>(value: T): T {
  return freeze(JSON.parse(JSON.stringify(value)) as T);
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}

function memoryAccessStore(run: Run, now: () => number): AccessStore {
  return checkedAccess({
    addApiKey: (key) =>
      run(({ apiKeys }) => {
        const isFree = !apiKeys.has(key.id);
        if (isFree) apiKeys.set(key.id, frozenCopy<ApiKeyRecord>(key));
        return isFree;
      }),
    apiKeys: () => run(({ apiKeys }) => [...apiKeys.values()].toSorted(byAge)),
    findApiKey: (id) => run(({ apiKeys }) => apiKeys.get(id)),
    changeApiKeyHash: (id, { before, after }) =>
      run(({ apiKeys }) => {
        const key = apiKeys.get(id);
        if (key?.hash !== before) return false;
        apiKeys.set(id, frozenCopy({ ...key, hash: after }));
        return true;
      }),
    revokeApiKey: (id, at) =>
      run(({ apiKeys }) => {
        const key = apiKeys.get(id);
        if (key !== undefined) apiKeys.set(id, frozenCopy({ revokedAt: at, ...key }));
        return key !== undefined;
      }),
    revokeId: (id, until) =>
      run(({ revokedIds }) => {
        const over = expiryCutoff(now());
        for (const [old, end] of revokedIds) if (end < over) revokedIds.delete(old);
        const before = revokedIds.get(id) ?? '';
        revokedIds.set(id, before > until ? before : until);
      }),
    isRevoked: (id) => run(({ revokedIds }) => revokedIds.has(id)),
    noteTokenKeys: (fingerprints) =>
      run(({ tokenKeys }) => {
        const isOurs = tokenKeys.size === 0 || fingerprints.some((one) => tokenKeys.has(one));
        if (isOurs) for (const one of fingerprints) tokenKeys.add(one);
        return isOurs;
      }),
  });
}

function byAge(a: ApiKeyRecord, b: ApiKeyRecord): number {
  return byCodeUnits(a.createdAt, b.createdAt) || byCodeUnits(a.id, b.id);
}

/** Options of a memory session store. */
export interface MemorySessionStoreOptions {
  /** Returns milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Makes a session store that lives as long as the process: for tests and for short-lived sessions.
 *
 * @example
 * ```ts
 * const workflows = createWorkflows({ definitions: [review], store: createMemorySessionStore() });
 * ```
 */
export function createMemorySessionStore({ now = Date.now }: MemorySessionStoreOptions = {}): StateStore {
  const tables = emptyTables();
  let closed = false;
  const run: Run = async (task) => {
    if (closed) throw storeClosed();
    return task(tables);
  };
  const store: StateStore = {
    create: (session, write) => run((all) => createSession(all, session, write)),
    load: (sid) => run((all) => loadSession(all, sid)),
    append: (sid, revision, write) => run((all) => appendTo(all, { sid, revision }, write)),
    recorded: (sid, key) => run(({ sessions }) => sessions.get(sid)?.commands.get(key)),
    events: (sid, range) => run(({ sessions }) => slicePage(sessions.get(sid)?.events ?? [], range)),
    find: (query, page = {}) => run((all) => findSessions(all, query, pageStart(page))),
    counts: (principal) => run((all) => countSessions(all, principal)),
    ...contentMethods(run, now),
    ...callAndAgentMethods(run),
    access: memoryAccessStore(run, now),
    index: memoryIndex(run),
    prune: (request) => run((all) => pruneSessions(all, request)),
    changes: (after, limit) =>
      run(({ changes }) => changes.filter(({ cursor }) => cursor > after).slice(0, limit)),
    health: async () => healthOf(tables, closed),
    close: async () => void (closed = true),
  };
  return checkedStore(store, createLocalHints());
}

function contentMethods(run: Run, now: () => number): ContentMethods {
  return {
    putDefinition: (digest, value, options) =>
      run(({ definitions }) => putContent(definitions, digest, { value, now: now(), ...options })),
    getDefinition: (digest) => run(({ definitions }) => definitions.get(digest)?.value),
    putBlob: (value) =>
      run(({ blobs }) => {
        const digest = digestOf(value);
        putContent(blobs, digest, { value, now: now() });
        return digest;
      }),
    getBlob: (digest) => run(({ blobs }) => blobs.get(digest)?.value),
    blobs: (sid) => run(({ sessions }) => sorted(sessions.get(sid)?.blobs)),
  };
}

function callAndAgentMethods(run: Run): CallAndAgentMethods {
  return {
    recordCall: (sid, call) =>
      run(({ sessions }) => {
        const calls = sessions.get(sid)?.calls;
        calls?.push(frozenCopy({ n: calls.length + 1, call }));
      }),
    calls: (sid, range) => run(({ sessions }) => slicePage(sessions.get(sid)?.calls ?? [], range)),
    joinAgent: (sid, agent) =>
      run((all) => {
        const { agents } = requireSession(all, sid);
        if (!agents.includes(agent)) agents.push(agent);
        return agents.indexOf(agent) + 1;
      }),
    agents: (sid) => run(({ sessions }) => [...(sessions.get(sid)?.agents ?? [])]),
    delivered: (sid, agent) => run(({ sessions }) => sorted(sessions.get(sid)?.delivered.get(agent))),
    markDelivered: (sid, agent, digests) =>
      run(({ sessions }) => {
        const all = sessions.get(sid)?.delivered;
        all?.set(agent, new Set([...(all.get(agent) ?? []), ...digests]));
      }),
    resetDelivered: (sid, agent) => run(({ sessions }) => void sessions.get(sid)?.delivered.delete(agent)),
  };
}

function memoryIndex(run: Run): SessionIndex {
  return {
    outdated: (version, limit) =>
      run(({ sessions }) =>
        [...sessions.values()]
          .filter(({ row, calls, indexed }) => {
            const { entry } = indexed ?? {};
            return (
              indexed?.version !== version || entry?.revision !== row.revision || entry.calls !== calls.length
            );
          })
          .toSorted((a, b) => byLastWrite(a.row, b.row))
          .slice(0, limit)
          .map(({ row: { sid, revision }, calls }) => ({ sid, revision, calls: calls.length })),
      ),
    put: (version, entries) =>
      run(({ sessions }) => {
        for (const entry of entries) {
          const kept = sessions.get(entry.sid);
          if (kept !== undefined) kept.indexed = { version, entry: frozenCopy(entry) };
        }
      }),
    entries: (sids) => run(({ sessions }) => sids.flatMap((sid) => entryOf(sessions.get(sid)) ?? [])),
    select: (query) =>
      run(({ sessions }) =>
        [...sessions.values()].filter((kept) => matches(query, kept)).flatMap((kept) => entryOf(kept) ?? []),
      ),
  };
}

function entryOf(kept: StoredSession | undefined): Omit<IndexEntry, 'text'> | undefined {
  if (kept?.indexed === undefined) return undefined;
  const { text: _text, ...entry } = kept.indexed.entry;
  return entry;
}

function healthOf({ lastChange, sessions }: MemoryTables, closed: boolean): StoreHealth {
  const facts = { sessions: sessions.size };
  const problem = closed && { problem: storeClosed().message };
  return { ok: !closed, adapter: 'memory', lastChange, facts, ...problem };
}

function slicePage<T>(list: readonly T[], { after = 0, limit = Infinity }: Range = {}): readonly T[] {
  return list.slice(after, after + limit);
}

function sorted(texts: Iterable<string> = []): readonly string[] {
  return [...texts].toSorted(byCodeUnits);
}

/** Stores a new session. Returns false if the id is taken. */
function createSession(tables: MemoryTables, session: NewSession, write: SessionWrite): boolean {
  if (tables.sessions.has(session.sid)) return false;
  if (!tables.definitions.has(session.digest)) throw notStored('definition', session.digest);
  const at = write.events[0]?.at ?? '';
  const kept: StoredSession = {
    row: { ...frozenCopy(session), status: 'active', revision: 0, hash: '', createdAt: at, updatedAt: at },
    events: [],
    calls: [],
    commands: new Map(),
    agents: [],
    delivered: new Map(),
    blobs: new Set(),
  };
  addWrite(tables, kept, write);
  tables.sessions.set(session.sid, kept);
  return true;
}

/** Adds events to a session. Returns false if the session is not at the expected revision. */
function appendTo(
  tables: MemoryTables,
  { sid, revision }: { readonly sid: string; readonly revision: number },
  write: SessionWrite,
): boolean {
  const kept = tables.sessions.get(sid);
  if (kept?.row.revision !== revision || kept.row.hash !== write.events[0]?.prevHash) return false;
  if (write.command !== undefined && kept.commands.has(write.command.key)) return false;
  addWrite(tables, kept, write);
  return true;
}

/** Returns a session with its snapshot and the events after it. */
function loadSession({ sessions }: MemoryTables, sid: string): LoadedSession | undefined {
  const kept = sessions.get(sid);
  if (kept === undefined) return undefined;
  const { row: session, snapshot, events } = kept;
  const tail = events.slice(snapshot?.revision ?? 0);
  return { session, ...(snapshot !== undefined && { snapshot }), events: tail };
}

function findSessions(
  { sessions }: MemoryTables,
  query: SessionQuery,
  { limit, before }: PageStart,
): SessionPage {
  const found = [...sessions.values()]
    .filter((kept) => matches(query, kept))
    .map(({ row }) => row)
    .filter((row) => before === undefined || byLastWrite(before, row) < 0)
    .toSorted(byLastWrite);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { sessions: page, ...(found.length > limit && last && { next: pageCursor(last) }) };
}

function countSessions({ sessions }: MemoryTables, principal?: string): SessionCounts {
  const counts = { active: 0, blocked: 0, parked: 0, completed: 0 };
  for (const { row } of sessions.values())
    if (principal === undefined || row.principal === principal) counts[row.status] += 1;
  return counts;
}

function addWrite(tables: MemoryTables, kept: StoredSession, write: SessionWrite): void {
  const { events, status = kept.row.status, snapshot, command, blobs = [] } = write;
  for (const digest of blobs) if (!tables.blobs.has(digest)) throw notStored('blob', digest);
  for (const event of events) {
    const { revision, at, type, hash } = event;
    kept.events.push(frozenCopy(event));
    kept.row = Object.freeze({ ...kept.row, status, revision, hash, updatedAt: at } satisfies SessionRow);
    tables.lastChange += 1;
    const change = { cursor: tables.lastChange, sid: kept.row.sid, revision, at, type };
    tables.changes.push(Object.freeze(change));
  }
  if (snapshot !== undefined) kept.snapshot = frozenCopy(snapshot);
  if (command !== undefined) kept.commands.set(command.key, frozenCopy(command.result));
  for (const digest of blobs) kept.blobs.add(digest);
}

function byLastWrite(a: PagePosition, b: PagePosition): number {
  return byCodeUnits(b.updatedAt, a.updatedAt) || byCodeUnits(b.sid, a.sid);
}

/** Deletes sessions, then definitions and values without references. Returns the number of sessions. */
function pruneSessions(tables: MemoryTables, { before, statuses }: PruneRequest): number {
  const { sessions, definitions, blobs } = tables;
  const rows = [...sessions.values()].map(({ row }) => row);
  const held = runningAncestors(rows);
  const gone = rows.filter(
    ({ sid, status, updatedAt }) => statuses.includes(status) && updatedAt < before && !held.has(sid),
  );
  for (const { sid } of gone) sessions.delete(sid);
  tables.changes = tables.changes.filter(({ sid }) => sessions.has(sid));
  const left = [...sessions.values()];
  sweep(definitions, before, new Set(left.map(({ row }) => row.digest)));
  sweep(blobs, before, new Set(left.flatMap((kept) => [...kept.blobs])));
  return gone.length;
}

function runningAncestors(rows: readonly SessionRow[]): ReadonlySet<string> {
  const parents = new Map(rows.map(({ sid, parentSid }) => [sid, parentSid]));
  const held = new Set<string>();
  for (const { status, parentSid } of rows) {
    if (status === 'completed') continue;
    for (let sid = parentSid; sid !== undefined && !held.has(sid); sid = parents.get(sid)) held.add(sid);
  }
  return held;
}

function sweep<T>(contents: Contents<T>, before: string, needed: ReadonlySet<string>): void {
  for (const [digest, { putAt }] of contents)
    if (putAt < before && !needed.has(digest)) contents.delete(digest);
}

const compared = ['workflowId', 'principal', 'agent', 'parentSid', 'project'] as const;

function matches(query: SessionQuery, { row: session, indexed }: StoredSession): boolean {
  // In memory every row belongs to the last event.
  const { sids, statuses, text, updatedBefore, updatedSince, isAtEnd = true } = query;
  const { agentPart = '', search = '', tags = [] } = query;
  const entry = indexed?.entry;
  return (
    isAtEnd &&
    (sids === undefined || sids.includes(session.sid)) &&
    compared.every((field) => query[field] === undefined || query[field] === session[field]) &&
    (statuses === undefined || statuses.includes(session.status)) &&
    (updatedBefore === undefined || session.updatedAt < updatedBefore) &&
    (updatedSince === undefined || session.updatedAt >= updatedSince) &&
    (text === undefined || mentions(session, text)) &&
    foldLetters(session.agent).includes(foldLetters(agentPart)) &&
    wordsOf(search).every((word) => mentions(session, word) || entry?.text.includes(word) === true) &&
    tags.every((tag) => entry?.tags.includes(tag) === true)
  );
}

function mentions({ sid, workflowId, principal, agent, project = '' }: SessionRow, text: string): boolean {
  const searched = foldLetters(text);
  return [sid, workflowId, principal, agent, project].some((field) => foldLetters(field).includes(searched));
}

/** Lowers the letters A to Z only, because every database does so. */
function foldLetters(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
