import type {
  JournalHead,
  NewSession,
  SessionRow,
  SessionStatus,
  SessionWrite,
  Snapshot,
} from '../session-store.ts';
import { emptyJournal } from '../sessions/seal-events.ts';
import { damagedStore } from './damaged-store.ts';
import { checksum, guardedJson } from './guarded-json.ts';
import type { SqlRow, SqlValue } from './sql-row.ts';

/** The columns of text of a session. */
export const sessionTextColumns = [
  'sid',
  'workflow_id',
  'version',
  'digest',
  'parent_sid',
  'principal',
  'agent',
  'project',
  'status',
  'hash',
  'created_at',
  'updated_at',
] as const;

/** The columns of a session that hold numbers: `crc` guards what stays of it, `head_crc` what moves. */
export const sessionNumberColumns = ['revision', 'crc', 'head_crc'] as const;

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

/** A snapshot from the columns of its session; `undefined` where there is none, damage is an error. */
export function toSnapshot(row: SqlRow): Snapshot | undefined {
  if (row['state'] === null) return undefined;
  const state = guardedJson(row, 'state', { guarded: ['state_revision'], crc: 'state_crc' });
  return { revision: Number(row['state_revision']), state };
}

/** What is bound for the columns `state_revision`, `state_crc` and `state`: nothing where there is no snapshot. */
export function snapshotValues(snapshot: Snapshot | undefined): readonly SqlValue[] {
  if (snapshot === undefined) return [null, null, null];
  const text = JSON.stringify(snapshot.state);
  return [snapshot.revision, checksum([text, snapshot.revision]), text];
}

/** What stays of a session, as it is bound for its columns: first those of {@link NewSession}, then `created_at`. */
export function fixedValues(session: SessionRow): readonly SqlValue[] {
  const { sid, workflowId, version, digest, parentSid = null, principal, agent, project = null } = session;
  return [sid, workflowId, version, digest, parentSid, principal, agent, project, session.createdAt];
}

/** What guards them. */
export function fixedChecksum(session: SessionRow): number {
  return checksum(fixedValues(session));
}

/** What moves with every event of a session. */
export type SessionHead = Pick<SessionRow, 'sid' | 'status' | 'revision' | 'hash' | 'updatedAt'>;

/** What moves of a session, as it is bound for its columns `status`, `revision`, `hash` and `updated_at`. */
export function headValues({ status, revision, hash, updatedAt }: SessionHead): readonly SqlValue[] {
  return [status, revision, hash, updatedAt];
}

/** What guards them; with it nothing of a session has to be read to move it. */
export function headChecksum(head: SessionHead): number {
  return checksum([head.sid, ...headValues(head)]);
}

/** A session at one end of its journal. */
export type SessionPlace = JournalHead & Pick<SessionRow, 'sid'>;

/** Where a session has to be for a write that is made for a revision. */
export function placeBefore(sid: string, { events }: SessionWrite, revision = 0): SessionPlace {
  return { sid, revision, hash: events[0]?.prevHash ?? emptyJournal.hash };
}

/** What a write makes of what moves. */
export function headAfter(place: SessionPlace, { events }: SessionWrite, status: SessionStatus): SessionHead {
  const { sid, revision, hash, at = '' } = { ...place, ...events.at(-1) };
  return { sid, status, revision, hash, updatedAt: at };
}

/** A new session as its first write leaves it. */
export function begunSession(session: NewSession, write: SessionWrite): SessionRow {
  const head = headAfter(placeBefore(session.sid, write), write, write.status ?? 'active');
  return { ...session, ...head, createdAt: write.events[0]?.at ?? '' };
}
