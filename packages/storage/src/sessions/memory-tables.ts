import type { Json, JsonObject } from '@workflowlookup/schema';
import type { ApiKeyRecord } from '../access-store.ts';
import type {
  CallRecord,
  JournalEvent,
  PutDefinitionOptions,
  SessionChange,
  SessionRow,
  Snapshot,
} from '../session-store.ts';
import { checkTexts } from './check-write.ts';
import { noSession } from './no-session.ts';

/** All of one session. */
export interface KeptSession {
  row: SessionRow;
  snapshot?: Snapshot;
  readonly events: JournalEvent[];
  readonly calls: CallRecord[];
  readonly commands: Map<string, JsonObject>;
  readonly agents: string[];
  readonly delivered: Map<number, Set<string>>;
  readonly blobs: Set<string>;
}

/** What is kept by its digest. */
export type Contents<T> = Map<
  string,
  { readonly value: T; readonly putAt: string; readonly isUnsealed: boolean }
>;

/** Everything a memory store holds. What is in there is never changed, only replaced. */
export interface MemoryTables {
  readonly sessions: Map<string, KeptSession>;
  readonly definitions: Contents<JsonObject>;
  readonly blobs: Contents<Json>;
  changes: SessionChange[];
  lastChange: number;
  readonly apiKeys: Map<string, ApiKeyRecord>;
  /** When each would have ended by itself. */
  readonly revokedIds: Map<string, string>;
  readonly tokenKeys: Set<string>;
}

/** Runs a task in one go, so that no other call sees a half of it; what it throws is a rejection. */
export type Run = <T>(task: (tables: MemoryTables) => T) => Promise<T>;

/** Tables without anything in them. */
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

/** A session that has to be there. */
export function theSession({ sessions }: MemoryTables, sid: string): KeptSession {
  const kept = sessions.get(sid);
  if (kept === undefined) throw noSession(sid);
  return kept;
}

/** Keeps a value under its digest; the first one counts, and one that nobody vouches for only until another comes. */
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
    contents.set(digest, { value: keep(value), putAt: new Date(now).toISOString(), isUnsealed });
}

/** A copy as a database gives it back, which nobody can change. */
export function keep<T>(value: T): T {
  return freeze(JSON.parse(JSON.stringify(value)) as T);
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
