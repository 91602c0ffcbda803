import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { checkedStore } from '../sessions/checked-store.ts';
import type { ChangeHints, JournalMethods } from '../sessions/checked-store.ts';
import type { SealKeys, Seals, StateStore, StoreHealth, StoreSurvey } from '../sessions/session-store.ts';
import { accessMethods } from './access-keys.ts';
import { callAndAgentMethods, contentMethods } from './contents.ts';
import type { Database } from './database.ts';
import { inspectSession, sealSession } from './inspect-session.ts';
import { pruneSessions } from './prune-sessions.ts';
import { queryMethods, sessionIndex } from './session-search.ts';
import { createSeals } from './stored-sessions.ts';
import type { CallTrace, DelayedWrite, WaitingWrite, WriteWatch } from './write-behind.ts';
import { createCallTrace, createWriteBehind } from './write-behind.ts';

/** Options of every session store in a database. */
export interface SqlStoreOptions {
  /** How many milliseconds the writes of calls and deliveries may be delayed. Default: 200. */
  readonly delayMs?: number;
  /** Returns milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /**
   * Returns the keys that seal the rows. Called again whenever they may have changed. If it returns `undefined`, this
   * program does not have the keys and can't write. Without this option, changes by anyone who can write to the
   * database go unnoticed.
   */
  readonly keys?: () => SealKeys | undefined;
}

/** The parts of a store that differ between databases. */
interface SqlStoreParts {
  readonly options: SqlStoreOptions;
  readonly db: Database;
  readonly hints: ChangeHints;
  readonly writeDelayed: (writes: readonly WaitingWrite<DelayedWrite>[]) => Promise<void>;
  readonly journal: (seals: Seals, trace: CallTrace) => Omit<JournalMethods, 'recorded' | 'find' | 'counts'>;
  readonly survey: () => Promise<StoreSurvey>;
  readonly adapter: 'postgres' | 'sqlite';
  readonly watch: WriteWatch;
  /** How busy the store is, with the number of delayed writes. */
  readonly load: (unwritten: number) => JsonObject;
  readonly facts: () => Promise<DatabaseFacts>;
  readonly close: () => Promise<void>;
}

/** What the health of a store says about its database. */
export type DatabaseFacts = Pick<StoreHealth, 'facts' | 'lastChange'>;

/** Makes the store of a database. */
export function createSqlStore(parts: SqlStoreParts): StateStore {
  const { db, hints, writeDelayed } = parts;
  const { keys, delayMs = 200, now = Date.now } = parts.options;
  const seals = createSeals(keys);
  const behind = createWriteBehind<DelayedWrite>({
    write: writeDelayed,
    delayMs,
    batchSize: 128,
    maxWaiting: 4_096,
  });
  const trace = createCallTrace(seals, behind);
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    try {
      await behind.close();
    } finally {
      await parts.close();
    }
  }

  const store: StateStore = {
    ...parts.journal(seals, trace),
    ...queryMethods(db, seals),
    ...contentMethods(db, seals, now),
    ...callAndAgentMethods(db, seals, { behind, trace }),
    seals,
    index: sessionIndex(db, seals),
    async inspect(sid) {
      await behind.settle(sid);
      return inspectSession(db, seals, sid);
    },
    survey: parts.survey,
    seal: (found, mark) => db.write(() => sealSession(db.dialect, seals, found, mark)),
    async prune(request) {
      await behind.settle();
      return pruneSessions(db, seals, request);
    },
    health: () => healthOf(parts, parts.load(behind.waiting())),
    access: accessMethods(db, now),
    close: () => (closing ??= close()),
  };
  return checkedStore(store, hints);
}

/** Returns whether a store is available, and writable again after a failed write. */
async function healthOf(
  { adapter, db, watch, facts: factsOf }: SqlStoreParts,
  load: JsonObject,
): Promise<StoreHealth> {
  try {
    if (db.isMade()) await watch.check();
    const { lastChange, facts } = await factsOf();
    return { ok: true, adapter, lastChange, facts: { ...load, ...facts } };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const { reason } = error instanceof WorkflowError ? error.data : {};
    const why = { problem, ...(typeof reason === 'string' && { reason }) };
    return { ok: false, adapter, lastChange: 0, facts: load, ...why };
  }
}
