import type { Seals, SessionRow, SessionWrite, Snapshot } from '../session-store.ts';
import type { SqlRow } from '../sql/sql-row.ts';
import type { SessionPlace } from '../sql/stored-session.ts';
import {
  assertReadable,
  fixedValues,
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

/** The session with this id. @throws STORAGE where it does not authenticate */
export function readSession(db: SqliteDatabase, seals: Seals, sid: string): SessionRow | undefined {
  const [row] = db.all(`SELECT ${sessionColumns} FROM sessions WHERE sid = ?`, [sid]);
  return row && readable(seals, row);
}

function readable(seals: Seals, row: SqlRow): SessionRow {
  const session = toSession(seals, row);
  assertReadable(session);
  return session;
}

/** The session with this id and its snapshot. @throws STORAGE where it does not authenticate */
export function readSessionAndSnapshot(
  db: SqliteDatabase,
  seals: Seals,
  sid: string,
): { readonly session: SessionRow; readonly snapshot?: Snapshot } | undefined {
  const columns = `${sessionColumns}, state_revision, ${textColumns('state', 'state_seal')}`;
  const [row] = db.all(`SELECT ${columns} FROM sessions WHERE sid = ?`, [sid]);
  if (row === undefined) return undefined;
  const session = readable(seals, row);
  // What the event after it names is verified when the events are read, in this same transaction.
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

/** Keeps a session that is not there yet. */
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

/** Moves a session on from the end its journal had; false where it has another. Without a snapshot the one before stays. */
export function moveSession(
  db: SqliteDatabase,
  seals: Seals,
  moved: SessionRow,
  { from, write }: { readonly from: SessionPlace; readonly write: SessionWrite },
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
