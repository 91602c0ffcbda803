import { damagedStore } from '../sql/damaged-store.ts';
import type { SqlRow, SqlValue } from '../sql/sql-row.ts';
import type { SqliteDatabase } from './driver.ts';

/** A connection of either library: they name these the same. */
export interface NativeDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): NativeStatement;
  close(): unknown;
}

/** A statement of either library. `get` is left out: libsql adds a key of its own to its row. */
interface NativeStatement {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
  all(...values: readonly SqlValue[]): unknown[];
}

/** Puts a connection behind the port: prepares each statement once, and looks at what is bound. */
export function preparedDatabase(native: NativeDatabase): SqliteDatabase {
  const statements = new Map<string, NativeStatement>();

  function prepare(sql: string, values: readonly SqlValue[]): NativeStatement {
    for (const value of values) checkBound(value);
    const statement = statements.get(sql) ?? native.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  return {
    exec: (sql) => void native.exec(sql),
    run: (sql, values) => Number(prepare(sql, values).run(...values).changes),
    all: (sql, values = []) =>
      prepare(sql, values)
        .all(...values)
        .map((row) => toRow(row as NativeRow)),
    close() {
      statements.clear();
      native.close();
    },
  };
}

/** The libraries give bytes in one of two ways. */
type NativeRow = Readonly<Record<string, SqlValue | Uint8Array | ArrayBuffer>>;

function toRow(row: NativeRow): SqlRow {
  const texts: Record<string, SqlValue> = {};
  for (const [name, value] of Object.entries(row))
    texts[name] = typeof value === 'object' && value !== null ? toText(value) : value;
  return texts;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function toText(bytes: Uint8Array | ArrayBuffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw damagedStore('it holds a text that is not UTF-8');
    throw error;
  }
}

/** libsql ends the process over a value it can't bind, and cuts a text at its first NUL. */
function checkBound(value: unknown): void {
  const isBindable =
    value === null || ['string', 'number', 'bigint'].includes(typeof value) || value instanceof Uint8Array;
  if (!isBindable) throw new TypeError(`SQLite can't bind a value of type ${typeof value}`);
  if (typeof value === 'string' && value.includes('\0'))
    throw new TypeError("SQLite can't bind a text with a NUL character");
}
