import type { SqlRow, SqlValue } from '../sql/sql-row.ts';

/** What may be bound: a list is an array of Postgres. */
export type BoundValue = SqlValue | readonly SqlValue[];

/** A way to run statements; each sees what was committed before it began. */
export interface PostgresDatabase {
  /** Runs one statement, with `$1` for the first value, and gives its rows. It is prepared once for each connection. */
  all(sql: string, values?: readonly BoundValue[]): Promise<readonly SqlRow[]>;
  /** The same for a statement that is rare, or that is best planned for its values. */
  once(sql: string, values?: readonly BoundValue[]): Promise<readonly SqlRow[]>;
}

/** Statements in a row. It runs once. */
export type Task<T> = (db: PostgresDatabase) => Promise<T>;
