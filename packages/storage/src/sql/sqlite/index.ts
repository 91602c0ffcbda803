import { createLocalHints } from '../../sessions/checked-store.ts';
import type { StateStore, StoreSurvey } from '../../sessions/session-store.ts';
import type { DatabaseFacts, SqlStoreOptions } from '../sql-store.ts';
import { createSqlStore } from '../sql-store.ts';
import type { Connection } from './connection.ts';
import { createConnection, databaseOf } from './connection.ts';
import type { SqliteDatabase, SqliteDriverName } from './driver.ts';
import { loadDriver, preferredDriver, textColumns } from './driver.ts';
import { delayedWriter, journalMethods, lastPosition } from './journal.ts';
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

/**
 * The objects that servers make. Everything else is reported. A list of forbidden statements would not work, because
 * SQLite also executes a definition that somebody wrote to this table in another letter case.
 */
const ours = `(type IN ('table', 'index') AND
  (sql IS NULL OR sql LIKE 'CREATE TABLE %' OR sql LIKE 'CREATE INDEX %' OR sql LIKE 'CREATE UNIQUE INDEX %'))`;

/**
 * Matches clauses and comments that the tables and indexes of a server never contain. `NOT NULL ON CONFLICT IGNORE`
 * drops rows without an error, and a generated column, a default or a collation can change what is read.
 */
const rule = /\b(?:as|check|collate|conflict|default|generated)\b|\/\*|--/i;

/** Returns the contents of the database. A session counts even if its own row or index entry is missing. */
function surveyOf(db: SqliteDatabase): StoreSurvey {
  const named = ['sessions', 'events', 'commands'].map((table) => `SELECT sid FROM ${table} NOT INDEXED`);
  const sids = db.all(`SELECT ${textColumns('sid')} FROM (${named.join(' UNION ')}) ORDER BY 1`);
  const foreign = db.all(
    `SELECT ${textColumns('type', 'name', 'tbl_name')} FROM sqlite_schema WHERE ${ours} IS NOT TRUE
     ORDER BY sqlite_schema.type, sqlite_schema.name`,
  );
  // The PRAGMA statement, because a table of the same name would hide the SQL function.
  const checked = db.all('PRAGMA integrity_check(100)');
  return {
    sids: sids.map(({ sid }) => String(sid)),
    foreign: [
      ...foreign.map(({ type, name, tbl_name: table }) => ({
        kind: String(type).toLowerCase(),
        name: String(name),
        table: String(table),
      })),
      ...changedTables(db),
    ],
    damage: checked.map((row) => String(row['integrity_check'])).filter((found) => found !== 'ok'),
  };
}

/** Returns the tables and indexes that somebody recreated with such a clause. */
function changedTables(db: SqliteDatabase): StoreSurvey['foreign'] {
  const found = db.all(
    `SELECT ${textColumns('name', 'tbl_name', 'sql')} FROM sqlite_schema WHERE ${ours} AND sql IS NOT NULL ORDER BY 1`,
  );
  return found
    .filter(({ sql }) => rule.test(String(sql)))
    .map(({ name, tbl_name: table }) => ({
      kind: 'changed table',
      name: String(name),
      table: String(table),
    }));
}

/** Returns the last change and facts about the database. Does not create it. */
async function factsOf(connection: Connection): Promise<DatabaseFacts> {
  const { name, version } = await connection.driver();
  const facts = { driver: name, sqlite: version };
  if (!connection.isMade()) return { lastChange: 0, facts };
  return connection.read((db) => {
    const journalMode = db.all('PRAGMA journal_mode')[0]?.['journal_mode'] as string;
    const schemaVersion = db.all('SELECT schema_version FROM meta')[0]?.['schema_version'] as number;
    return { lastChange: lastPosition(db), facts: { ...facts, journalMode, schemaVersion } };
  });
}
