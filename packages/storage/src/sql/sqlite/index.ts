import { createLocalHints } from '../../sessions/checked-store.ts';
import type { StateStore } from '../../sessions/session-store.ts';
import type { SqlStoreOptions } from '../sql-store.ts';
import { createSqlStore } from '../sql-store.ts';
import type { Connection } from './connection.ts';
import { createConnection, databaseOf } from './connection.ts';
import type { SqliteDriverName } from './driver.ts';
import { loadDriver, preferredDriver } from './driver.ts';
import { delayedWriter, journalMethods } from './journal.ts';
import { factsOf, surveyOf } from './maintenance.ts';
import { createWriteWatch, writeProbe } from '../write-behind.ts';

export type { SqlStoreOptions } from '../sql-store.ts';
export type { SqliteDriverName } from './driver.ts';

/** Options of a SQLite session store. */
export interface SqliteSessionStoreOptions extends SqlStoreOptions {
  /** Path of the database. The first call creates it, with its folder, if it is missing. */
  readonly file: string;
  /** Default: Node's own if its SQLite is safe to share, otherwise libsql. */
  readonly driver?: SqliteDriverName;
  /** How many milliseconds a call waits for other processes before it fails. Default: 10,000. */
  readonly waitMs?: number;
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
  const { file, waitMs = 10_000, driver = preferredDriver(process.versions) } = options;
  const watch = createWriteWatch(() => writeProbe(db));
  const connection: Connection = createConnection({ file, waitMs, load: () => loadDriver(driver), watch });
  const db = databaseOf(connection);
  const { checkMiss } = db;
  return createSqlStore({
    options,
    db,
    hints: createLocalHints(),
    writeDelayed: delayedWriter(connection),
    journal: (seals, trace) => journalMethods(connection, seals, { trace, checkMiss }),
    survey: () => connection.read(surveyOf),
    adapter: 'sqlite',
    watch,
    load: (waiting) => ({ waiting }),
    facts: () => factsOf(connection),
    close: async () => connection.close(),
  });
}
