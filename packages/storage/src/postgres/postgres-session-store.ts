import type { StateStore } from '../access-store.ts';
import { hintedStore } from '../sessions/change-hints.ts';
import { checkedStore } from '../sql/checked-store.ts';
import type { SealKeys } from '../session-store.ts';
import type { SideWrite } from '../sql/call-writer.ts';
import { createCallTrace } from '../sql/call-writer.ts';
import { createSeals } from '../sql/seals.ts';
import { createWriteBehind } from '../sql/write-behind.ts';
import { createWriteWatch } from '../sql/write-watch.ts';
import { accessMethods } from './access-methods.ts';
import { createConnection } from './connection.ts';
import { contentMethods } from './content-methods.ts';
import { journalMethods } from './journal-methods.ts';
import { inspectSession, sealSession } from './inspect-session.ts';
import { createLender } from './lender.ts';
import { createListener } from './listener.ts';
import { createNotifyHints, hintChannel } from './notify-hints.ts';
import { pruneSessions } from './prune-sessions.ts';
import type { PostgresServer } from './server-address.ts';
import type { Task } from './database.ts';
import { sideMethods, writeBehind } from './side-methods.ts';
import { healthOf, writeProbe } from './store-health.ts';
import { surveyOf } from './survey.ts';

/** Settings of a Postgres session store. */
export interface PostgresSessionStoreOptions {
  /** `postgres://user:password@host:port/database?sslmode=verify-full`, or the same in parts. */
  readonly server: string | PostgresServer;
  /** How many connections this store holds at most; 10 when left out. */
  readonly connections?: number;
  /** How long a call waits for a connection; 5 seconds when left out. */
  readonly connectMs?: number;
  /** How long a statement may take; 10 seconds when left out. */
  readonly statementMs?: number;
  /** How long a statement waits for others; 5 seconds when left out. */
  readonly lockMs?: number;
  /** A connection nobody used for so long is closed; 30 seconds when left out. */
  readonly idleMs?: number;
  /** How long calls and deliveries may wait to be written; 200 ms when left out. */
  readonly delayMs?: number;
  /** Milliseconds since 1970; the clock of the machine when left out. */
  readonly now?: () => number;
  /**
   * The keys that authenticate what is kept; asked again when they may have changed. `undefined` where they are not here:
   * then nothing is written. Left out, whoever can write to the database can change everything unnoticed.
   */
  readonly keys?: () => SealKeys | undefined;
}

/**
 * Makes a session store over a Postgres database, which many replicas may share. It connects at the first call and
 * makes its tables then, in a schema of its own. What was acknowledged is on the disk of the server. A failure is a
 * `STORAGE` error whose `data.retryable` says whether the same call may succeed in a moment; none tells the address.
 */
export function createPostgresSessionStore(options: PostgresSessionStoreOptions): StateStore {
  const { server, connections = 10, connectMs = 5_000, delayMs = 200, now = Date.now } = options;
  const { statementMs = 10_000, lockMs = 5_000, idleMs = 30_000 } = options;
  const limits = { connections, connectMs, statementMs, lockMs, idleMs };
  const lender = createLender({ server, limits, onFailure: (error) => watch.failed(error) });
  const connection = createConnection(lender);
  const seals = createSeals(options.keys);
  const watch = createWriteWatch((probe) => writeProbe(connection, probe));
  const behind = createWriteBehind<SideWrite<Task<void>>>({
    write: (writes) => writeBehind(connection, writes),
    delayMs,
    batch: 128,
    most: 4_096,
  });
  const trace = createCallTrace(seals, behind);
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    try {
      await behind.close();
    } finally {
      await lender.close();
    }
  }

  const store = checkedStore({
    ...journalMethods(connection, seals, trace),
    ...contentMethods(connection, seals, now),
    ...sideMethods(connection, seals, { behind, trace }),
    seals,
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
    health: () => healthOf(connection, watch, { ...lender.load(), unwritten: behind.waiting() }),
    close: () => (closing ??= close()),
  });
  const hints = createNotifyHints(connection, createListener({ server, channel: hintChannel, connectMs }));
  return hintedStore({ ...store, access: accessMethods(connection, now) }, hints);
}
