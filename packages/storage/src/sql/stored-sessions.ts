import { createHmac, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '@workflowlookup/schema';
import { isJsonObject, parseJson, WorkflowError } from '@workflowlookup/schema';
import { damageMessages, rowNames, sealMessages } from '../messages.ts';
import { damagedStore } from '../errors.ts';
import { assertAuthentic, emptyJournal, forged, unknownKey, hashEvent } from '../sessions/hash-chain.ts';
import type {
  ImportMark,
  JournalHead,
  NewSession,
  Reading,
  SealMark,
  SealVerdict,
  Seals,
  SessionRow,
  SessionStatusWord,
  SessionWrite,
  Snapshot,
  Unauthentic,
  JournalEvent,
  LoadedSession,
  SealKey,
  SealKeys,
  SealValue,
  SealedKind,
  SessionChange,
} from '../sessions/session-store.ts';
import { sessionStatuses } from '../sessions/session-store.ts';
import type { Dialect, Task } from './database.ts';
import { select } from './database.ts';

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

/**
 * The columns of `sessions` with a text. A new column of the table also needs a change in these places:
 *
 * - `NewSession` if its value is written once, or `SessionRow` if every write changes it
 * - here or in `sessionNumberColumns`, and in `withoutSeal`, which reads it
 * - `fixedValues` if its value is written once; otherwise `headValues`, `startedSession` and `updatedSession`
 * - the statements in both `journal.ts`, which take the values of these functions in order
 * - `sessionValues`, so that the seal covers it; in existing rows, the migration must leave the column null
 * - `keepExported` and `isHeader` in `exported-session.ts`, which must also read exports without it
 * - the call of `create` in `packages/core/src/session-engine/start.ts`, if core sets it
 * - `apps/cli/schemas/session.json`, because commands print the whole row
 */
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
  const verdict = judgeSession(seals, row, session);
  // Without keys a seal is a checksum, and a mismatch means that the disk is faulty.
  if (seals.isPlain && verdict === 'wrong') throw damagedStore(damageMessages.session());
  // A status that no program writes must not break code that counts by status.
  const status = sessionStatuses.includes(session.status) ? session.status : 'active';
  const unauthentic = reasonByVerdict[verdict];
  return { ...session, status, ...(unauthentic !== undefined && { unauthentic }) };
}

/** Whether a server with these keys wrote the row of a session. */
export function isAuthentic(seals: Seals, row: SqlRow): boolean {
  return judgeSession(seals, row) === 'genuine';
}

/** Returns the verdict on the seal of a session's row. */
export function judgeSession(seals: Seals, row: SqlRow, session = withoutSeal(row)): SealVerdict {
  return seals.judge('session', sessionValues(session, row['marks'] ?? null), sealOf(row));
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
 * Converts a row like {@link toSession}. Refuses a session whose seal is wrong. Without `isUnverifiedToo`, also refuses
 * any other session that is not authentic.
 *
 * @throws STORE_DAMAGED, SESSION_UNVERIFIED
 */
export function readable(seals: Seals, row: SqlRow, { isUnverifiedToo = false }: Reading): SessionRow {
  const session = toSession(seals, row);
  if (session.unauthentic === 'forged' || !isUnverifiedToo) assertAuthentic(session);
  return session;
}

/**
 * Returns the session with this id.
 *
 * @throws STORE_DAMAGED, SESSION_UNVERIFIED if it does not authenticate
 */
export function* readSession(
  { sessionColumns }: Dialect,
  seals: Seals,
  sid: string,
  reading: Reading = {},
): Task<SessionRow | undefined> {
  const row = onlyRow(yield* select(`SELECT ${sessionColumns} FROM sessions WHERE sid = ?`, [sid]));
  return row && readable(seals, row, reading);
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
    status: row['status'] as SessionStatusWord,
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
  const value = typeof text === 'string' ? parseJson(text) : undefined;
  // Only a changed row has a text that is not an object, and its seal is then wrong.
  const { imported, sealed } = isJsonObject(value) ? value : {};
  return {
    ...(isJsonObject(imported) && { imported: imported as unknown as ImportMark }),
    ...(isJsonObject(sealed) && { sealed: sealed as unknown as SealMark }),
  };
}

export function marksValue({ imported, sealed }: Marks): string | null {
  return imported === undefined && sealed === undefined ? null : JSON.stringify({ imported, sealed });
}

/**
 * Returns the values that the seal of a session covers. For a row that already exists, they must stay the same. So for a
 * new column, add its name and its value at the end, but only if the value is set: don't add null. Without the name,
 * somebody could move a value from one such column to another.
 */
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

/**
 * Returns the values of the columns that never change, in the order of the INSERT statements in both `journal.ts`: those
 * of {@link NewSession}, then `created_at`.
 */
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

/** Another process may add a key at any time. The key file is checked at most this often. */
const keyCheckMs = 1_000;

/** The key of a store without keys. Its seals detect damage but not forgery. */
const plainKey: SealKey = { id: '-', secret: new Uint8Array(32) };

/**
 * Makes seals with HMAC-SHA256, with a key derived from the signing key for this purpose, and checks them with every
 * key of the server. The format of a seal is `KEYID:BASE64URL`.
 *
 * @param keys absent: the database is trusted and a seal is a checksum. If the function returns `undefined`, keys exist
 * but this program does not have them: it can make no seals and can't check those of others.
 */
export function createSeals(keys?: () => SealKeys | undefined): Seals {
  let known: SealKeys | undefined;
  let readMs = -Infinity;

  function current(isFresh = false): SealKeys | undefined {
    if (keys === undefined) return undefined;
    if (isFresh || known === undefined || performance.now() - readMs > keyCheckMs) {
      const { signing, verifying } = keys() ?? {};
      known = signing && verifying && { signing, verifying };
      readMs = performance.now();
    }
    return known;
  }

  function judgeWith(ring: SealKeys, message: string, { id, code }: Spelled): SealVerdict {
    const candidates = ring.verifying.filter((key) => key.id === id);
    if (candidates.length === 0) return 'unknown-key';
    return candidates.some((key) => isSame(codeOf(key, message), code)) ? 'genuine' : 'wrong';
  }

  return {
    hasKeys: () => current() !== undefined,
    isPlain: keys === undefined,
    make(kind, values) {
      const key = keys === undefined ? plainKey : current()?.signing;
      if (key === undefined) throw noKeys();
      return `${key.id}:${codeOf(key, messageOf(kind, values))}`;
    },
    judge(kind, values, seal) {
      const spelled = seal === null ? undefined : read(seal);
      const message = messageOf(kind, values);
      if (keys === undefined) return judgePlain(message, seal, spelled);
      if (seal === null || spelled?.id === plainKey.id) return 'absent';
      if (spelled === undefined) return 'wrong';
      const ring = current();
      if (ring === undefined) return 'unchecked';
      const verdict = judgeWith(ring, message, spelled);
      const fresh = verdict === 'unknown-key' ? current(true) : undefined;
      return fresh === undefined ? verdict : judgeWith(fresh, message, spelled);
    },
  };
}

function keyIdOf(seal: string | null): string {
  return (seal ?? '').split(':', 1)[0]?.slice(0, 64) ?? '';
}

function judgePlain(message: string, seal: string | null, spelled: Spelled | undefined): SealVerdict {
  if (seal === null) return 'genuine';
  if (spelled === undefined) return 'wrong';
  if (spelled.id !== plainKey.id) return 'unchecked';
  return isSame(codeOf(plainKey, message), spelled.code) ? 'genuine' : 'wrong';
}

interface Spelled {
  readonly id: string;
  readonly code: string;
}

function read(seal: string): Spelled | undefined {
  const [, id, code] = /^([-\w]{1,64}):([-\w]{43})$/.exec(seal) ?? [];
  return id === undefined || code === undefined ? undefined : { id, code };
}

/** The text begins with its kind, so that a seal of one kind is not valid for another. */
function messageOf(kind: SealedKind, values: readonly SealValue[]): string {
  return JSON.stringify([kind, ...values]);
}

const derived = new WeakMap<Uint8Array, Buffer>();

/** Tokens are signed with the key itself. Journals use a derived key that reveals nothing about it. */
function journalKey({ secret }: SealKey): Buffer {
  const known = derived.get(secret);
  if (known !== undefined) return known;
  const made = createHmac('sha256', secret).update('workflowlookup journal 1').digest();
  derived.set(secret, made);
  return made;
}

function codeOf(key: SealKey, message: string): string {
  return createHmac('sha256', journalKey(key)).update(message).digest('base64url');
}

function isSame(made: string, given: string): boolean {
  return made.length === given.length && timingSafeEqual(Buffer.from(made), Buffer.from(given));
}

function noKeys(): WorkflowError {
  return new WorkflowError('KEYS_UNUSABLE', sealMessages.noKeys(), {
    data: { reason: 'no-keys', retryable: false },
  });
}

export const eventTextColumns = ['at', 'type', 'data', 'prev_hash', 'hash', 'follows', 'seal'] as const;

/**
 * Converts rows into the events of a session in a range of revisions and verifies each. Throws if one is missing, is
 * there twice or was changed, or has no genuine seal in a session that has one.
 */
export function toEvents(
  seals: Seals,
  session: SessionRow,
  rows: readonly SqlRow[],
  span: { readonly after: number; readonly upTo: number },
): readonly JournalEvent[] {
  const { sid, unauthentic } = session;
  const events = rows.map((row) => {
    if (unauthentic === undefined) assertSealed(seals, session, row);
    return toEvent(sid, row);
  });
  // A table that lost its primary key can have an event twice, and each copy has a genuine seal.
  for (let index = 0; index < Math.max(events.length, span.upTo - span.after); index += 1) {
    const [before, event] = [events[index - 1], events[index]];
    const isNext = event?.revision === span.after + index + 1;
    if (!isNext || (before !== undefined && event.prevHash !== before.hash))
      throw damagedStore(damageMessages.missingEvent(span.after + index + 1, sid));
  }
  return events;
}

/**
 * Returns the values that the seal of an event covers. The hash among them covers its contents, its place and every
 * event before it.
 */
export function eventValues(
  { sid, principal, digest }: Pick<SessionRow, 'sid' | 'principal' | 'digest'>,
  { revision, hash }: Pick<JournalEvent, 'revision' | 'hash'>,
  follows: string | null,
): readonly SqlValue[] & readonly (string | number | null)[] {
  return [sid, revision, hash, principal, digest, follows];
}

export function judgeEvent(
  seals: Seals,
  session: Pick<SessionRow, 'sid' | 'principal' | 'digest'>,
  row: SqlRow,
): SealVerdict {
  const event = { revision: Number(row['revision']), hash: String(row['hash']) };
  return seals.judge('event', eventValues(session, event, sealOf(row, 'follows')), sealOf(row));
}

function assertSealed(seals: Seals, session: SessionRow, row: SqlRow): void {
  const verdict = judgeEvent(seals, session, row);
  if (verdict === 'unknown-key') throw unknownKey(session.sid, keyIdOf(sealOf(row)));
  if (verdict === 'genuine') return;
  if (seals.isPlain) throw changed(session.sid, Number(row['revision']));
  throw forged(session.sid, rowNames.event(Number(row['revision'])));
}

/** Combines a session with its latest events. Throws if they do not end where the session does. */
export function toLoaded(
  session: SessionRow,
  snapshot: Snapshot | undefined,
  events: readonly JournalEvent[],
): LoadedSession {
  if (events.length > 0 && events.at(-1)?.hash !== session.hash)
    throw damagedStore(damageMessages.wrongEnd(session.sid));
  return { session, ...(snapshot !== undefined && { snapshot }), events };
}

/** Converts the row of an event, with its position in the column `position`. */
export function toChange(row: SqlRow): SessionChange {
  return {
    cursor: Number(row['position']),
    sid: String(row['sid']),
    revision: Number(row['revision']),
    at: String(row['at']),
    type: String(row['type']),
  };
}

/**
 * Converts a row into an event.
 *
 * @throws STORE_DAMAGED if its hash is wrong
 */
export function toEvent(sid: string, row: SqlRow): JournalEvent {
  const revision = Number(row['revision']);
  const data = parseJson(String(row['data']));
  if (data === undefined) throw changed(sid, revision);
  const event = {
    revision,
    at: String(row['at']),
    type: String(row['type']),
    data: data as JsonObject,
    prevHash: String(row['prev_hash']),
  };
  const hash = String(row['hash']);
  if (hashEvent(sid, event) !== hash) throw changed(sid, revision);
  return { ...event, hash };
}

function changed(sid: string, revision: number): Error {
  return damagedStore(damageMessages.event(revision, sid));
}
