import type { PoolClient, QueryConfig } from 'pg';
import type { SqlRow } from '../sql/sql-row.ts';
import type { BoundValue, PostgresDatabase, Task } from './database.ts';
import type { Lender } from './lender.ts';
import { migrate } from './migrate.ts';
import { isSound } from './storage-failure.ts';

/** The way to one database. A statement on its own is a transaction of its own. */
export interface Connection extends PostgresDatabase {
  /** Runs the statements of a task over one connection, each in a transaction of its own. */
  run<T>(task: Task<T>): Promise<T>;
  /** Runs a task in one transaction, that is on the disk when this settles. Where it fails nothing of it happened. */
  write<T>(task: Task<T>): Promise<T>;
}

/** Makes the way to a database over connections to its server. The first call brings the database up to date. */
export function createConnection({ lend }: Pick<Lender, 'lend'>): Connection {
  let migrating: Promise<void> | undefined;

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
    await migrated();
    return lend(task);
  }

  return {
    all: (sql, values) => use((client) => databaseOf(client).all(sql, values)),
    once: (sql, values) => use((client) => databaseOf(client).once(sql, values)),
    run: (task) => use((client) => task(databaseOf(client))),
    write: (task) => use((client) => transact(client, task)),
  };
}

async function transact<T>(client: PoolClient, task: Task<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await task(databaseOf(client));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that may be spoiled is dropped, and the transaction with it.
    if (isSound(error)) await client.query('ROLLBACK');
    throw error;
  }
}

function databaseOf(client: PoolClient): PostgresDatabase {
  return {
    all: async (text, values = []) => rowsOf(client, { name: nameOf(text), text, values: [...values] }),
    once: async (text, values = []) => rowsOf(client, { text, values: [...values] }),
  };
}

async function rowsOf(client: PoolClient, statement: QueryConfig<BoundValue[]>): Promise<readonly SqlRow[]> {
  return (await client.query<SqlRow>(statement)).rows;
}

const names = new Map<string, string>();

/** The name under which a connection keeps a statement. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `statement-${names.size + 1}`;
  names.set(text, name);
  return name;
}
