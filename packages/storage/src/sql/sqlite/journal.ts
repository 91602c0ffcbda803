import type { JournalMethods } from '../../sessions/checked-store.ts';
import { notStored } from '../../errors.ts';
import type {
  JournalEvent,
  Seals,
  SessionRow,
  SessionWrite,
  LoadedSession,
  NewSession,
  RecordedCommand,
} from '../../sessions/session-store.ts';
import type { Database } from '../database.ts';
import {
  eventTextColumns,
  eventValues,
  toChange,
  toEvents,
  toLoaded,
  fixedValues,
  headValues,
  onlyRow,
  readSession,
  readable,
  snapshotValues,
  toSnapshot,
  startedSession,
  updatedSession,
  headBefore,
} from '../stored-sessions.ts';
import type { SessionHead } from '../stored-sessions.ts';
import type { CallTrace, CallsBefore, DelayedWrite, WaitingCall, WaitingWrite } from '../write-behind.ts';
import type { Connection } from './connection.ts';
import { runTask, sqliteDialect } from './connection.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';

const selectSession = `
  SELECT ${sqliteDialect.sessionColumns}, state_revision, ${textColumns('state', 'state_seal')}
  FROM sessions WHERE sid = ?`;

const selectFollower = `SELECT ${textColumns('prev_hash')} FROM events WHERE sid = ? AND revision = ? + 1`;

/** Returns the events of a session in a range of revisions. Throws if one is missing or changed. */
function readEvents(
  db: SqliteDatabase,
  seals: Seals,
  session: SessionRow,
  span: { readonly after: number; readonly upTo: number },
): readonly JournalEvent[] {
  if (span.upTo <= span.after) return [];
  const rows = db.all(
    `SELECT revision, ${textColumns(...eventTextColumns)} FROM events
     WHERE sid = ? AND revision > ? AND revision <= ? ORDER BY revision`,
    [session.sid, span.after, span.upTo],
  );
  return toEvents(seals, session, rows, span);
}

/** Adds events to the end of a journal. Each one names the last call before it. */
function insertEvents(
  db: SqliteDatabase,
  seals: Seals,
  session: Pick<SessionRow, 'sid' | 'principal' | 'digest'>,
  { events, follows }: { readonly events: readonly JournalEvent[]; readonly follows: string | null },
): void {
  for (const event of events) {
    const { revision, at, type, data, prevHash, hash } = event;
    const seal = seals.make('event', eventValues(session, event, follows));
    db.run(
      `INSERT INTO events (sid, revision, at, type, data, prev_hash, hash, follows, seal)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [session.sid, revision, at, type, JSON.stringify(data), prevHash, hash, follows, seal],
    );
  }
}

/** Returns the position of the last event that was ever committed. */
export function lastPosition(db: SqliteDatabase): number {
  return Number(db.all("SELECT seq FROM sqlite_sequence WHERE name = 'events'")[0]?.['seq'] ?? 0);
}

export function journalMethods(
  connection: Connection,
  seals: Seals,
  { trace, checkMiss }: Pick<Database, 'checkMiss'> & { readonly trace: CallTrace },
): Pick<JournalMethods, 'create' | 'load' | 'append' | 'events' | 'changes'> {
  return {
    create: (session, write) => connection.write((db) => createSession(db, seals, session, write)),
    async load(sid) {
      return (await connection.read((db) => loadSession(db, seals, sid))) ?? checkMiss('sessions');
    },
    async append(sid, revision, write) {
      const before = trace.before(sid);
      const isKept = await connection.write((db) =>
        appendTo(db, seals, { sid, revision }, { write, before }),
      );
      if (isKept) trace.confirm(before);
      return isKept;
    },
    async events(sid, { after = 0, limit = Infinity, ...reading } = {}) {
      const events = await connection.read((db) => {
        const session = runTask(db, readSession(sqliteDialect, seals, sid, reading));
        const upTo = Math.min(session?.revision ?? 0, after + limit);
        return session && readEvents(db, seals, session, { after, upTo });
      });
      return events ?? (await checkMiss('sessions')) ?? [];
    },
    async changes(after, limit) {
      const columns = `position, revision, ${textColumns('sid', 'at', 'type')}`;
      const selected = `SELECT ${columns} FROM events WHERE position > ? ORDER BY position LIMIT ?`;
      return (await connection.read((db) => db.all(selected, [after, limit]))).map(toChange);
    },
  };
}

/** Stores a new session with its first events. Returns false if the id is taken. */
function createSession(db: SqliteDatabase, seals: Seals, session: NewSession, write: SessionWrite): boolean {
  if (db.all('SELECT 1 AS one FROM sessions WHERE sid = ?', [session.sid]).length > 0) return false;
  if (!isStored(db, 'definitions', session.digest)) throw notStored('definition', session.digest);
  const begun = startedSession(session, write);
  db.run(
    `INSERT INTO sessions (
       sid, workflow_id, version, digest, parent_sid, principal, agent, project, marks, created_at,
       status, revision, hash, updated_at, seal, state_revision, state_seal, state
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [...fixedValues(begun), ...headValues(seals, begun), ...snapshotValues(seals, begun.sid, write)],
  );
  if (write.command !== undefined) insertCommand(db, seals, begun, write.command);
  insertEvents(db, seals, begun, { events: write.events, follows: null });
  recordBlobs(db, session.sid, write.blobs ?? []);
  return true;
}

/** Adds events to a session. Returns false, and stores nothing, if the session is not at the expected revision. */
function appendTo(
  db: SqliteDatabase,
  seals: Seals,
  { sid, revision }: { readonly sid: string; readonly revision: number },
  { write, before }: { readonly write: SessionWrite; readonly before: CallsBefore },
): boolean {
  const { command } = write;
  const session = write.session ?? runTask(db, readSession(sqliteDialect, seals, sid));
  if (session === undefined) return false;
  const from = headBefore(sid, write, revision);
  const moved = updatedSession(session, write);
  if (command !== undefined && !insertCommand(db, seals, from, command)) return false;
  // Without a new snapshot the old one stays.
  const changed = db.run(
    `UPDATE sessions SET
       status = ?, revision = ?, hash = ?, updated_at = ?, seal = ?,
       state_revision = coalesce(?, state_revision), state_seal = coalesce(?, state_seal), state = coalesce(?, state)
     WHERE sid = ? AND revision = ? AND hash = ?`,
    [...headValues(seals, moved), ...snapshotValues(seals, sid, write), sid, from.revision, from.hash],
  );
  if (changed !== 1) return false;
  for (const call of before.calls) insertCall(db, call);
  insertEvents(db, seals, moved, { events: write.events, follows: before.follows });
  recordBlobs(db, sid, write.blobs ?? []);
  return true;
}

/** Returns a session with its snapshot and the verified events after it. Throws if its row is forged. */
function loadSession(db: SqliteDatabase, seals: Seals, sid: string): LoadedSession | undefined {
  const row = onlyRow(db.all(selectSession, [sid]));
  if (row === undefined) return undefined;
  const session = readable(seals, row, { isUnverifiedToo: true });
  const { state_revision: stateRevision = null } = row;
  // The hash in the next event is verified when the events are read, in the same transaction.
  const [next] = stateRevision === row['revision'] ? [] : db.all(selectFollower, [sid, stateRevision]);
  const snapshot = toSnapshot(seals, row, { ...session, next });
  const span = { after: snapshot?.revision ?? 0, upTo: session.revision };
  return toLoaded(session, snapshot, readEvents(db, seals, session, span));
}

function isStored(db: SqliteDatabase, table: 'definitions' | 'blobs', digest: string): boolean {
  return db.all(`SELECT 1 AS one FROM ${table} WHERE digest = ?`, [digest]).length > 0;
}

/** Records that a session refers to values. Throws `NOT_FOUND` if one of them is not stored. */
function recordBlobs(db: SqliteDatabase, sid: string, digests: readonly string[]): void {
  for (const digest of digests) {
    if (!isStored(db, 'blobs', digest)) throw notStored('blob', digest);
    db.run('INSERT INTO session_blobs (sid, digest) VALUES (?, ?) ON CONFLICT DO NOTHING', [sid, digest]);
  }
}

/** Returns the function that does delayed writes, in one transaction. */
export function delayedWriter(
  connection: Connection,
): (writes: readonly WaitingWrite<DelayedWrite>[]) => Promise<void> {
  return (writes) =>
    connection.write((db) => {
      for (const { task } of writes)
        if ('call' in task) insertCall(db, task.call);
        else runTask(db, task.task());
    });
}

/**
 * Adds a call after the existing ones, unless it is already stored or its session was deleted. A writer's calls are stored in the order of their
 * numbers, so the last number tells which ones are stored, and no index has to be written for it.
 */
export function insertCall(db: SqliteDatabase, { sid, writer, seq, text, seal }: WaitingCall): void {
  const numbers = storedNumbersOf(db);
  const key = `${writer} ${sid}`;
  if (seq <= (numbers.get(key) ?? lastStoredNumber(db, sid, writer))) return;
  db.run(
    `INSERT INTO calls (sid, n, writer, seq, call, seal)
     SELECT sid, (SELECT coalesce(max(n), 0) + 1 FROM calls WHERE calls.sid = sessions.sid), ?, ?, ?, ?
     FROM sessions WHERE sid = ?`,
    [writer, seq, text, seal, sid],
  );
  numbers.set(key, seq);
}

/** A connection remembers the numbers of this many sessions. It reads the others from the database. */
const maxNumbers = 20_000;

const numbersOf = new WeakMap<SqliteDatabase, Map<string, number>>();

/**
 * Returns the last stored number of each session and writer, as far as this connection knows it. The numbers belong to
 * the connection because it is closed when a write fails, and nobody knows then what was stored.
 */
function storedNumbersOf(db: SqliteDatabase): Map<string, number> {
  const known = numbersOf.get(db);
  if (known !== undefined && known.size < maxNumbers) return known;
  const numbers = new Map<string, number>();
  numbersOf.set(db, numbers);
  return numbers;
}

function lastStoredNumber(db: SqliteDatabase, sid: string, writer: string): number {
  const [row] = db.all('SELECT max(seq) AS seq FROM calls WHERE sid = ? AND writer = ?', [sid, writer]);
  return Number(row?.['seq'] ?? 0);
}

/**
 * Records the result of a command. Returns false if the session is not at the expected revision or the command is
 * already recorded.
 */
function insertCommand(
  db: SqliteDatabase,
  seals: Seals,
  { sid, revision, hash }: SessionHead,
  { key, result }: RecordedCommand,
): boolean {
  const text = JSON.stringify(result);
  const added = db.run(
    `INSERT INTO commands (sid, key, result, seal)
     SELECT sid, ?, ?, ? FROM sessions WHERE sid = ? AND revision = ? AND hash = ? ON CONFLICT DO NOTHING`,
    [key, text, seals.make('command', [sid, key, text]), sid, revision, hash],
  );
  return added === 1;
}
