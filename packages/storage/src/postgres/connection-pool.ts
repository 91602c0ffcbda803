import type { Pool } from 'pg';
import type { PostgresDriver } from './load-driver.ts';
import type { PostgresServer } from './server-address.ts';
import { driverAddress } from './server-address.ts';

/** Bounds of a pool; every wait has one. */
export interface PoolLimits {
  /** At most so many connections. */
  readonly connections: number;
  /** How long a call waits for a connection. */
  readonly connectMs: number;
  /** How long a statement may take. */
  readonly statementMs: number;
  /** How long a statement waits for a lock. */
  readonly lockMs: number;
  /** A connection nobody used for so long is closed. */
  readonly idleMs: number;
}

/** The server answers in time or says that it did not; this much later it counts as silent. */
const silenceMs = 2_000;

/** Makes the pool of connections to a server; it connects when it is first asked. */
export function createPool(
  driver: PostgresDriver,
  server: string | PostgresServer,
  limits: PoolLimits,
): Pool {
  const pool = new driver.Pool({
    ...driverAddress(server),
    fallback_application_name: 'workflowlookup',
    max: limits.connections,
    connectionTimeoutMillis: limits.connectMs,
    idleTimeoutMillis: limits.idleMs,
    query_timeout: limits.statementMs + silenceMs,
    allowExitOnIdle: true,
    keepAlive: true,
    // Every number that is kept here is one of JavaScript's.
    types: typesOf(driver),
    onConnect: (client): unknown => client.query(settings, settingsOf(limits)),
  });
  // A connection that is lost while nobody uses it is simply not there any more.
  pool.on('error', () => {});
  return pool;
}

function typesOf({ types, TypeOverrides }: PostgresDriver): InstanceType<PostgresDriver['TypeOverrides']> {
  const overrides = new TypeOverrides(types);
  overrides.setTypeParser(types.builtins.INT8, Number);
  return overrides;
}

/** What a connection relies on, whatever the server and the user were set to. What waits longer for its disk than asked may. */
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
