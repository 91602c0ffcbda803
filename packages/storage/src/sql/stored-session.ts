import { isJsonObject } from '@workflowlookup/schema';
import type {
  ImportMark,
  JournalHead,
  NewSession,
  Seals,
  SealMark,
  SealVerdict,
  SessionRow,
  SessionStatus,
  SessionWrite,
  Snapshot,
  Unauthentic,
} from '../session-store.ts';
import { emptyJournal } from '../sessions/seal-events.ts';
import { assertAuthentic, forged } from '../sessions/unauthentic.ts';
import { damagedStore } from './damaged-store.ts';
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
  'marks',
  'status',
  'hash',
  'created_at',
  'updated_at',
  'seal',
] as const;

/** The columns of a session that hold numbers. */
export const sessionNumberColumns = ['revision'] as const;

const statuses: readonly string[] = ['active', 'blocked', 'completed'] satisfies SessionStatus[];

/**
 * A session from its columns, with whether its seal is genuine. Lists show a session that does not authenticate, and
 * say so; nothing else may be done with it.
 */
export function toSession(seals: Seals, row: SqlRow): SessionRow {
  const session = withoutSeal(row);
  const verdict = seals.judge('session', sessionValues(session, row['marks'] ?? null), sealOf(row));
  // Without keys a seal is a checksum, and a place that changes what it keeps is a fault of the disk.
  if (seals.isPlain && verdict === 'wrong') throw damagedStore('a session is not what was stored');
  // A status that no program writes must not break whoever counts by it.
  const status = statuses.includes(session.status) ? session.status : 'active';
  const unauthentic = unauthenticBy[verdict];
  return { ...session, status, ...(unauthentic !== undefined && { unauthentic }) };
}

/** Whether the row of a session is what a server with these keys wrote. */
export function isAuthentic(seals: Seals, row: SqlRow): boolean {
  const values = sessionValues(withoutSeal(row), row['marks'] ?? null);
  return seals.judge('session', values, sealOf(row)) === 'genuine';
}

/** What a verdict on its row says about a session. */
const unauthenticBy: Readonly<Record<SealVerdict, Unauthentic | undefined>> = {
  genuine: undefined,
  absent: 'unsealed',
  wrong: 'forged',
  'unknown-key': 'unknown-key',
  unchecked: 'unchecked',
};

/** Refuses a session whose seal is wrong; one without a seal, or by a key that is not here, can be read. @throws STORAGE */
export function assertReadable({ sid, unauthentic }: SessionRow): void {
  if (unauthentic === 'forged') throw forged(sid, 'its row');
}

function withoutSeal(row: SqlRow): SessionRow {
  const { parent_sid: parentSid, project } = row;
  return {
    sid: String(row['sid']),
    workflowId: String(row['workflow_id']),
    version: String(row['version']),
    digest: String(row['digest']),
    ...(typeof parentSid === 'string' && { parentSid }),
    principal: String(row['principal']),
    agent: String(row['agent']),
    ...(typeof project === 'string' && { project }),
    ...toMarks(row['marks']),
    status: row['status'] as SessionStatus,
    revision: Number(row['revision']),
    hash: String(row['hash']),
    createdAt: String(row['created_at']),
    updatedAt: String(row['updated_at']),
  };
}

interface Marks {
  readonly imported?: ImportMark;
  readonly sealed?: SealMark;
}

function toMarks(text: SqlValue | undefined): Marks {
  if (typeof text !== 'string') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return {};
    const { imported, sealed } = value;
    return {
      ...(isJsonObject(imported) && { imported: imported as unknown as ImportMark }),
      ...(isJsonObject(sealed) && { sealed: sealed as unknown as SealMark }),
    };
  } catch {
    // Only a row that somebody changed has such a text, and its seal says so.
    return {};
  }
}

/** What is bound for the column `marks`. */
export function marksValue({ imported, sealed }: Marks): string | null {
  return imported === undefined && sealed === undefined ? null : JSON.stringify({ imported, sealed });
}

/** What the seal of a session covers: everything that its row says. */
export function sessionValues(
  session: SessionRow,
  marks: SqlValue = marksValue(session),
): readonly (string | number | null)[] {
  const { sid, workflowId, version, digest, parentSid = null, principal, agent, project = null } = session;
  const { status, revision, hash, createdAt, updatedAt } = session;
  const text = marks === null ? null : String(marks);
  const fixed = [sid, workflowId, version, digest, parentSid, principal, agent, project, createdAt, text];
  return [...fixed, status, revision, hash, updatedAt];
}

/** The text in a column of seals. */
export function sealOf(row: SqlRow, column = 'seal'): string | null {
  const seal = row[column];
  return seal === null || seal === undefined ? null : String(seal);
}

/**
 * A snapshot from the columns of its session; `undefined` where there is none, or none that is genuine.
 *
 * @param next the row of the event after it, with `prev_hash`, which must be verified with the rest of the tail
 */
export function toSnapshot(
  seals: Seals,
  row: SqlRow,
  { unauthentic, next }: Pick<SessionRow, 'unauthentic'> & { readonly next: SqlRow | undefined },
): Snapshot | undefined {
  const { state, state_revision: revision } = row;
  if (typeof state !== 'string' || unauthentic !== undefined) return undefined;
  const verdict = judgeSnapshot(seals, row, next);
  // What the events come to is known without it.
  if (verdict !== 'genuine') return undefined;
  return { revision: Number(revision), state: JSON.parse(state) as Snapshot['state'] };
}

/** What the seal of a snapshot turned out to be. It covers the hash of the event it follows, so it counts in this journal only. */
export function judgeSnapshot(seals: Seals, row: SqlRow, next: SqlRow | undefined): SealVerdict {
  const revision = Number(row['state_revision']);
  const hash = revision === Number(row['revision']) ? row['hash'] : next?.['prev_hash'];
  if (typeof hash !== 'string') return 'wrong';
  const values = [String(row['sid']), revision, hash, String(row['state'])];
  return seals.judge('state', values, sealOf(row, 'state_seal'));
}

/**
 * What is bound for the columns `state_revision`, `state_seal` and `state`: nothing where there is no snapshot, or one of
 * an event that came before this write.
 */
export function snapshotValues(
  seals: Seals,
  sid: string,
  { snapshot, events }: SessionWrite,
): readonly SqlValue[] {
  if (snapshot === undefined) return [null, null, null];
  const { revision } = snapshot;
  const hash =
    events.find((event) => event.revision === revision)?.hash ??
    events.find((event) => event.revision === revision + 1)?.prevHash;
  if (hash === undefined) return [null, null, null];
  const text = JSON.stringify(snapshot.state);
  return [revision, seals.make('state', [sid, revision, hash, text]), text];
}

/** What stays of a session, as it is bound for its columns: first those of {@link NewSession}, then `created_at`. */
export function fixedValues(session: SessionRow): readonly SqlValue[] {
  const { sid, workflowId, version, digest, parentSid = null, principal, agent, project = null } = session;
  const marks = marksValue(session);
  return [sid, workflowId, version, digest, parentSid, principal, agent, project, marks, session.createdAt];
}

/** What moves of a session, as it is bound for its columns `status`, `revision`, `hash`, `updated_at` and `seal`. */
export function headValues(seals: Seals, session: SessionRow): readonly SqlValue[] {
  const { status, revision, hash, updatedAt } = session;
  return [status, revision, hash, updatedAt, seals.make('session', sessionValues(session))];
}

/** A session at one end of its journal. */
export type SessionPlace = JournalHead & Pick<SessionRow, 'sid'>;

/** Where a session has to be for a write that is made for a revision. */
export function placeBefore(sid: string, { events }: SessionWrite, revision = 0): SessionPlace {
  return { sid, revision, hash: events[0]?.prevHash ?? emptyJournal.hash };
}

/** A session as a write leaves it. Nothing is sealed onto what does not authenticate. @throws STATE, STORAGE */
export function movedSession(session: SessionRow, { events, status }: SessionWrite): SessionRow {
  assertAuthentic(session);
  const { revision, hash, at } = events.at(-1) ?? { ...session, at: session.updatedAt };
  return { ...session, status: status ?? session.status, revision, hash, updatedAt: at };
}

/** A new session as its first write leaves it. */
export function begunSession(session: NewSession, write: SessionWrite): SessionRow {
  const { revision, hash, at } = write.events.at(-1) ?? { ...emptyJournal, at: '' };
  const createdAt = write.events[0]?.at ?? '';
  return { ...session, status: write.status ?? 'active', revision, hash, createdAt, updatedAt: at };
}
