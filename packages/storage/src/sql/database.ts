import type { SqlRow, SqlValue } from './stored-sessions.ts';

/** A statement with `?` for each value. */
interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /**
   * What it returns: rows, or the number of rows that it changed. `select-once` is for statements that a connection need
   * not prepare, and for those that need a plan for their values.
   */
  readonly kind: 'select' | 'select-once' | 'change';
}

/**
 * A sequence of statements, the same for every database: SQLite runs it at once, Postgres waits after each statement.
 * `yield*` {@link select}, {@link selectOnce} or {@link change} runs a statement and returns its result.
 */
export type Task<Result> = Generator<Statement, Result, readonly SqlRow[] | number>;

export function* select(sql: string, values: readonly SqlValue[] = []): Task<readonly SqlRow[]> {
  return (yield { sql, values, kind: 'select' }) as readonly SqlRow[];
}

export function* selectOnce(sql: string, values: readonly SqlValue[] = []): Task<readonly SqlRow[]> {
  return (yield { sql, values, kind: 'select-once' }) as readonly SqlRow[];
}

export function* change(sql: string, values: readonly SqlValue[]): Task<number> {
  return (yield { sql, values, kind: 'change' }) as number;
}

/** The SQL that differs between databases. */
export interface Dialect {
  /** Selects columns with texts. */
  readonly texts: (...columns: readonly string[]) => string;
  /** All columns of a session but those of its snapshot. */
  readonly sessionColumns: string;
  /** Whether the text of a column is in a JSON array. It has one `?`, like the next two. */
  readonly isIn: (column: string) => string;
  /** Whether a column contains a text, ignoring the case of the letters A to Z. */
  readonly mentions: (column: string) => string;
  /** Whether a column contains a text exactly. */
  readonly contains: (column: string) => string;
  /** The elements of a JSON array, as a table `element` with the column `value`. It has one `?`. */
  readonly elements: string;
  /** Ends a SELECT that locks its rows until the transaction ends. Empty if all transactions take turns anyway. */
  readonly lock: (strength: 'UPDATE' | 'NO KEY UPDATE' | 'UPDATE SKIP LOCKED') => string;
  /** The statement by which the transactions that do this take turns. Absent if all transactions take turns anyway. */
  readonly turns?: Readonly<Record<'noting keys' | 'deleting sessions', string>>;
}

export type CheckedTable = 'sessions' | 'definitions' | 'blobs' | 'api_keys' | 'revoked_ids';

/** A database, as the parts of a store use it that are the same for all databases. */
export interface Database {
  readonly dialect: Dialect;
  /** Whether the database exists. Any other call creates it. */
  isMade(): boolean;
  /** Runs one statement that reads. */
  select(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  selectOnce(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Runs one statement in a transaction of its own and returns the number of rows that it changed. */
  change(sql: string, values: readonly SqlValue[]): Promise<number>;
  /** Runs a task that reads. Each statement sees what was committed before it. */
  read<Result>(task: () => Task<Result>): Promise<Result>;
  /** Runs a task that sees the database at one moment. */
  snapshot<Result>(task: () => Task<Result>): Promise<Result>;
  /** Runs a task in one transaction. It may run more than once; a run that failed has no effect. */
  write<Result>(task: () => Task<Result>): Promise<Result>;
  /** Throws if a table in which a row was not found is damaged. */
  checkMiss(table: CheckedTable): Promise<undefined>;
}
