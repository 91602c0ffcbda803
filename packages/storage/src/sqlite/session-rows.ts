import type { SessionRow, SessionStatus, Snapshot } from '../session-store.ts';
import type { SqliteDatabase, SqlRow } from './driver.ts';
import { textColumns } from './driver.ts';
import { checksum, guardedJson } from './guarded-json.ts';
import { damagedStore } from './storage-failure.ts';

/** The columns of a session that {@link toSession} needs. */
export const sessionColumns = [
  textColumns('sid', 'workflow_id', 'version', 'digest', 'parent_sid', 'principal', 'agent', 'project'),
  textColumns('status', 'hash', 'created_at', 'updated_at'),
  'revision, crc',
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
  if (sessionChecksum(session) !== row['crc']) throw damagedStore('a session is not what was stored');
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
  const { sid, workflowId, version, digest, parentSid = null, principal, agent, project = null } = session;
  const { status, revision, hash, createdAt, updatedAt } = session;
  const fixed = [sid, workflowId, version, digest, parentSid, principal, agent, project, createdAt];
  db.run(
    `INSERT INTO sessions (
       sid, workflow_id, version, digest, parent_sid, principal, agent, project, created_at,
       status, revision, hash, updated_at, crc, state_revision, state_crc, state
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [...fixed, status, revision, hash, updatedAt, sessionChecksum(session), ...snapshotValues(snapshot)],
  );
}

/** Puts what a session is now in place of what it was; without a snapshot the one before stays. */
export function updateSession(db: SqliteDatabase, session: SessionRow, snapshot?: Snapshot): void {
  const { sid, status, revision, hash, updatedAt } = session;
  db.run(
    `UPDATE sessions SET
       status = ?, revision = ?, hash = ?, updated_at = ?, crc = ?,
       state_revision = coalesce(?, state_revision), state_crc = coalesce(?, state_crc), state = coalesce(?, state)
     WHERE sid = ?`,
    [status, revision, hash, updatedAt, sessionChecksum(session), ...snapshotValues(snapshot), sid],
  );
}

/** Revision, checksum and text of a snapshot. */
function snapshotValues(snapshot: Snapshot | undefined): readonly (number | string | null)[] {
  if (snapshot === undefined) return [null, null, null];
  const text = JSON.stringify(snapshot.state);
  return [snapshot.revision, checksum([text, snapshot.revision]), text];
}

function sessionChecksum(session: SessionRow): number {
  const { sid, workflowId, version, digest, parentSid, principal, agent, project } = session;
  const { status, revision, hash, createdAt, updatedAt } = session;
  const fixed = [sid, workflowId, version, digest, parentSid, principal, agent, project, createdAt];
  return checksum([...fixed, status, revision, hash, updatedAt]);
}
