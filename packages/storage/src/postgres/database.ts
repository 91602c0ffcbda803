import type { SqlRow, SqlValue } from '../sql/sql-row.ts';

/** What may be bound: a list is an array of Postgres. */
export type BoundValue = SqlValue | readonly SqlValue[];

/** A way to run statements; each sees what was committed before it began. */
export interface PostgresDatabase {
  /** Runs one statement, with `$1` for the first value, and gives its rows. */
  all(sql: string, values?: readonly BoundValue[]): Promise<readonly SqlRow[]>;
}

/** What runs in one transaction. It runs once; when it fails, nothing of it happened. */
export type Task<T> = (db: PostgresDatabase) => Promise<T>;
