import type { Pool, PoolClient } from 'pg';
import { storeClosed } from '../sessions/no-session.ts';
import { createConnectBackoff } from './connect-backoff.ts';
import type { PoolLimits } from './connection-pool.ts';
import { createPool } from './connection-pool.ts';
import { loadDriver } from './load-driver.ts';
import type { PostgresServer } from './server-address.ts';
import { isOutage, isSound, storageFailure } from './storage-failure.ts';

/** Lends connections to a server. */
export interface Lender {
  /** Lends one to a task, and takes it back; after a failure it is dropped where it could be spoiled. */
  lend<T>(task: (client: PoolClient) => Promise<T>): Promise<T>;
  /** How many connections there are, and how many calls wait for one. */
  load(): { readonly open: number; readonly waiting: number };
  close(): Promise<void>;
}

/** What a lender is made of. */
export interface LenderOptions {
  readonly server: string | PostgresServer;
  readonly limits: PoolLimits;
  /** Called with the error of a task that failed. */
  onFailure?(error: unknown): void;
}

/** Makes a lender, which connects when it is first asked; and after a pause where the server did not answer. */
export function createLender({ server, limits, onFailure }: LenderOptions): Lender {
  const backoff = createConnectBackoff({ firstMs: 50, mostMs: 1_000 });
  let opening: Promise<Pool> | undefined;
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

  return {
    load: () => ({ open: pool?.totalCount ?? 0, waiting: pool?.waitingCount ?? 0 }),
    async lend(task) {
      if (closed) throw storeClosed();
      const client = await connect();
      try {
        return await attend(client, task);
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

/** Runs a task over a client, which is given back whatever comes. */
async function attend<T>(client: PoolClient, task: (client: PoolClient) => Promise<T>): Promise<T> {
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
    client.release(isLost || !isSound(error));
    throw storageFailure(error);
  } finally {
    client.off('error', lose);
  }
}
