import type { ConnectionOptions } from 'node:tls';
import type { StateStore } from '../../sessions/session-store.ts';
import { createClientPool, createConnection } from './connection.ts';
import { databaseOf, delayedWriter } from './database.ts';
import { journalMethods } from './journal.ts';
import { factsOf, surveyOf } from './maintenance.ts';
import { createListener, createNotifyHints, hintChannel } from './notifications.ts';
import type { SqlStoreOptions } from '../sql-store.ts';
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
