import type { Pool, PoolClient } from 'pg';
import { storeClosed } from '../sessions/no-session.ts';
import type { SqlRow } from '../sql/sql-row.ts';
import { createConnectBackoff } from './connect-backoff.ts';
import type { PoolLimits } from './connection-pool.ts';
import { createPool } from './connection-pool.ts';
import type { BoundValue, PostgresDatabase, Task } from './database.ts';
import { loadDriver } from './load-driver.ts';
import { migrate } from './migrate.ts';
import type { PostgresServer } from './server-address.ts';
import { isOutage, isSound, storageFailure } from './storage-failure.ts';

/** The way to one database. A statement on its own is a transaction of its own. */
export interface Connection extends PostgresDatabase {
  /** Runs a task in a transaction that is on the disk when this settles. */
  write<T>(task: Task<T>): Promise<T>;
  /** How many connections there are, and how many calls wait for one. */
  load(): { readonly open: number; readonly waiting: number };
  close(): Promise<void>;
}

/** What a connection is made of. */
export interface ConnectionOptions {
  readonly server: string | PostgresServer;
  readonly limits: PoolLimits;
}

/**
 * Connects to a database when it is first needed, and brings it up to date. A connection that failed is dropped; the
 * next call opens another one, after a pause where the server does not answer.
 */
export function createConnection({ server, limits }: ConnectionOptions): Connection {
  const backoff = createConnectBackoff({ firstMs: 50, mostMs: 1_000 });
  let opening: Promise<Pool> | undefined;
  let migrating: Promise<void> | undefined;
  let pool: Pool | undefined;
  let closed = false;

  async function open(): Promise<Pool> {
    return (pool = createPool(await loadDriver(), server, limits));
  }

  async function connect(): Promise<PoolClient> {
    const standing = backoff.standing();
    if (standing !== undefined) throw standing;
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

  /** Lends a client to a task, and takes it back or, after a failure, apart. */
  async function lend<T>(task: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await connect();
    let isLost = false;
    const lose = (): void => void (isLost = true);
    client.on('error', lose);
    try {
      const result = await task(client);
      client.release(isLost);
      return result;
    } catch (error) {
      client.release(isLost || !isSound(error));
      throw storageFailure(error);
    } finally {
      client.off('error', lose);
    }
  }

  function migrated(): Promise<void> {
    migrating ??= lend((client) => migrate((step) => transact(client, step), databaseOf(client))).catch(
      (error: unknown) => {
        migrating = undefined;
        throw error;
      },
    );
    return migrating;
  }

  async function use<T>(task: (client: PoolClient) => Promise<T>): Promise<T> {
    if (closed) throw storeClosed();
    await migrated();
    return lend(task);
  }

  return {
    all: (sql, values) => use((client) => databaseOf(client).all(sql, values)),
    write: (task) => use((client) => transact(client, task)),
    load: () => ({ open: pool?.totalCount ?? 0, waiting: pool?.waitingCount ?? 0 }),
    async close() {
      closed = true;
      await pool?.end();
    },
  };
}

async function transact<T>(client: PoolClient, task: Task<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await task(databaseOf(client));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    if (!isSound(error)) throw error;
    await client.query('ROLLBACK');
    throw error;
  }
}

function databaseOf(client: PoolClient): PostgresDatabase {
  return {
    async all(sql, values: readonly BoundValue[] = []) {
      const { rows } = await client.query<SqlRow>(sql, [...values]);
      return rows;
    },
  };
}
