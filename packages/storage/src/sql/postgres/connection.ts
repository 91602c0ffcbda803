import type { PoolClient, QueryConfig } from 'pg';
import type { SqlRow, SqlValue } from '../stored-session.ts';
import { migrate } from './migrations.ts';
import type { ClientPool } from './pool.ts';
import { isReusable } from './storage-failure.ts';

/** A value to bind. A list becomes a Postgres array. */
export type BoundValue = SqlValue | readonly SqlValue[];

/** Runs statements. Each one sees everything that was committed before it began. */
export interface PostgresDatabase {
  /**
   * Runs one statement, with `$1` for the first value, and returns its rows. It is prepared once for each connection.
   */
  all(sql: string, values?: readonly BoundValue[]): Promise<readonly SqlRow[]>;
  /** Runs one statement without preparing it: for rare statements, and for those that need a plan for their values. */
  once(sql: string, values?: readonly BoundValue[]): Promise<readonly SqlRow[]>;
}

/** A sequence of statements. It runs once. */
export type Task<T> = (db: PostgresDatabase) => Promise<T>;

/** Access to one database. Every single statement is a transaction. */
export interface Connection extends PostgresDatabase {
  /** Runs a task on one connection, with each statement in a transaction of its own. */
  run<T>(task: Task<T>): Promise<T>;
  /**
   * Runs a task in one transaction, which is on disk when the promise resolves. If the task fails, nothing is changed.
   */
  write<T>(task: Task<T>): Promise<T>;
}

/** Makes a connection from a pool. The first call migrates the database. */
export function createConnection({ use: withClient }: Pick<ClientPool, 'use'>): Connection {
  let migrating: Promise<void> | undefined;

  function migrated(): Promise<void> {
    migrating ??= withClient((client) => migrate((step) => transact(client, step), databaseOf(client))).catch(
      (error: unknown) => {
        migrating = undefined;
        throw error;
      },
    );
    return migrating;
  }

  async function use<T>(task: (client: PoolClient) => Promise<T>): Promise<T> {
    await migrated();
    return withClient(task);
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
    // A connection that may be in a bad state is closed, which ends its transaction.
    if (isReusable(error)) await client.query('ROLLBACK');
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

/** Returns the name under which a connection prepares a statement. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `statement-${names.size + 1}`;
  names.set(text, name);
  return name;
}
