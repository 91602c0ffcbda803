import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, linkSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';
import { systemCode } from '../system-code.ts';
import type { SqliteDriver } from './driver.ts';
import { found, migrate } from './migrate.ts';
import { migrations } from './migrations.ts';
import { journalModeOf } from './sqlite-version.ts';

/** Which file a path leads to. */
export type FileIdentity = string;

/** The file a path leads to; `undefined` where there is none. The file is not opened: closing it would let SQLite's locks go. */
export function identify(file: string): FileIdentity | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
}

/**
 * Sees to it that there is a database, for this user alone. A new one is made beside its place and linked there when
 * it is whole, so that an empty file is always a damaged one, and of several processes one makes it.
 */
export function ensureDatabase(file: string, driver: SqliteDriver): void {
  if (identify(file) === undefined) create(file, driver);
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
}

function create(file: string, driver: SqliteDriver): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    // SQLite gives its own files the mode of this one.
    closeSync(openSync(draft, 'wx', 0o600));
    fill(draft, driver);
    linkSync(draft, file);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
  }
}

function fill(file: string, driver: SqliteDriver): void {
  const db = driver.open(file);
  try {
    db.all(`PRAGMA journal_mode=${journalModeOf(driver.version)}`);
    db.exec('PRAGMA synchronous=FULL');
    found(db);
    migrate(db, migrations);
  } finally {
    db.close();
  }
}

/** Says that the file of an open database went away. */
export function databaseGone(): WorkflowError {
  return new WorkflowError(
    'STORAGE',
    'The session database was removed or replaced while it was in use. What was not acknowledged is not kept; put the file back, or start anew with another state directory.',
    { data: { reason: 'gone' } },
  );
}
