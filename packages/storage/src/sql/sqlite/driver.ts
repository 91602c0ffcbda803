import { WorkflowError } from '@workflowlookup/schema';
import { damageMessages, databaseMessages, sqliteFailures } from '../../messages.ts';
import { damagedStore, databaseFailed, systemCode } from '../../errors.ts';
import type { SqlRow, SqlValue } from '../stored-sessions.ts';

/**
 * Selects text columns as bytes, which the driver decodes. libsql aborts the process for text that is not UTF-8, and a
 * damaged database may contain such text.
 */
export function textColumns(...names: readonly string[]): string {
  return names.map((name) => `CAST(${name} AS BLOB) AS ${name}`).join(', ');
}

/** A connection to a SQLite database. Statements are prepared once. */
export interface SqliteDatabase {
  /** Runs statements without values or results. */
  exec(sql: string): void;
  /** Runs one statement and returns how many rows it changed. */
  run(sql: string, values: readonly SqlValue[]): number;
  /** Runs one statement and returns its rows. Text columns must be selected with {@link textColumns}. */
  all(sql: string, values?: readonly SqlValue[]): readonly SqlRow[];
  close(): void;
}

/** The library that provides SQLite. */
export type SqliteDriverName = 'node:sqlite' | 'libsql';

export interface SqliteDriver {
  readonly name: SqliteDriverName;
  /** The version of SQLite itself, such as `3.51.3`. */
  readonly version: string;
  /** Opens a database, or creates an empty one. */
  open(file: string): SqliteDatabase;
}

type Open = new (file: string) => NativeDatabase;

/** Returns the default library: Node's own if its SQLite is safe to share, otherwise libsql. */
export function preferredDriver(versions: Readonly<Record<string, string | undefined>>): SqliteDriverName {
  const own = versions['sqlite'];
  return own !== undefined && hasSoundLog(own) ? 'node:sqlite' : 'libsql';
}

/** Loads a library, when the first session call needs it. */
export function loadDriver(name: SqliteDriverName): Promise<SqliteDriver> {
  return name === 'libsql' ? loadLibsql() : loadNodeSqlite();
}

async function loadLibsql(): Promise<SqliteDriver> {
  try {
    const { default: Database } = await import('libsql');
    return driver('libsql', Database as unknown as Open);
  } catch (cause) {
    throw missing(databaseMessages.noLibsql(), cause);
  }
}

async function loadNodeSqlite(): Promise<SqliteDriver> {
  const sqlite = withoutWarning(() => process.getBuiltinModule('node:sqlite')) as
    | { readonly DatabaseSync: Open }
    | undefined;
  if (sqlite === undefined) throw missing(databaseMessages.noNodeSqlite());
  return driver('node:sqlite', sqlite.DatabaseSync);
}

function driver(name: SqliteDriverName, Database: Open): SqliteDriver {
  const open: SqliteDriver['open'] = (file) => preparedDatabase(new Database(file));
  const memory = open(':memory:');
  const version = String(memory.all('SELECT sqlite_version() AS version')[0]?.['version']);
  memory.close();
  return { name, version, open };
}

/** Node 22 warns on stderr that its SQLite is experimental. Other warnings are passed on. */
function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) emitWarning(warning, ...rest);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function missing(message: string, cause?: unknown): WorkflowError {
  return new WorkflowError('STORE_UNAVAILABLE', message, { data: { reason: 'no-driver' }, cause });
}

/** A connection of either library. Both use the same names. */
interface NativeDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): NativeStatement;
  close(): unknown;
}

/** A statement of either library. `get` is not used, because libsql adds a key of its own to the row. */
interface NativeStatement {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
  all(...values: readonly SqlValue[]): unknown[];
}

/** Wraps a connection of either library: prepares each statement once and validates the bound values. */
function preparedDatabase(native: NativeDatabase): SqliteDatabase {
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

/** The libraries return bytes in two different types. */
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
    if (error instanceof TypeError) throw damagedStore(damageMessages.notUtf8());
    throw error;
  }
}

/** libsql aborts the process for a value that it can't bind, and truncates a text at its first NUL. */
function checkBound(value: unknown): void {
  const isBindable =
    value === null || ['string', 'number', 'bigint'].includes(typeof value) || value instanceof Uint8Array;
  if (!isBindable) throw new TypeError(`SQLite can't bind a value of type ${typeof value}`);
  if (typeof value === 'string' && value.includes('\0'))
    throw new TypeError("SQLite can't bind a text with a NUL character");
}

/** The first SQLite whose write-ahead log can't be corrupted when two connections reset it at the same time. */
const soundLog = '3.51.3';

/** Whether processes with this version of SQLite can share a write-ahead log. */
export function hasSoundLog(version: string): boolean {
  const [have, need] = [version, soundLog].map((text) => text.split('.').map(Number));
  for (const [index, part] of (need ?? []).entries()) {
    const difference = (have?.[index] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** Returns the journal mode for a new database. A rollback journal is kept, because a new one at each commit is slower. */
export function journalModeOf(version: string): 'WAL' | 'PERSIST' {
  return hasSoundLog(version) ? 'WAL' : 'PERSIST';
}

type Reason = Exclude<keyof typeof sqliteFailures, 'unknown'>;

const byResultCode: Readonly<Record<number, Reason>> = {
  1: 'corrupt',
  3: 'read-only',
  5: 'busy',
  6: 'busy',
  8: 'read-only',
  10: 'io',
  11: 'corrupt',
  13: 'disk-full',
  14: 'read-only',
  15: 'busy',
  26: 'corrupt',
};

const bySystemCode: Readonly<Record<string, Reason>> = {
  EACCES: 'read-only',
  EPERM: 'read-only',
  EROFS: 'read-only',
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EIO: 'io',
};

/** Returns the primary result code of SQLite in an error of either library, or `undefined` for any other error. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { rawCode, errcode } = error as { rawCode?: unknown; errcode?: unknown };
  const code = typeof rawCode === 'number' ? rawCode : errcode;
  if (typeof code === 'number') return code & 0xff;
  // If libsql can't open a file, its error has no code, only a message that ends with it.
  const opening = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message);
  return opening === null ? undefined : Number(opening[1]);
}

/** Whether a retry may succeed in a moment, because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error instanceof WorkflowError ? error.cause : error);
  return code !== undefined && byResultCode[code] === 'busy';
}

/**
 * Converts a failure of SQLite or of the file system into an error for the caller. Other errors are returned unchanged.
 */
export function storageFailure(error: unknown): unknown {
  const code = resultCode(error);
  const system = systemCode(error);
  const reason = code === undefined ? bySystemCode[system] : byResultCode[code];
  if (reason !== undefined) return databaseFailed(reason, sqliteFailures[reason], { cause: error });
  if (code === undefined && !/^E[A-Z0-9]+$/.test(system)) return error;
  return databaseFailed('unknown', sqliteFailures.unknown(code ?? system), { cause: error });
}

/** Returns the error for a lock that others held until the time was up. */
export function stillLocked(): WorkflowError {
  return databaseFailed('busy', sqliteFailures.busy);
}
