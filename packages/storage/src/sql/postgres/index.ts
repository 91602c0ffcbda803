import type { ConnectionOptions } from 'node:tls';
import type { StateStore, StoreSurvey } from '../../sessions/session-store.ts';
import type { Connection } from './connection.ts';
import { createClientPool, createConnection, databaseOf } from './connection.ts';
import { delayedWriter, journalMethods, lastPosition } from './journal.ts';
import { createListener, createNotifyHints, hintChannel } from './notifications.ts';
import type { DatabaseFacts, SqlStoreOptions } from '../sql-store.ts';
import { createSqlStore } from '../sql-store.ts';
import { createWriteWatch, writeProbe } from '../write-behind.ts';

export type { SqlStoreOptions } from '../sql-store.ts';

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
export interface PostgresSessionStoreOptions extends SqlStoreOptions {
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
  const { server, connections = 10, connectMs = 5_000 } = options;
  const { statementMs = 10_000, lockMs = 5_000, idleMs = 30_000 } = options;
  const limits = { connections, connectMs, statementMs, lockMs, idleMs };
  const pool = createClientPool({ server, limits, onFailure: (error) => watch.failed(error) });
  const connection = createConnection(pool);
  const db = databaseOf(connection);
  const watch = createWriteWatch(() => writeProbe(db));
  return createSqlStore({
    options,
    db,
    hints: createNotifyHints(connection, createListener({ server, channel: hintChannel, connectMs })),
    writeDelayed: delayedWriter(connection),
    journal: (seals, trace) => journalMethods(connection, seals, trace),
    survey: () => surveyOf(connection),
    adapter: 'postgres',
    watch,
    load: (unwritten) => ({ ...pool.usage(), unwritten }),
    facts: () => factsOf(connection),
    close: pool.close,
  });
}

/**
 * Returns the contents of the database. A session counts even if only other rows name it. Postgres does not check its
 * tables, so no damage is reported.
 */
async function surveyOf(connection: Connection): Promise<StoreSurvey> {
  return connection.write(async (db) => {
    for (const way of ['indexscan', 'indexonlyscan', 'bitmapscan'])
      await db.once(`SET LOCAL enable_${way} = off`);
    const sids = await db.once(namedSids);
    const foreign = await db.once(foreignObjects);
    return {
      sids: sids.map(({ sid }) => String(sid)),
      foreign: foreign.map(({ kind, name, table }) => ({
        kind: String(kind),
        name: String(name),
        table: String(table),
      })),
      damage: [],
    };
  });
}

const namedSids = `
  SELECT sid FROM sessions UNION SELECT sid FROM events UNION SELECT sid FROM commands ORDER BY sid`;

/**
 * A view is a rule with its own name. Rows of a table that inherits from one of our tables are read as rows of ours, so
 * it counts in whatever schema it is. A partition of one of our tables is part of it. A function in our schema can take
 * the place of one of Postgres in a statement, and a check, a default, an index or the type of a column can call one.
 */
const foreignObjects = `
  WITH RECURSIVE found AS (
    SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace('workflowlookup')
    UNION SELECT inhrelid FROM pg_inherits JOIN found ON inhparent = found.oid),
  ours AS (
    SELECT pg_class.oid, relkind, relispartition, relrowsecurity OR relforcerowsecurity AS has_security,
      CASE nspname WHEN 'workflowlookup' THEN relname::text ELSE nspname || '.' || relname END COLLATE "C" AS relname
    FROM pg_class JOIN found USING (oid) JOIN pg_namespace ON pg_namespace.oid = relnamespace),
  parts AS (
    SELECT 'pg_constraint'::regclass AS class, oid, conrelid AS of FROM pg_constraint
    UNION ALL SELECT 'pg_attrdef'::regclass, oid, adrelid FROM pg_attrdef
    UNION ALL SELECT 'pg_class'::regclass, indexrelid, indrelid FROM pg_index)
  SELECT 'trigger' AS kind, tgname::text COLLATE "C" AS name, relname AS table FROM pg_trigger JOIN ours ON tgrelid = ours.oid
  WHERE NOT tgisinternal
  UNION ALL
  SELECT 'rule', rulename, relname FROM pg_rewrite JOIN ours ON ev_class = ours.oid
  UNION ALL
  SELECT 'row security', relname, relname FROM ours WHERE has_security
  UNION ALL
  SELECT 'foreign table', relname, relname FROM ours WHERE relkind = 'f'
  UNION ALL
  SELECT 'child table', child.relname, parent.relname FROM pg_inherits
  JOIN ours AS child ON child.oid = inhrelid JOIN ours AS parent ON parent.oid = inhparent
  WHERE NOT child.relispartition
  UNION
  SELECT 'function', proname, relname FROM pg_depend
  JOIN parts ON parts.class = classid AND parts.oid = objid JOIN ours ON ours.oid = parts.of
  JOIN pg_proc ON refclassid = 'pg_proc'::regclass AND pg_proc.oid = refobjid
  UNION
  SELECT 'type', typname, relname FROM pg_attribute JOIN ours ON ours.oid = attrelid AND relkind <> 'i'
  JOIN pg_type ON pg_type.oid = atttypid WHERE typnamespace <> 'pg_catalog'::regnamespace AND NOT attisdropped
  UNION
  SELECT 'function', proname, 'workflowlookup' FROM pg_proc WHERE pronamespace = to_regnamespace('workflowlookup')
  UNION
  SELECT 'operator', oprname, 'workflowlookup' FROM pg_operator WHERE oprnamespace = to_regnamespace('workflowlookup')
  ORDER BY 1, 2, 3`;

/** Returns the last change and facts about the database. */
async function factsOf(connection: Connection): Promise<DatabaseFacts> {
  const lastChange = await lastPosition(connection);
  const [row] = await connection.all(
    "SELECT current_setting('server_version') AS version, schema_version FROM meta",
  );
  const facts = { postgres: String(row?.['version']), schemaVersion: Number(row?.['schema_version']) };
  return { lastChange, facts };
}
