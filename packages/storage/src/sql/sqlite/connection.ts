import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, linkSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { WorkflowError } from '@workflowlookup/schema';
import { damagedStore, storeClosed, systemCode } from '../../errors.ts';
import type { CheckedTable, Database, Dialect, Task } from '../database.ts';
import { sessionNumberColumns, sessionTextColumns } from '../stored-sessions.ts';
import type { WriteWatch } from '../write-behind.ts';
import type { SqliteDatabase, SqliteDriver } from './driver.ts';
import { hasSoundLog, journalModeOf, isBusy, stillLocked, storageFailure, textColumns } from './driver.ts';
import { createMetaTable, migrate, migrations } from './migrations.ts';
import { damageMessages, databaseMessages } from '../../messages.ts';

/** A task on an open database. It may run more than once; an earlier run that failed has no effect. */
export type ConnectionTask<T> = (db: SqliteDatabase) => T;

/** Access to one database file. */
export interface Connection {
  /** Runs a task that sees the database at one moment. */
  read<T>(task: ConnectionTask<T>): Promise<T>;
  /** Runs a task in a transaction of its own, which is on disk when the promise resolves. */
  write<T>(task: ConnectionTask<T>): Promise<T>;
  driver(): Promise<SqliteDriver>;
  /** Whether the database exists, existed when it was last used, or can't be examined. */
  isMade(): boolean;
  close(): void;
}

interface Done<T> {
  readonly result: T;
}

/**
 * Queued writes share a transaction until they have taken this long in total. If one transaction follows another
 * without a gap, other calls get a turn after this time.
 */
const sharedMs = 4;

interface QueuedWrite {
  /** When the write fails if the database is still locked, by `performance.now()`. */
  readonly deadline: number;
  /** Runs the task in a transaction. Once that is on disk, the function that it returns resolves the write. */
  readonly run: ConnectionTask<() => void>;
  readonly reject: (error: unknown) => void;
}

interface ConnectionOptions {
  readonly file: string;
  readonly load: () => Promise<SqliteDriver>;
  /** How many milliseconds a call waits for other processes before it fails. */
  readonly waitMs: number;
  /** Records which writes fail and which succeed. */
  readonly watch: WriteWatch;
}

/**
 * Opens a database at the first call. Every failure except a refused lock at the start closes the database, because
 * libsql reads outdated data after some of them. The next call opens it again.
 */
export function createConnection({ file, load, waitMs, watch }: ConnectionOptions): Connection {
  let loading: Promise<SqliteDriver> | undefined;
  let current: { readonly db: SqliteDatabase; readonly identity: FileIdentity | undefined } | undefined;
  let wasOpen = false;
  let closed = false;
  const queue: QueuedWrite[] = [];
  let isWriting = false;
  /** The last time when other calls could run between two writes, by `performance.now()`. */
  let lastTurn = -Infinity;

  const driver = (): Promise<SqliteDriver> => (loading ??= load());

  function drop(): void {
    const { db } = current ?? {};
    current = undefined;
    db?.close();
  }

  function open(library: SqliteDriver): SqliteDatabase {
    if (current !== undefined) return current.db;
    // A database that was removed is not created again: nobody would notice the loss.
    if (wasOpen && identify(file) === undefined) throw databaseGone();
    ensureDatabase(file, library);
    const identity = identify(file);
    current = { db: openDatabase(file, library), identity };
    wasOpen = true;
    return current.db;
  }

  /** SQLite continues to use a file that was deleted. */
  function checkStillThere(): void {
    const { identity } = current ?? {};
    const now = identity && identify(file);
    if (identity && (now?.ino !== identity.ino || now.dev !== identity.dev)) throw databaseGone();
  }

  /** Tries until the time is up. `undefined` means that the lock was refused. */
  async function attempt<T>(
    once: (db: SqliteDatabase) => Done<T> | undefined,
    deadline: number = performance.now() + waitMs,
  ): Promise<T> {
    const library = await driver();
    for (;;) {
      if (closed) throw storeClosed();
      try {
        // A read would answer from a file that is no longer there, and a write could go to the log of a new file with the
        // same name.
        const db = open(library);
        checkStillThere();
        const done = once(db);
        if (done !== undefined) return done.result;
        if (performance.now() > deadline) throw stillLocked();
      } catch (error) {
        drop();
        if (!isBusy(error) || performance.now() > deadline) throw storageFailure(error);
      }
      await setTimeout(1 + Math.random() * 4);
    }
  }

  function transact<T>(task: ConnectionTask<T>, deadline: number): Promise<T> {
    return attempt((db) => (begin(db) ? finish(db, task) : undefined), deadline);
  }

  /**
   * Runs the queued writes. A commit blocks the event loop while the disk syncs. So other calls get a turn between two
   * transactions if writes are waiting, and after a few milliseconds if each write follows the last one without a gap.
   */
  async function writeQueued(): Promise<void> {
    while (queue.length > 0) {
      const writes = queue.splice(0);
      const settled = await writeTogether(writes);
      queue.unshift(...writes.slice(settled));
      if (queue.length === 0 && performance.now() - lastTurn < sharedMs) break;
      await nextTurn();
      lastTurn = performance.now();
    }
    isWriting = false;
  }

  /** Does as many of the first writes as there is time for, in one transaction, and returns how many it settled. */
  async function writeTogether(writes: readonly QueuedWrite[]): Promise<number> {
    let finished: readonly (() => void)[] = [];
    try {
      const deadline = Math.min(...writes.map((write) => write.deadline));
      await transact((db) => {
        finished = [];
        finished = runFor(sharedMs, db, writes);
      }, deadline);
      watch.succeeded();
      for (const resolve of finished) resolve();
      return finished.length;
    } catch (error) {
      // If a task failed, nothing was committed: the first write is then done alone, so that only a write that fails itself
      // is refused. If the commit failed, the writes may be on disk, so they must not be done again.
      if (finished.length === 0 && writes.length > 1) return writeTogether(writes.slice(0, 1));
      watch.failed(error);
      const failed = writes.slice(0, Math.max(finished.length, 1));
      for (const { reject } of failed) reject(error);
      return failed.length;
    }
  }

  return {
    driver,
    isMade() {
      try {
        return wasOpen || identify(file) !== undefined;
      } catch {
        // Opening it reports the reason.
        return true;
      }
    },
    read: (task) => attempt((db) => read(db, task)),
    write: (task) =>
      new Promise((resolve, reject) => {
        // Counts from the call: a write must not wait again for what the writes before it waited for.
        const deadline = performance.now() + waitMs;
        queue.push({
          deadline,
          run(db) {
            const result = task(db);
            return () => resolve(result);
          },
          reject,
        });
        if (isWriting) return;
        isWriting = true;
        void writeQueued();
      }),
    close() {
      closed = true;
      drop();
    },
  };
}

/** Runs the first write, and further ones as long as there is time. */
function runFor(ms: number, db: SqliteDatabase, writes: readonly QueuedWrite[]): readonly (() => void)[] {
  const start = performance.now();
  const finished: (() => void)[] = [];
  for (const { run } of writes) {
    if (finished.length > 0 && performance.now() - start > ms) break;
    finished.push(run(db));
  }
  return finished;
}

/** Takes the lock. Returns false if another connection has it. */
function begin(db: SqliteDatabase): boolean {
  try {
    db.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** Runs a task whose reads are all from one moment. */
function read<T>(db: SqliteDatabase, task: ConnectionTask<T>): Done<T> {
  db.exec('BEGIN');
  return finish(db, task);
}

function finish<T>(db: SqliteDatabase, task: ConnectionTask<T>): Done<T> {
  try {
    const result = task(db);
    db.exec('COMMIT');
    return { result };
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

function rollBack(db: SqliteDatabase): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // After some failures SQLite has already rolled back. The first error is the one to report.
  }
}

/** A journal that a large write made longer than this many bytes is cut off after the write. */
const maxKeptJournal = 1024 * 1024;

/** Short, because a longer wait happens between tries, when the process can do other work. */
const lockWaitMs = 50;

/** Opens an existing database and migrates it. A call that throws SQLITE_BUSY may be repeated. */
function openDatabase(file: string, driver: SqliteDriver): SqliteDatabase {
  const db = driver.open(file);
  try {
    db.exec(`PRAGMA busy_timeout=${lockWaitMs}`);
    db.exec('PRAGMA foreign_keys=ON');
    db.exec('PRAGMA cell_size_check=ON');
    setJournalMode(db, driver);
    db.all(`PRAGMA journal_size_limit=${maxKeptJournal}`);
    db.exec('PRAGMA synchronous=FULL');
    migrate(db, migrations);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * A database keeps the journal mode that it was created with, with one exception: an older SQLite must not use a
 * write-ahead log, so it switches the database to a rollback journal. Nothing switches it back, because an older
 * process may start at any time.
 */
function setJournalMode(db: SqliteDatabase, { version }: SqliteDriver): void {
  if (db.all('PRAGMA journal_mode')[0]?.['journal_mode'] === 'wal') {
    if (hasSoundLog(version)) return;
    leaveLog(db, version);
  }
  db.all('PRAGMA journal_mode=PERSIST');
}

function leaveLog(db: SqliteDatabase, version: string): void {
  try {
    db.all('PRAGMA journal_mode=PERSIST');
  } catch (error) {
    throw isBusy(error) ? logInUse(version, error) : error;
  }
}

function logInUse(version: string, cause: unknown): WorkflowError {
  return new WorkflowError('STORE_UNAVAILABLE', databaseMessages.newerSqliteInUse(version), {
    data: { reason: 'journal-mode' },
    cause,
  });
}

/** Identifies the file behind a path. */
interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * Returns which file is behind a path, or `undefined` if there is none. It does not open the file, because closing it
 * would release SQLite's locks.
 */
function identify(file: string): FileIdentity | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}

/**
 * Creates the database if it is missing, readable by this user only. It is created under a temporary name and linked to
 * its place when complete. So an empty file is always a damaged one, and only one of several processes creates it.
 */
function ensureDatabase(file: string, driver: SqliteDriver): void {
  if (identify(file) === undefined) create(file, driver);
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
}

function create(file: string, driver: SqliteDriver): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    // SQLite gives its other files the mode of this one.
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
    createMetaTable(db);
    migrate(db, migrations);
  } finally {
    db.close();
  }
}

/** Returns the error for an open database whose file was removed. */
function databaseGone(): WorkflowError {
  return new WorkflowError('STORE_UNAVAILABLE', databaseMessages.removed(), { data: { reason: 'gone' } });
}

export const sqliteDialect: Dialect = {
  texts: textColumns,
  sessionColumns: [textColumns(...sessionTextColumns), ...sessionNumberColumns].join(', '),
  isIn: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  mentions: (column) => `instr(lower(${column}), lower(?)) > 0`,
  contains: (column) => `instr(${column}, ?) > 0`,
  elements: 'json_each(?) AS element',
  lock: () => '',
};

/** A check of a whole table takes time. It must not run for every made-up id. */
const trustMs = 60_000;

/** Makes the database that the shared parts of a store use. */
export function databaseOf(connection: Connection): Database {
  const trustedUntil = new Map<CheckedTable, number>();
  const readTask: Database['read'] = (task) => connection.read((db) => runTask(db, task()));
  const select: Database['select'] = (sql, values) => connection.read((db) => db.all(sql, values));
  return {
    dialect: sqliteDialect,
    isMade: connection.isMade,
    select,
    selectOnce: select,
    change: (sql, values) => connection.write((db) => db.run(sql, values)),
    read: readTask,
    snapshot: readTask,
    write: (task) => connection.write((db) => runTask(db, task())),
    /** With a damaged index, a row that exists is not found. After a successful check a table is trusted for a minute. */
    async checkMiss(table) {
      if (performance.now() < (trustedUntil.get(table) ?? -Infinity)) return undefined;
      const check = `SELECT ${textColumns('integrity_check')} FROM pragma_integrity_check(?)`;
      const [first] = await select(check, [table]);
      if (first?.['integrity_check'] !== 'ok') throw damagedStore(damageMessages.brokenIndex(table));
      trustedUntil.set(table, performance.now() + trustMs);
      return undefined;
    },
  };
}

/** Runs a task at once. */
export function runTask<Result>(db: SqliteDatabase, task: Task<Result>): Result {
  for (let step = task.next(); ;) {
    if (step.done === true) return step.value;
    const { sql, values, kind } = step.value;
    step = task.next(kind === 'change' ? db.run(sql, values) : db.all(sql, values));
  }
}
