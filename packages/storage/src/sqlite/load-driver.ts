import { WorkflowError } from '@workflowlookup/schema';
import type { SqliteDriver, SqliteDriverName } from './driver.ts';
import type { NativeDatabase } from './prepared-database.ts';
import { preparedDatabase } from './prepared-database.ts';
import { hasSoundLog } from './sqlite-version.ts';

type Open = new (file: string) => NativeDatabase;

/** The library a program uses where it does not say: Node's own where its SQLite is sound, else libsql. */
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
    throw missing('the package libsql can not be loaded', cause);
  }
}

async function loadNodeSqlite(): Promise<SqliteDriver> {
  const sqlite = withoutWarning(() => process.getBuiltinModule('node:sqlite')) as
    | { readonly DatabaseSync: Open }
    | undefined;
  if (sqlite === undefined) throw missing('this Node.js has no node:sqlite');
  return driver('node:sqlite', sqlite.DatabaseSync);
}

function driver(name: SqliteDriverName, Database: Open): SqliteDriver {
  const open: SqliteDriver['open'] = (file) => preparedDatabase(new Database(file));
  const memory = open(':memory:');
  const version = String(memory.all('SELECT sqlite_version() AS version')[0]?.['version']);
  memory.close();
  return { name, version, open };
}

/** Node 22 warns on stderr that its SQLite is new; what else it has to say is let through. */
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

function missing(what: string, cause?: unknown): WorkflowError {
  return new WorkflowError(
    'STORAGE',
    `Sessions can't be kept: ${what}. Install libsql 0.5.29, or run Node.js 22.23 or newer, which brings its own SQLite.`,
    { data: { reason: 'no-driver' }, cause },
  );
}
