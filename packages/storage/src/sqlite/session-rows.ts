import type { SessionRow, Snapshot } from '../session-store.ts';
import type { SessionHead, SessionPlace } from '../sql/stored-session.ts';
import {
  fixedChecksum,
  fixedValues,
  headChecksum,
  headValues,
  sessionNumberColumns,
  sessionTextColumns,
  snapshotValues,
  toSession,
  toSnapshot,
} from '../sql/stored-session.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';

/** The columns of a session that `toSession` needs. */
export const sessionColumns = [textColumns(...sessionTextColumns), ...sessionNumberColumns].join(', ');

/** The session with this id. */
export function readSession(db: SqliteDatabase, sid: string): SessionRow | undefined {
  const row = db.all(`SELECT ${sessionColumns} FROM sessions WHERE sid = ?`, [sid])[0];
  return row && toSession(row);
}

/** The session with this id and its snapshot. */
export function readSessionAndSnapshot(
  db: SqliteDatabase,
  sid: string,
): { readonly session: SessionRow; readonly snapshot?: Snapshot } | undefined {
  const columns = `${sessionColumns}, state_revision, state_crc, ${textColumns('state')}`;
  const row = db.all(`SELECT ${columns} FROM sessions WHERE sid = ?`, [sid])[0];
  if (row === undefined) return undefined;
  const snapshot = toSnapshot(row);
  return { session: toSession(row), ...(snapshot !== undefined && { snapshot }) };
}

/** Keeps a session that is not there yet. */
export function insertSession(db: SqliteDatabase, session: SessionRow, snapshot?: Snapshot): void {
  db.run(
    `INSERT INTO sessions (
       sid, workflow_id, version, digest, parent_sid, principal, agent, project, created_at, crc,
       status, revision, hash, updated_at, head_crc, state_revision, state_crc, state
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...fixedValues(session),
      fixedChecksum(session),
      ...headValues(session),
      headChecksum(session),
      ...snapshotValues(snapshot),
    ],
  );
}

/**
 * Moves a session on from the end its journal had; false where it has another. Nothing of it is read for that: what stays
 * the same has a checksum of its own. Without a snapshot the one before stays.
 */
export function moveSession(
  db: SqliteDatabase,
  head: SessionHead,
  { from, snapshot }: { readonly from: SessionPlace; readonly snapshot?: Snapshot | undefined },
): boolean {
  const changed = db.run(
    `UPDATE sessions SET
       status = ?, revision = ?, hash = ?, updated_at = ?, head_crc = ?,
       state_revision = coalesce(?, state_revision), state_crc = coalesce(?, state_crc), state = coalesce(?, state)
     WHERE sid = ? AND revision = ? AND hash = ?`,
    [
      ...headValues(head),
      headChecksum(head),
      ...snapshotValues(snapshot),
      from.sid,
      from.revision,
      from.hash,
    ],
  );
  return changed === 1;
}
