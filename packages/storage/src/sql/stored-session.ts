import { isJsonObject } from '@workflowlookup/schema';
import { assertAuthentic, emptyJournal } from '../sessions/hash-chain.ts';
import { damagedStore } from '../sessions/errors.ts';
import type {
  ImportMark,
  JournalHead,
  NewSession,
  Reading,
  SealMark,
  SealVerdict,
  Seals,
  SessionRow,
  SessionStatus,
  SessionWrite,
  Snapshot,
  Unauthentic,
} from '../sessions/session-store.ts';
import { damageMessages } from '../messages.ts';

export type SqlValue = string | number | bigint | null;

/** A row with exactly the selected columns. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * Whether a row of `sessions` belongs to the last event of its session. An older row that somebody restores has a
 * genuine seal too.
 */
export const isAtEnd = `(sessions.revision, sessions.hash) = (
  SELECT events.revision, events.hash FROM events WHERE events.sid = sessions.sid ORDER BY events.revision DESC LIMIT 1
)`;

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

export const sessionNumberColumns = ['revision'] as const;

const statuses: readonly string[] = ['active', 'blocked', 'parked', 'completed'] satisfies SessionStatus[];

/**
 * Returns the row of a session, or `undefined` if there is none.
 *
 * @throws STORE_DAMAGED if there are several, such as an older one, which has a genuine seal too. Only a table that lost
 * its primary key can have them.
 */
export function onlyRow(rows: readonly SqlRow[]): SqlRow | undefined {
  const [row, ...others] = rows;
  if (others.length > 0) throw damagedStore(damageMessages.severalRows(String(row?.['sid'])));
  return row;
}

/**
 * Converts a row into a session and checks its seal. Lists show a session that is not authentic, with the reason;
 * nothing else may be done with it.
 */
export function toSession(seals: Seals, row: SqlRow): SessionRow {
  const session = withoutSeal(row);
  const verdict = seals.judge('session', sessionValues(session, row['marks'] ?? null), sealOf(row));
  // Without keys a seal is a checksum, and a mismatch means that the disk is faulty.
  if (seals.isPlain && verdict === 'wrong') throw damagedStore(damageMessages.session());
  // A status that no program writes must not break code that counts by status.
  const status = statuses.includes(session.status) ? session.status : 'active';
  const unauthentic = reasonByVerdict[verdict];
  return { ...session, status, ...(unauthentic !== undefined && { unauthentic }) };
}

/** Whether a server with these keys wrote the row of a session. */
export function isAuthentic(seals: Seals, row: SqlRow): boolean {
  const values = sessionValues(withoutSeal(row), row['marks'] ?? null);
  return seals.judge('session', values, sealOf(row)) === 'genuine';
}

/** The reason that a session is not authentic, by the verdict on its row. */
const reasonByVerdict: Readonly<Record<SealVerdict, Unauthentic | undefined>> = {
  genuine: undefined,
  absent: 'unsealed',
  wrong: 'forged',
  'unknown-key': 'unknown-key',
  unchecked: 'unchecked',
};

/**
 * Refuses a session whose seal is wrong, and, unless the reader takes it, one without a seal or with an unknown key.
 *
 * @throws STORE_DAMAGED, SESSION_UNVERIFIED
 */
export function assertReadable(session: SessionRow, { isUnverifiedToo = false }: Reading): void {
  if (session.unauthentic === 'forged' || !isUnverifiedToo) assertAuthentic(session);
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
    // Only a changed row has such a text, and its seal is then wrong.
    return {};
  }
}

export function marksValue({ imported, sealed }: Marks): string | null {
  return imported === undefined && sealed === undefined ? null : JSON.stringify({ imported, sealed });
}

/** Returns the values that the seal of a session covers: all its columns. */
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

export function sealOf(row: SqlRow, column = 'seal'): string | null {
  const seal = row[column];
  return seal === null || seal === undefined ? null : String(seal);
}

/**
 * Converts the columns of a session into its snapshot. Returns `undefined` if there is no genuine one.
 *
 * @param next the row of the event after the snapshot, with `prev_hash`, which the caller must verify with the later
 * events
 */
export function toSnapshot(
  seals: Seals,
  row: SqlRow,
  { unauthentic, next }: Pick<SessionRow, 'unauthentic'> & { readonly next: SqlRow | undefined },
): Snapshot | undefined {
  const { state, state_revision: revision } = row;
  if (typeof state !== 'string' || unauthentic !== undefined) return undefined;
  const verdict = judgeSnapshot(seals, row, next);
  // The state can be computed from the events instead.
  if (verdict !== 'genuine') return undefined;
  return { revision: Number(revision), state: JSON.parse(state) as Snapshot['state'] };
}

/**
 * Returns the verdict on the seal of a snapshot. The seal covers the hash of the snapshot's event, so it is valid in
 * this journal only.
 */
export function judgeSnapshot(seals: Seals, row: SqlRow, next: SqlRow | undefined): SealVerdict {
  const revision = Number(row['state_revision']);
  const hash = revision === Number(row['revision']) ? row['hash'] : next?.['prev_hash'];
  if (typeof hash !== 'string') return 'wrong';
  const values = [String(row['sid']), revision, hash, String(row['state'])];
  return seals.judge('state', values, sealOf(row, 'state_seal'));
}

/**
 * Returns the values of the columns `state_revision`, `state_seal` and `state`, which are null without a snapshot or if
 * its event came before this write.
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

/** Returns the values of the columns that never change: those of {@link NewSession}, then `created_at`. */
export function fixedValues(session: SessionRow): readonly SqlValue[] {
  const { sid, workflowId, version, digest, parentSid = null, principal, agent, project = null } = session;
  const marks = marksValue(session);
  return [sid, workflowId, version, digest, parentSid, principal, agent, project, marks, session.createdAt];
}

/**
 * Returns the values of the columns that change with each write: `status`, `revision`, `hash`, `updated_at` and `seal`.
 */
export function headValues(seals: Seals, session: SessionRow): readonly SqlValue[] {
  const { status, revision, hash, updatedAt } = session;
  return [status, revision, hash, updatedAt, seals.make('session', sessionValues(session))];
}

export type SessionHead = JournalHead & Pick<SessionRow, 'sid'>;

/** Returns the end that the journal must have for a write at a revision. */
export function headBefore(sid: string, { events }: SessionWrite, revision = 0): SessionHead {
  return { sid, revision, hash: events[0]?.prevHash ?? emptyJournal.hash };
}

/**
 * Returns a session after a write. Refuses a session that is not authentic.
 *
 * @throws SESSION_UNVERIFIED, STORE_DAMAGED
 */
export function updatedSession(session: SessionRow, { events, status }: SessionWrite): SessionRow {
  assertAuthentic(session);
  const { revision, hash, at } = events.at(-1) ?? { ...session, at: session.updatedAt };
  return { ...session, status: status ?? session.status, revision, hash, updatedAt: at };
}

/** Returns a new session after its first write. */
export function startedSession(session: NewSession, write: SessionWrite): SessionRow {
  const { revision, hash, at } = write.events.at(-1) ?? { ...emptyJournal, at: '' };
  const createdAt = write.events[0]?.at ?? '';
  return { ...session, status: write.status ?? 'active', revision, hash, createdAt, updatedAt: at };
}
