import { setTimeout } from 'node:timers/promises';
import { storeClosed } from '../sessions/no-session.ts';
import type { WriteWatch } from '../sql/write-watch.ts';
import type { FileIdentity } from './database-file.ts';
import { databaseGone, ensureDatabase, identify } from './database-file.ts';
import type { SqliteDatabase, SqliteDriver } from './driver.ts';
import { openDatabase } from './open-database.ts';
import { isBusy, stillLocked, storageFailure } from './storage-failure.ts';

/** A task on an open database; it may run more than once, and what it did before then never happened. */
export type Task<T> = (db: SqliteDatabase) => T;

/** The way to one database file. */
export interface Connection {
  /** Runs a task that sees the database as it is at one moment. */
  read<T>(task: Task<T>): Promise<T>;
  /** Runs a task in a transaction of its own, that is on the disk when this settles. */
  write<T>(task: Task<T>): Promise<T>;
  driver(): Promise<SqliteDriver>;
  /** Whether there is a database, or was one when this was last used. */
  isMade(): boolean;
  close(): void;
}

interface Done<T> {
  readonly result: T;
}

/** What a connection is made of. */
export interface ConnectionOptions {
  readonly file: string;
  readonly load: () => Promise<SqliteDriver>;
  /** How long a call waits for other processes before it is refused. */
  readonly waitMs: number;
}

/**
 * Connects to a database when it is first needed. Every failure but a lock that was refused before anything began
 * ends the connection, for libsql goes on reading an old state after some of them; the next call opens it anew.
 */
export function createConnection({ file, load, waitMs }: ConnectionOptions): Connection {
  let loading: Promise<SqliteDriver> | undefined;
  let current: { readonly db: SqliteDatabase; readonly identity: FileIdentity | undefined } | undefined;
  let wasOpen = false;
  let closed = false;

  const driver = (): Promise<SqliteDriver> => (loading ??= load());

  function drop(): void {
    const { db } = current ?? {};
    current = undefined;
    db?.close();
  }

  function open(library: SqliteDriver): SqliteDatabase {
    if (current !== undefined) return current.db;
    // A database that was here is not made anew: whoever removed it would not be told.
    if (wasOpen && identify(file) === undefined) throw databaseGone();
    ensureDatabase(file, library);
    const identity = identify(file);
    current = { db: openDatabase(file, library), identity };
    wasOpen = true;
    return current.db;
  }

  /** SQLite goes on with a file that has no name any more. */
  function checkStillThere(): void {
    if (current !== undefined && identify(file) !== current.identity) throw databaseGone();
  }

  /** Tries until the time is up; `undefined` says that the lock was refused. */
  async function attempt<T>(once: (db: SqliteDatabase) => Done<T> | undefined): Promise<T> {
    const library = await driver();
    const deadline = performance.now() + waitMs;
    for (;;) {
      if (closed) throw storeClosed();
      try {
        const done = once(open(library));
        checkStillThere();
        if (done !== undefined) return done.result;
        if (performance.now() > deadline) throw stillLocked();
      } catch (error) {
        drop();
        if (!isBusy(error) || performance.now() > deadline) throw storageFailure(error);
      }
      await setTimeout(1 + Math.random() * 4);
    }
  }

  return {
    driver,
    isMade: () => wasOpen || identify(file) !== undefined,
    read: (task) => attempt((db) => read(db, task)),
    write: (task) =>
      attempt((db) => {
        // A log may already belong to the file that took the place of this one.
        checkStillThere();
        return begin(db) ? finish(db, task) : undefined;
      }),
    close() {
      closed = true;
      drop();
    },
  };
}

/** The same connection, with somebody told of what became of its writes. */
export function watchedConnection(connection: Connection, watch: WriteWatch): Connection {
  return {
    ...connection,
    async write(task) {
      try {
        const result = await connection.write(task);
        watch.kept();
        return result;
      } catch (error) {
        watch.failed(error);
        throw error;
      }
    },
  };
}

/** Takes the lock; false where others hold it. */
function begin(db: SqliteDatabase): boolean {
  try {
    db.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** All that a task reads is of one moment. */
function read<T>(db: SqliteDatabase, task: Task<T>): Done<T> {
  db.exec('BEGIN');
  return finish(db, task);
}

function finish<T>(db: SqliteDatabase, task: Task<T>): Done<T> {
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
    // After some failures SQLite has rolled back already, and what made this necessary is what counts.
  }
}
