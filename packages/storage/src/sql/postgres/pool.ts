import type { ConnectionOptions } from 'node:tls';
import { WorkflowError } from '@workflowlookup/schema';
import type { Pool, PoolClient } from 'pg';
import { databaseMessages } from '../../messages.ts';
import { storeClosed } from '../../sessions/errors.ts';
import { isOutage, isReusable, storageFailure, unreadableAddress } from './connection.ts';
import type { PostgresServer } from './server.ts';

/** Hands out the connections of a pool. */
export interface ClientPool {
  /** Runs a task with a connection. After a failure the connection is closed if it may be in a bad state. */
  use<T>(task: (client: PoolClient) => Promise<T>): Promise<T>;
  /** Returns the number of open connections and of waiting calls. */
  usage(): { readonly open: number; readonly waiting: number };
  close(): Promise<void>;
}

interface ClientPoolOptions {
  readonly server: string | PostgresServer;
  readonly limits: PoolLimits;
  /** Called with the error of a task that failed. */
  onFailure?(error: unknown): void;
}

/** Makes a client pool. It connects at the first call. If the server does not answer, it pauses before the next try. */
export function createClientPool({ server, limits, onFailure }: ClientPoolOptions): ClientPool {
  const backoff = createConnectBackoff({ firstMs: 50, maxMs: 1_000 });
  let opening: Promise<Pool> | undefined;
  let pool: Pool | undefined;
  let closed = false;

  async function open(): Promise<Pool> {
    return (pool = createPool(await loadDriver(), server, limits));
  }

  async function connect(): Promise<PoolClient> {
    const recent = backoff.currentFailure();
    if (recent !== undefined) throw recent;
    const from = await (opening ??= open());
    if (closed) throw storeClosed();
    try {
      const client = await from.connect();
      backoff.succeeded();
      return client;
    } catch (error) {
      const failure = storageFailure(error);
      if (isOutage(failure)) backoff.failed(failure);
      throw failure;
    }
  }

  return {
    usage: () => ({ open: pool?.totalCount ?? 0, waiting: pool?.waitingCount ?? 0 }),
    async use(task) {
      if (closed) throw storeClosed();
      const client = await connect();
      try {
        return await runAndRelease(client, task);
      } catch (error) {
        onFailure?.(error);
        throw error;
      }
    },
    async close() {
      closed = true;
      await pool?.end();
    },
  };
}

async function runAndRelease<T>(client: PoolClient, task: (client: PoolClient) => Promise<T>): Promise<T> {
  let isLost = false;
  const lose = (): void => {
    isLost = true;
  };
  client.on('error', lose);
  try {
    const result = await task(client);
    client.release(isLost);
    return result;
  } catch (error) {
    client.release(isLost || !isReusable(error));
    throw storageFailure(error);
  } finally {
    client.off('error', lose);
  }
}

/** Limits of a pool. Every wait has one. */
interface PoolLimits {
  readonly connections: number;
  /** How long a call waits for a connection. */
  readonly connectMs: number;
  readonly statementMs: number;
  /** How long a statement waits for a lock. */
  readonly lockMs: number;
  /** After this time an unused connection is closed. */
  readonly idleMs: number;
}

/** The server reports its own timeouts. If it is this much later, it does not answer at all. */
const graceMs = 2_000;

/** Makes the pool of connections to a server. It connects at the first call. */
function createPool(driver: PostgresDriver, server: string | PostgresServer, limits: PoolLimits): Pool {
  const pool = new driver.Pool({
    ...driverAddress(server),
    fallback_application_name: 'workflowlookup',
    max: limits.connections,
    connectionTimeoutMillis: limits.connectMs,
    idleTimeoutMillis: limits.idleMs,
    query_timeout: limits.statementMs + graceMs,
    allowExitOnIdle: true,
    keepAlive: true,
    // Every stored number is safe as a JavaScript number.
    types: typesOf(driver),
    onConnect: (client): unknown => client.query(settings, settingsOf(limits)),
  });
  // An idle connection that is lost is replaced when the next call needs one.
  pool.on('error', () => {});
  return pool;
}

function typesOf({ types, TypeOverrides }: PostgresDriver): InstanceType<PostgresDriver['TypeOverrides']> {
  const overrides = new TypeOverrides(types);
  overrides.setTypeParser(types.builtins.INT8, Number);
  return overrides;
}

/**
 * The settings of every connection, whatever the defaults of the server and the user are. A stricter
 * `synchronous_commit` is kept.
 */
const settings = `
  SELECT set_config('search_path', 'workflowlookup', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('default_transaction_read_only', 'off', false),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit')
      WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
    set_config('statement_timeout', $1, false),
    set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', $3, false)`;

function settingsOf({ statementMs, lockMs }: PoolLimits): string[] {
  return [statementMs, lockMs, statementMs].map(String);
}

/** Keeps calls away from a server that does not answer. */
interface ConnectBackoff {
  /** Returns the last failure while it is too early to try again. */
  currentFailure(): unknown;
  failed(failure: unknown): void;
  succeeded(): void;
}

/** How long to wait after a failure. */
interface BackoffOptions {
  /** The time after the first failure. It doubles with each further failure, */
  readonly firstMs: number;
  /** up to this time. */
  readonly maxMs: number;
}

/** Remembers failures to connect. For a while after one, every call fails at once with the same error. */
export function createConnectBackoff({ firstMs, maxMs }: BackoffOptions): ConnectBackoff {
  let failures = 0;
  let last: { readonly failure: unknown; readonly until: number } | undefined;
  return {
    currentFailure: () => (last !== undefined && performance.now() < last.until ? last.failure : undefined),
    failed(failure) {
      const wait = Math.min(maxMs, firstMs * 2 ** failures);
      failures += 1;
      // A random part keeps replicas from coming back all at once.
      last = { failure, until: performance.now() + wait * (0.5 + Math.random() / 2) };
    },
    succeeded() {
      failures = 0;
      last = undefined;
    },
  };
}

/** An address in the form that the driver needs. */
interface DriverAddress {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly ssl?: boolean | ConnectionOptions;
}

/** Returns the address in the form that the driver needs. A URL itself says whether and how TLS is used. */
export function driverAddress(server: string | PostgresServer): DriverAddress {
  if (typeof server === 'string') {
    if (!/^postgres(ql)?:\/\//.test(server)) throw unreadableAddress();
    return { connectionString: server };
  }
  const { tls, ...parts } = server;
  return { ...parts, ...(tls !== undefined && { ssl: tls }) };
}

type PostgresDriver = typeof import('pg');

/** Loads the `pg` package, when the first session call needs it. */
export async function loadDriver(
  load: () => Promise<PostgresDriver> = () => import('pg'),
): Promise<PostgresDriver> {
  try {
    return await load();
  } catch (cause) {
    throw new WorkflowError('STORE_UNAVAILABLE', databaseMessages.noPg(), {
      data: { reason: 'no-driver', retryable: false },
      cause,
    });
  }
}
