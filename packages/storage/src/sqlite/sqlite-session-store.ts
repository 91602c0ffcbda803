import type { StateStore } from '../access-store.ts';
import { createLocalHints, hintedStore } from '../sessions/change-hints.ts';
import { checkedStore } from '../sql/checked-store.ts';
import type { SealKeys } from '../session-store.ts';
import type { SideWrite } from '../sql/call-writer.ts';
import { createCallTrace } from '../sql/call-writer.ts';
import { createSeals } from '../sql/seals.ts';
import { createWriteBehind } from '../sql/write-behind.ts';
import { createWriteWatch } from '../sql/write-watch.ts';
import { accessMethods } from './access-methods.ts';
import type { Task } from './connection.ts';
import { createConnection, watchedConnection } from './connection.ts';
import { contentMethods } from './content-methods.ts';
import type { SqliteDriverName } from './driver.ts';
import { inspectSession, sealSession } from './inspect-session.ts';
import { journalMethods } from './journal-methods.ts';
import { loadDriver, preferredDriver } from './load-driver.ts';
import { pruneSessions } from './prune-sessions.ts';
import { insertCall } from './side-rows.ts';
import { sideMethods } from './side-methods.ts';
import { healthOf, writeProbe } from './store-health.ts';
import { surveyOf } from './survey.ts';

/** Settings of a SQLite session store. */
export interface SqliteSessionStoreOptions {
  /** The database; at the first call it is made where it is not there, with its folder. */
  readonly file: string;
  /** Left out: Node's own where its SQLite can be shared safely, else libsql. */
  readonly driver?: SqliteDriverName;
  /** How long a call waits for other processes before it is refused; 10 seconds when left out. */
  readonly waitMs?: number;
  /** How long calls and deliveries may wait to be written; 200 ms when left out. */
  readonly delayMs?: number;
  /** Milliseconds since 1970; the clock of the machine when left out. */
  readonly now?: () => number;
  /**
   * The keys that authenticate what is kept; asked again when they may have changed. `undefined` where they are not here:
   * then nothing is written. Left out, whoever can write to the file can change everything unnoticed.
   */
  readonly keys?: () => SealKeys | undefined;
}

/**
 * Makes a session store over one SQLite file, which many processes may share. Nothing is opened or written before
 * the first call. What was acknowledged is on the disk; a value that was changed there is never given out.
 */
export function createSqliteSessionStore(options: SqliteSessionStoreOptions): StateStore {
  const { file, waitMs = 10_000, delayMs = 200, now = Date.now } = options;
  const driver = options.driver ?? preferredDriver(process.versions);
  const direct = createConnection({ file, waitMs, load: () => loadDriver(driver) });
  const watch = createWriteWatch((probe) => writeProbe(direct, probe));
  const connection = watchedConnection(direct, watch);
  const seals = createSeals(options.keys);
  const behind = createWriteBehind<SideWrite<Task<void>>>({
    write: (writes) =>
      connection.write((db) => {
        for (const { task } of writes)
          if ('call' in task) insertCall(db, task.call);
          else task.task(db);
      }),
    delayMs,
    batch: 128,
    most: 4_096,
  });
  const trace = createCallTrace(seals, behind);
  let closing: Promise<void> | undefined;

  const store = checkedStore({
    ...journalMethods(connection, seals, trace),
    ...contentMethods(connection, seals, now),
    ...sideMethods(connection, seals, { behind, trace }),
    seals,
    async inspect(sid) {
      await behind.settle(sid);
      return connection.read((db) => inspectSession(db, seals, sid));
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
  return hintedStore({ ...store, access: accessMethods(connection, now) }, createLocalHints());
}
