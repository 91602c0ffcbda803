import type { ConnectionOptions } from 'node:tls';
import { checkedStore, checkedAccess, expiryCutoff } from './sessions/checked-store.ts';
import type { AccessStore, StateStore, SealKeys, Seals, SessionIndex } from './sessions/session-store.ts';
import type { Connection, PostgresDatabase, Task } from './sql/postgres/connection.ts';
import { createConnection, createClientPool } from './sql/postgres/connection.ts';
import { callAndAgentMethods, writeDelayed, contentMethods } from './sql/postgres/contents.ts';
import { journalMethods, numbered, postgresDialect } from './sql/postgres/journal.ts';
import {
  healthOf,
  inspectSession,
  pruneSessions,
  sealSession,
  surveyOf,
  writeProbe,
} from './sql/postgres/maintenance.ts';
import { createListener, createNotifyHints, hintChannel } from './sql/postgres/notifications.ts';
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
import { apiKeyTextColumns, apiKeyValues, changedHash, toApiKey } from './sql/stored-contents.ts';
import { createSeals } from './sql/stored-sessions.ts';
import type { DelayedWrite } from './sql/write-behind.ts';
import { createCallTrace, createWriteBehind, createWriteWatch } from './sql/write-behind.ts';

// Apart from the pool, so that the types of this package don't need those of `pg`.

/**
 * The address of a Postgres server, in parts. The usual environment variables apply to absent parts (`PGHOST`,
 * `PGPASSWORD`, …).
 */
export interface PostgresServer {
  /** A host name, an address, or the folder of a socket. */
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  /** Default: without TLS. */
  readonly tls?: boolean | ConnectionOptions;
}

/** Options of a Postgres session store. */
export interface PostgresSessionStoreOptions {
  /** `postgres://user:password@host:port/database?sslmode=verify-full`, or the same in parts. */
  readonly server: string | PostgresServer;
  /** The maximum number of connections. Default: 10. */
  readonly connections?: number;
  /** How many milliseconds a call waits for a connection. Default: 5,000. */
  readonly connectMs?: number;
  /** How many milliseconds a statement may take. Default: 10,000. */
  readonly statementMs?: number;
  /** How many milliseconds a statement waits for a lock. Default: 5,000. */
  readonly lockMs?: number;
  /** After how many milliseconds an unused connection is closed. Default: 30,000. */
  readonly idleMs?: number;
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

/**
 * Makes a session store in a Postgres database, which many replicas may share. The first call connects and creates the
 * tables in a schema of its own. An acknowledged write is on the server's disk. A failure is a `STORE_UNAVAILABLE` error; its
 * `data.retryable` says whether the same call may succeed in a moment. No error contains the address.
 *
 * @example
 * ```ts
 * const store = createPostgresSessionStore({ server: 'postgres://workflows@db.internal/workflows?sslmode=verify-full' });
 * ```
 */
export function createPostgresSessionStore(options: PostgresSessionStoreOptions): StateStore {
  const { server, connections = 10, connectMs = 5_000, delayMs = 200, now = Date.now } = options;
  const { statementMs = 10_000, lockMs = 5_000, idleMs = 30_000 } = options;
  const limits = { connections, connectMs, statementMs, lockMs, idleMs };
  const pool = createClientPool({ server, limits, onFailure: (error) => watch.failed(error) });
  const connection = createConnection(pool);
  const seals = createSeals(options.keys);
  const watch = createWriteWatch((probe) => writeProbe(connection, probe));
  const behind = createWriteBehind<DelayedWrite<Task<void>>>({
    write: (writes) => writeDelayed(connection, writes),
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
      await pool.close();
    }
  }

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
    survey: () => surveyOf(connection),
    seal: (found, mark) => sealSession(connection, seals, found, mark),
    async prune(request) {
      await behind.settle();
      return pruneSessions(connection, seals, request);
    },
    health: () => healthOf(connection, watch, { ...pool.usage(), unwritten: behind.waiting() }),
    access: accessMethods(connection, now),
    close: () => (closing ??= close()),
  };
  const hints = createNotifyHints(connection, createListener({ server, channel: hintChannel, connectMs }));
  return checkedStore(store, hints);
}

const apiKeyColumns = [...apiKeyTextColumns, 'crc'].join(', ');

function accessMethods(connection: Connection, now: () => number): AccessStore {
  return checkedAccess({
    async addApiKey(key) {
      const added = await connection.once(
        `INSERT INTO api_keys (id, principal, scopes, created_at, expires_at, hash, crc)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING id`,
        apiKeyValues(key),
      );
      return added.length === 1;
    },
    async apiKeys() {
      const rows = await connection.once(`SELECT ${apiKeyColumns} FROM api_keys ORDER BY created_at, id`);
      return rows.map(toApiKey);
    },
    async findApiKey(id) {
      const [row] = await connection.all(`SELECT ${apiKeyColumns} FROM api_keys WHERE id = $1`, [id]);
      return row && toApiKey(row);
    },
    async changeApiKeyHash(id, { before, after }) {
      const [row] = await connection.all(`SELECT ${apiKeyColumns} FROM api_keys WHERE id = $1`, [id]);
      const key = row && toApiKey(row);
      if (key?.hash !== before) return false;
      const change = 'UPDATE api_keys SET hash = $3, crc = $4 WHERE id = $1 AND hash = $2 RETURNING id';
      return (await connection.once(change, [id, before, ...changedHash(key, after)])).length === 1;
    },
    async revokeApiKey(id, at) {
      const revoke = 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING id';
      return (await connection.once(revoke, [id, at])).length === 1;
    },
    async revokeId(id, until) {
      await connection.all(
        `INSERT INTO revoked_ids (id, until) VALUES ($1, $2)
         ON CONFLICT (id) DO UPDATE SET until = greatest(revoked_ids.until, excluded.until)`,
        [id, until],
      );
      await connection.all(
        'DELETE FROM revoked_ids WHERE id IN (SELECT id FROM revoked_ids WHERE until < $1 FOR UPDATE SKIP LOCKED)',
        [expiryCutoff(now())],
      );
    },
    async isRevoked(id) {
      return (await connection.all('SELECT 1 FROM revoked_ids WHERE id = $1', [id])).length > 0;
    },
    noteTokenKeys: (fingerprints) => connection.write((db) => noteTokenKeys(db, fingerprints)),
  });
}

/** Servers that start at the same time take turns, so that the second one sees the keys of the first. */
async function noteTokenKeys(db: PostgresDatabase, fingerprints: readonly string[]): Promise<boolean> {
  await db.once('LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE');
  await db.once(
    `INSERT INTO keys (fingerprint) SELECT fingerprint FROM unnest($1::text[]) AS fingerprint
     WHERE NOT EXISTS (SELECT FROM keys) OR EXISTS (SELECT FROM keys WHERE keys.fingerprint = ANY ($1))
     ON CONFLICT DO NOTHING`,
    [fingerprints],
  );
  const noted = await db.once('SELECT 1 FROM keys WHERE fingerprint = ANY ($1) LIMIT 1', [fingerprints]);
  return noted.length > 0;
}

const selected = [...indexTextColumns, ...indexNumberColumns].join(', ');
const outdated = numbered(selectOutdated('found.sid'));

const types = indexColumns.map((name) =>
  name === 'calls' ? 'bigint' : name === 'version' || name === 'revision' ? 'integer' : 'text',
);

const insert = `
  INSERT INTO session_index (${indexColumns.join(', ')})
  SELECT ${types.map((type, at) => `$${at + 1}::${type}`).join(', ')} FROM sessions WHERE sid = $1
  ON CONFLICT (sid) DO UPDATE SET ${indexColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** Makes the index of a Postgres store. */
function sessionIndex(connection: Connection, seals: Seals): SessionIndex {
  const drop = async (sids: readonly string[]): Promise<void> => {
    await connection.once('DELETE FROM session_index WHERE sid = ANY ($1)', [sids]);
  };
  return {
    outdated: async (version, limit) => (await connection.once(outdated, [version, limit])).map(toGap),
    async put(version, entries) {
      // In the order of their ids, so that two servers that store the same entries don't wait for each other forever.
      const ordered = entries.toSorted((a, b) => (a.sid < b.sid ? -1 : 1));
      if (ordered.length === 0) return;
      await connection.write(async (db) => {
        for (const entry of ordered) await db.all(insert, indexValues(seals, version, entry));
      });
    },
    async entries(sids) {
      if (sids.length === 0) return [];
      const found = await connection.all(`SELECT ${selected} FROM session_index WHERE sid = ANY ($1)`, [
        sids,
      ]);
      return toEntries(seals, found, drop);
    },
    async select(query) {
      const { sql, values } = selectFound(query, postgresDialect);
      const found = await connection.once(
        `SELECT ${selected} FROM session_index WHERE sid IN (${numbered(sql)})`,
        values,
      );
      return toEntries(seals, found, drop);
    },
  };
}
