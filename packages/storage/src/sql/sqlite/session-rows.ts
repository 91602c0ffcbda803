import type {
  JournalEvent,
  Reading,
  Seals,
  SessionChange,
  SessionRow,
  SessionWrite,
  Snapshot,
} from '../../sessions/session-store.ts';
import { eventTextColumns, eventValues, toChange, toEvents } from '../stored-events.ts';
import type { SessionHead, SqlRow } from '../stored-session.ts';
import {
  assertReadable,
  fixedValues,
  headValues,
  onlyRow,
  sessionNumberColumns,
  sessionTextColumns,
  snapshotValues,
  toSession,
  toSnapshot,
} from '../stored-session.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';

export const sessionColumns = [textColumns(...sessionTextColumns), ...sessionNumberColumns].join(', ');

/**
 * Returns the session with this id.
 *
 * @throws STORE_DAMAGED, SESSION_UNVERIFIED if it does not authenticate
 */
export function readSession(
  db: SqliteDatabase,
  seals: Seals,
  sid: string,
  reading: Reading = {},
): SessionRow | undefined {
  const row = onlyRow(db.all(`SELECT ${sessionColumns} FROM sessions WHERE sid = ?`, [sid]));
  return row && readable(seals, row, reading);
}

function readable(seals: Seals, row: SqlRow, reading: Reading): SessionRow {
  const session = toSession(seals, row);
  assertReadable(session, reading);
  return session;
}

/**
 * Returns the session with this id and its snapshot.
 *
 * @throws STORE_DAMAGED if it is forged
 */
export function readSessionAndSnapshot(
  db: SqliteDatabase,
  seals: Seals,
  sid: string,
): { readonly session: SessionRow; readonly snapshot?: Snapshot } | undefined {
  const columns = `${sessionColumns}, state_revision, ${textColumns('state', 'state_seal')}`;
  const row = onlyRow(db.all(`SELECT ${columns} FROM sessions WHERE sid = ?`, [sid]));
  if (row === undefined) return undefined;
  const session = readable(seals, row, { isUnverifiedToo: true });
  // The hash in the next event is verified when the events are read, in the same transaction.
  const [next] =
    row['state_revision'] === row['revision']
      ? []
      : db.all(`SELECT ${textColumns('prev_hash')} FROM events WHERE sid = ? AND revision = ? + 1`, [
          sid,
          row['state_revision'] ?? null,
        ]);
  const snapshot = toSnapshot(seals, row, { ...session, next });
  return { session, ...(snapshot !== undefined && { snapshot }) };
}

export function insertSession(
  db: SqliteDatabase,
  seals: Seals,
  session: SessionRow,
  write: SessionWrite,
): void {
  db.run(
    `INSERT INTO sessions (
       sid, workflow_id, version, digest, parent_sid, principal, agent, project, marks, created_at,
       status, revision, hash, updated_at, seal, state_revision, state_seal, state
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [...fixedValues(session), ...headValues(seals, session), ...snapshotValues(seals, session.sid, write)],
  );
}

/**
 * Updates a session from the end that its journal had. Returns false if the journal has another end. Without a new
 * snapshot the old one stays.
 */
export function updateSession(
  db: SqliteDatabase,
  seals: Seals,
  moved: SessionRow,
  { from, write }: { readonly from: SessionHead; readonly write: SessionWrite },
): boolean {
  const changed = db.run(
    `UPDATE sessions SET
       status = ?, revision = ?, hash = ?, updated_at = ?, seal = ?,
       state_revision = coalesce(?, state_revision), state_seal = coalesce(?, state_seal), state = coalesce(?, state)
     WHERE sid = ? AND revision = ? AND hash = ?`,
    [
      ...headValues(seals, moved),
      ...snapshotValues(seals, from.sid, write),
      from.sid,
      from.revision,
      from.hash,
    ],
  );
  return changed === 1;
}

/** Returns the events of a session in a range of revisions. Throws if one is missing or changed. */
export function readEvents(
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
export function insertEvents(
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

/** Returns the events after a position. */
export function readChanges(db: SqliteDatabase, after: number, limit: number): readonly SessionChange[] {
  const rows = db.all(
    `SELECT position, revision, ${textColumns('sid', 'at', 'type')} FROM events WHERE position > ? ORDER BY position LIMIT ?`,
    [after, limit],
  );
  return rows.map(toChange);
}

/** Returns the position of the last event that was ever committed. */
export function lastPosition(db: SqliteDatabase): number {
  return Number(db.all("SELECT seq FROM sqlite_sequence WHERE name = 'events'")[0]?.['seq'] ?? 0);
}
