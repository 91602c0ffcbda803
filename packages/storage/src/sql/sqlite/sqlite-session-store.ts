import type { StateStore } from '../../sessions/access-store.ts';
import { checkedStore, createLocalHints, announcingStore } from '../../sessions/checked-store.ts';
import type { SealKeys } from '../../sessions/session-store.ts';
import { createSeals } from '../seals.ts';
import type { DelayedWrite } from '../write-behind.ts';
import { createCallTrace, createWriteBehind, createWriteWatch } from '../write-behind.ts';
import { accessMethods } from './access.ts';
import { insertCall, callAndAgentMethods, contentMethods } from './contents.ts';
import type { Task } from './connection.ts';
import { createConnection, watchedConnection } from './connection.ts';
import type { SqliteDriverName } from './driver.ts';
import { loadDriver, preferredDriver } from './driver.ts';
import { journalMethods } from './journal.ts';
import { healthOf, inspectSession, pruneSessions, sealSession, surveyOf, writeProbe } from './maintenance.ts';
import { sessionIndex } from './session-index.ts';

/** Options of a SQLite session store. */
export interface SqliteSessionStoreOptions {
  /** Path of the database. The first call creates it, with its folder, if it is missing. */
  readonly file: string;
  /** Default: Node's own if its SQLite is safe to share, otherwise libsql. */
  readonly driver?: SqliteDriverName;
  /** How many milliseconds a call waits for other processes before it fails. Default: 10,000. */
  readonly waitMs?: number;
  /** How many milliseconds the writes of calls and deliveries may be delayed. Default: 200. */
  readonly delayMs?: number;
  /** Returns milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /**
   * Returns the keys that seal the rows. Called again whenever they may have changed. If it returns `undefined`, this
   * program does not have the keys and can't write. Without this option, changes by anyone who can write to the file go
   * unnoticed.
   */
  readonly keys?: () => SealKeys | undefined;
}

/**
 * Makes a session store in one SQLite file, which many processes may share. The first call opens it; nothing is written
 * before. An acknowledged write is on disk. A value that was changed on disk is never returned.
 *
 * @example
 * ```ts
 * const store = createSqliteSessionStore({ file: 'state/sessions.db' });
 * ```
 */
export function createSqliteSessionStore(options: SqliteSessionStoreOptions): StateStore {
  const { file, waitMs = 10_000, delayMs = 200, now = Date.now } = options;
  const driver = options.driver ?? preferredDriver(process.versions);
  const direct = createConnection({ file, waitMs, load: () => loadDriver(driver) });
  const watch = createWriteWatch((probe) => writeProbe(direct, probe));
  const connection = watchedConnection(direct, watch);
  const seals = createSeals(options.keys);
  const behind = createWriteBehind<DelayedWrite<Task<void>>>({
    write: (writes) =>
      connection.write((db) => {
        for (const { task } of writes)
          if ('call' in task) insertCall(db, task.call);
          else task.task(db);
      }),
    delayMs,
    batchSize: 128,
    maxWaiting: 4_096,
  });
  const trace = createCallTrace(seals, behind);
  let closing: Promise<void> | undefined;

  const store = checkedStore({
    ...journalMethods(connection, seals, trace),
    ...contentMethods(connection, seals, now),
    ...callAndAgentMethods(connection, seals, { behind, trace }),
    seals,
    index: sessionIndex(connection, seals),
    async inspect(sid) {
      await behind.settle(sid);
      return inspectSession(connection, seals, sid);
    },
    survey: () => connection.read(surveyOf),
    seal: (found, mark) => connection.write((db) => sealSession(db, seals, found, mark)),
    async prune(request) {
      await behind.settle();
      return pruneSessions(connection, seals, request);
    },
    health: () => healthOf(connection, watch, behind.waiting()),
    close: () => (closing ??= behind.close().finally(connection.close)),
  });
  return announcingStore({ ...store, access: accessMethods(connection, now) }, createLocalHints());
}
