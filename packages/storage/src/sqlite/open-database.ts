import { WorkflowError } from '@workflowlookup/schema';
import type { SqliteDatabase, SqliteDriver } from './driver.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';
import { hasSoundLog } from './sqlite-version.ts';
import { isBusy } from './storage-failure.ts';

/** Longer waits are between tries, where the process can do something else. */
const lockWaitMs = 50;

/** Opens a database that exists and brings it up to date. What throws SQLITE_BUSY may be tried again. */
export function openDatabase(file: string, driver: SqliteDriver): SqliteDatabase {
  const db = driver.open(file);
  try {
    db.exec(`PRAGMA busy_timeout=${lockWaitMs}`);
    db.exec('PRAGMA foreign_keys=ON');
    db.exec('PRAGMA cell_size_check=ON');
    setJournalMode(db, driver);
    db.exec('PRAGMA synchronous=FULL');
    migrate(db, migrations);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * A database keeps the mode it was made with, except that an older SQLite must not write ahead: it takes the database
 * back to a rollback journal, and nobody takes it forth again, for an older process may come and go at any time.
 */
function setJournalMode(db: SqliteDatabase, { version }: SqliteDriver): void {
  if (db.all('PRAGMA journal_mode')[0]?.['journal_mode'] === 'wal') {
    if (hasSoundLog(version)) return;
    leaveLog(db, version);
  }
  db.all('PRAGMA journal_mode=TRUNCATE');
}

function leaveLog(db: SqliteDatabase, version: string): void {
  try {
    db.all('PRAGMA journal_mode=TRUNCATE');
  } catch (error) {
    throw isBusy(error) ? logInUse(version, error) : error;
  }
}

function logInUse(version: string, cause: unknown): WorkflowError {
  return new WorkflowError(
    'STORAGE',
    `The session database is in use by a process with a newer SQLite, in a mode that SQLite ${version} can't share safely. Run all processes on one version of Node.js.`,
    { data: { reason: 'journal-mode' }, cause },
  );
}
