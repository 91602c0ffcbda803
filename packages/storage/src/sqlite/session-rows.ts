import type { JournalHead, SessionRow, SessionStatus, Snapshot } from '../session-store.ts';
import type { SqliteDatabase, SqlRow } from './driver.ts';
import { textColumns } from './driver.ts';
import { checksum, guardedJson } from './guarded-json.ts';
import { damagedStore } from './storage-failure.ts';

/** The columns of a session that {@link toSession} needs. */
export const sessionColumns = [
  textColumns('sid', 'workflow_id', 'version', 'digest', 'parent_sid', 'principal', 'agent', 'project'),
  textColumns('status', 'hash', 'created_at', 'updated_at'),
  'revision, crc, head_crc',
].join(', ');

/** A session from its columns; damage is an error. */
export function toSession(row: SqlRow): SessionRow {
  const { parent_sid: parentSid, project } = row;
  const session: SessionRow = {
    sid: String(row['sid']),
    workflowId: String(row['workflow_id']),
    version: String(row['version']),
    digest: String(row['digest']),
    ...(typeof parentSid === 'string' && { parentSid }),
    principal: String(row['principal']),
    agent: String(row['agent']),
    ...(typeof project === 'string' && { project }),
    status: row['status'] as SessionStatus,
    revision: Number(row['revision']),
    hash: String(row['hash']),
    createdAt: String(row['created_at']),
    updatedAt: String(row['updated_at']),
  };
  if (fixedChecksum(session) !== row['crc'] || headChecksum(session) !== row['head_crc'])
    throw damagedStore('a session is not what was stored');
  return session;
}

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
  const session = toSession(row);
  if (row['state'] === null) return { session };
  const state = guardedJson(row, 'state', { guarded: ['state_revision'], crc: 'state_crc' });
  return { session, snapshot: { revision: Number(row['state_revision']), state } };
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

/** What moves with every event of a session. */
type SessionHead = Pick<SessionRow, 'sid' | 'status' | 'revision' | 'hash' | 'updatedAt'>;

/**
 * Moves a session on from the end its journal had; false where it has another. Nothing of it is read for that: what stays
 * the same has a checksum of its own. Without a snapshot the one before stays.
 */
export function moveSession(
  db: SqliteDatabase,
  head: SessionHead,
  { from, snapshot }: { readonly from: JournalHead; readonly snapshot?: Snapshot | undefined },
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
      head.sid,
      from.revision,
      from.hash,
    ],
  );
  return changed === 1;
}

/** Revision, checksum and text of a snapshot. */
function snapshotValues(snapshot: Snapshot | undefined): readonly (number | string | null)[] {
  if (snapshot === undefined) return [null, null, null];
  const text = JSON.stringify(snapshot.state);
  return [snapshot.revision, checksum([text, snapshot.revision]), text];
}

function fixedValues(session: SessionRow): readonly (string | null)[] {
  const { sid, workflowId, version, digest, parentSid = null, principal, agent, project = null } = session;
  return [sid, workflowId, version, digest, parentSid, principal, agent, project, session.createdAt];
}

function headValues({ status, revision, hash, updatedAt }: SessionHead): readonly (string | number)[] {
  return [status, revision, hash, updatedAt];
}

function fixedChecksum(session: SessionRow): number {
  return checksum(fixedValues(session));
}

function headChecksum(head: SessionHead): number {
  return checksum([head.sid, ...headValues(head)]);
}
