import { checkedStore, createLocalHints, checkedAccess, expiryCutoff } from './sessions/checked-store.ts';
import type { AccessStore, StateStore, SealKeys, Seals, SessionIndex } from './sessions/session-store.ts';
import {
  selectFound,
  indexColumns,
  indexNumberColumns,
  indexTextColumns,
  indexValues,
  selectOutdated,
  toEntries,
  toGap,
} from './sql/session-queries.ts';
import type { Connection, Task } from './sql/sqlite/connection.ts';
import { createConnection } from './sql/sqlite/connection.ts';
import { callAndAgentMethods, contentMethods } from './sql/sqlite/contents.ts';
import type { SqliteDatabase, SqliteDriverName } from './sql/sqlite/driver.ts';
import { loadDriver, preferredDriver, textColumns, createMissCheck } from './sql/sqlite/driver.ts';
import { insertCall, journalMethods, sqliteDialect } from './sql/sqlite/journal.ts';
import {
  healthOf,
  inspectSession,
  pruneSessions,
  sealSession,
  surveyOf,
  writeProbe,
} from './sql/sqlite/maintenance.ts';
import { apiKeyTextColumns, apiKeyValues, changedHash, toApiKey } from './sql/stored-contents.ts';
import { createSeals } from './sql/stored-sessions.ts';
import type { DelayedWrite } from './sql/write-behind.ts';
import { createCallTrace, createWriteBehind, createWriteWatch } from './sql/write-behind.ts';

export type { SqliteDriverName } from './sql/sqlite/driver.ts';

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
  const watch = createWriteWatch((probe) => writeProbe(connection, probe));
  const connection: Connection = createConnection({ file, waitMs, load: () => loadDriver(driver), watch });
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

  const store: StateStore = {
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
    access: accessMethods(connection, now),
    close: () => (closing ??= behind.close().finally(connection.close)),
  };
  return checkedStore(store, createLocalHints());
}

const apiKeyColumns = `${textColumns(...apiKeyTextColumns)}, crc`;

function accessMethods(connection: Connection, now: () => number): AccessStore {
  const checkMiss = createMissCheck();
  return checkedAccess({
    addApiKey: (key) =>
      connection.write((db) => {
        const added = db.run(
          `INSERT INTO api_keys (id, principal, scopes, created_at, expires_at, hash, crc)
           VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          apiKeyValues(key),
        );
        return added === 1;
      }),
    apiKeys: () =>
      connection.read((db) =>
        db
          .all(`SELECT ${apiKeyColumns} FROM api_keys ORDER BY api_keys.created_at, api_keys.id`)
          .map(toApiKey),
      ),
    findApiKey: (id) =>
      connection.read((db) => {
        const [row] = db.all(`SELECT ${apiKeyColumns} FROM api_keys WHERE id = ?`, [id]);
        return row === undefined ? checkMiss(db, 'api_keys') : toApiKey(row);
      }),
    changeApiKeyHash: (id, { before, after }) =>
      connection.write((db) => {
        const [row] = db.all(`SELECT ${apiKeyColumns} FROM api_keys WHERE id = ?`, [id]);
        const key = row && toApiKey(row);
        if (key?.hash !== before) return false;
        return (
          db.run('UPDATE api_keys SET hash = ?, crc = ? WHERE id = ?', [...changedHash(key, after), id]) === 1
        );
      }),
    revokeApiKey: (id, at) =>
      connection.write(
        (db) =>
          db.run('UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?', [at, id]) === 1,
      ),
    revokeId: (id, until) => connection.write((db) => revokeId(db, id, { until, over: expiryCutoff(now()) })),
    isRevoked: (id) =>
      connection.read((db) => {
        const isKept = db.all('SELECT 1 AS one FROM revoked_ids WHERE id = ?', [id]).length > 0;
        return isKept || (checkMiss(db, 'revoked_ids') ?? false);
      }),
    noteTokenKeys: (fingerprints) => connection.write((db) => noteTokenKeys(db, fingerprints)),
  });
}

function revokeId(
  db: SqliteDatabase,
  id: string,
  { until, over }: { readonly until: string; readonly over: string },
): void {
  db.run('DELETE FROM revoked_ids WHERE until < ?', [over]);
  db.run(
    'INSERT INTO revoked_ids (id, until) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET until = max(until, excluded.until)',
    [id, until],
  );
}

function noteTokenKeys(db: SqliteDatabase, fingerprints: readonly string[]): boolean {
  const noted = new Set(
    db.all(`SELECT ${textColumns('fingerprint')} FROM keys`).map((row) => row['fingerprint']),
  );
  if (noted.size > 0 && !fingerprints.some((one) => noted.has(one))) return false;
  for (const one of fingerprints)
    db.run('INSERT INTO keys (fingerprint) VALUES (?) ON CONFLICT DO NOTHING', [one]);
  return true;
}

const selected = [textColumns(...indexTextColumns), ...indexNumberColumns].join(', ');
const outdated = selectOutdated('CAST(found.sid AS BLOB) AS sid');

const insert = `
  INSERT INTO session_index (${indexColumns.join(', ')})
  SELECT ${indexColumns.map(() => '?').join(', ')} WHERE EXISTS (SELECT 1 FROM sessions WHERE sid = ?)
  ON CONFLICT (sid) DO UPDATE SET ${indexColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** Makes the index of a SQLite store. A database that does not exist is not created. */
function sessionIndex(connection: Connection, seals: Seals): SessionIndex {
  const drop = async (sids: readonly string[]): Promise<void> => {
    await connection.write((db) =>
      db.run('DELETE FROM session_index WHERE sid IN (SELECT value FROM json_each(?))', [
        JSON.stringify(sids),
      ]),
    );
  };
  return {
    async outdated(version, limit) {
      if (!connection.isMade()) return [];
      return connection.read((db) => db.all(outdated, [version, limit]).map(toGap));
    },
    async put(version, entries) {
      if (entries.length === 0) return;
      await connection.write((db) => {
        for (const entry of entries) db.run(insert, [...indexValues(seals, version, entry), entry.sid]);
      });
    },
    async entries(sids) {
      if (sids.length === 0 || !connection.isMade()) return [];
      const found = await connection.read((db) =>
        db.all(`SELECT ${selected} FROM session_index WHERE sid IN (SELECT value FROM json_each(?))`, [
          JSON.stringify(sids),
        ]),
      );
      return toEntries(seals, found, drop);
    },
    async select(query) {
      if (!connection.isMade()) return [];
      const { sql, values } = selectFound(query, sqliteDialect);
      const found = await connection.read((db) =>
        db.all(`SELECT ${selected} FROM session_index WHERE sid IN (${sql})`, values),
      );
      return toEntries(seals, found, drop);
    },
  };
}
