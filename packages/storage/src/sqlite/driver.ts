import type { SqlRow, SqlValue } from '../sql/sql-row.ts';

/**
 * Columns of text, as what to select: their bytes, which the port makes texts again. libsql ends the process over a
 * text that is not UTF-8, and a damaged database has such texts.
 */
export function textColumns(...names: readonly string[]): string {
  return names.map((name) => `CAST(${name} AS BLOB) AS ${name}`).join(', ');
}

/** One connection to a SQLite database. Statements are prepared once. */
export interface SqliteDatabase {
  /** Runs statements that take and give nothing. */
  exec(sql: string): void;
  /** Runs one statement and says how many rows it changed. */
  run(sql: string, values: readonly SqlValue[]): number;
  /** Columns of text are asked for as {@link textColumns}. */
  all(sql: string, values?: readonly SqlValue[]): readonly SqlRow[];
  close(): void;
}

/** Which library speaks SQLite. */
export type SqliteDriverName = 'node:sqlite' | 'libsql';

/** A library that speaks SQLite: what is needed of it, and nothing more. */
export interface SqliteDriver {
  readonly name: SqliteDriverName;
  /** Of SQLite itself, such as `3.51.3`. */
  readonly version: string;
  /** Opens a database that exists, or makes an empty one. */
  open(file: string): SqliteDatabase;
}
