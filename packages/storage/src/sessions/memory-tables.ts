import type { Json, JsonObject } from '@workflowlookup/schema';
import { byCodeUnits } from '../utilities.ts';
import type { AccessStore, ApiKeyRecord } from './access-store.ts';
import { checkedAccess, expiryCutoff } from './checked-store.ts';
import { checkTexts } from './checks.ts';
import { noSession } from './errors.ts';
import type {
  CallRecord,
  IndexEntry,
  JournalEvent,
  PutDefinitionOptions,
  SessionChange,
  SessionRow,
  Snapshot,
} from './session-store.ts';

export interface StoredSession {
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
export type Contents<T> = Map<
  string,
  { readonly value: T; readonly putAt: string; readonly isUnsealed: boolean }
>;

/** All data of a memory store. Values are replaced, never changed. */
export interface MemoryTables {
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
export type Run = <T>(task: (tables: MemoryTables) => T) => Promise<T>;

/** Makes empty tables. */
export function emptyTables(): MemoryTables {
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
export function requireSession({ sessions }: MemoryTables, sid: string): StoredSession {
  const kept = sessions.get(sid);
  if (kept === undefined) throw noSession(sid);
  return kept;
}

/**
 * Stores a value under its digest. The first value stays, but a value without a seal is replaced by one with a seal.
 */
export function putContent<T>(
  contents: Contents<T>,
  digest: string,
  {
    value,
    now,
    isUnsealed = false,
    isServed = false,
  }: PutDefinitionOptions & { readonly value: T; readonly now: number },
): void {
  checkTexts({ digest });
  const known = contents.get(digest);
  if (known === undefined || isServed || (known.isUnsealed && !isUnsealed))
    contents.set(digest, { value: frozenCopy(value), putAt: new Date(now).toISOString(), isUnsealed });
}

/** Returns a frozen copy, as a database would return it. */
export function frozenCopy<T>(value: T): T {
  return freeze(JSON.parse(JSON.stringify(value)) as T);
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}

export function memoryAccessStore(run: Run, now: () => number): AccessStore {
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
