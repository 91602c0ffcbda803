import type { StateStore } from '../../sessions/access-store.ts';
import { checkedStore, announcingStore } from '../../sessions/checked-store.ts';
import type { SealKeys } from '../../sessions/session-store.ts';
import { createSeals } from '../seals.ts';
import type { DelayedWrite } from '../write-behind.ts';
import { createCallTrace, createWriteBehind, createWriteWatch } from '../write-behind.ts';
import { accessMethods } from './access.ts';
import { callAndAgentMethods, writeDelayed, contentMethods } from './contents.ts';
import type { Task } from './connection.ts';
import { createConnection } from './connection.ts';
import { journalMethods } from './journal.ts';
import { healthOf, inspectSession, pruneSessions, sealSession, surveyOf, writeProbe } from './maintenance.ts';
import { createListener, createNotifyHints, hintChannel } from './notifications.ts';
import type { PostgresServer } from './pool.ts';
import { createClientPool } from './pool.ts';
import { sessionIndex } from './session-index.ts';

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
    survey: () => surveyOf(connection),
    seal: (found, mark) => sealSession(connection, seals, found, mark),
    async prune(request) {
      await behind.settle();
      return pruneSessions(connection, seals, request);
    },
    health: () => healthOf(connection, watch, { ...pool.usage(), unwritten: behind.waiting() }),
    close: () => (closing ??= close()),
  });
  const hints = createNotifyHints(connection, createListener({ server, channel: hintChannel, connectMs }));
  return announcingStore({ ...store, access: accessMethods(connection, now) }, hints);
}
