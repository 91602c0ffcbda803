import { createHmac, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { sealMessages, damageMessages } from '../messages.ts';
import { damagedStore } from '../sessions/errors.ts';
import { forged, unknownKey, hashEvent } from '../sessions/hash-chain.ts';
import type {
  JournalEvent,
  LoadedSession,
  SealKey,
  SealKeys,
  SealValue,
  SealVerdict,
  SealedKind,
  Seals,
  SessionChange,
  SessionRow,
  Snapshot,
} from '../sessions/session-store.ts';
import type { SqlRow, SqlValue } from './stored-session.ts';
import { sealOf } from './stored-session.ts';

/** Another process may add a key at any time. The key file is checked at most this often. */
const keyCheckMs = 1_000;

/** The next call usually reads the latest rows back. This many seals are remembered to save computing them again. */
const maxRemembered = 512;
const maxRememberedLength = 16_384;

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
  const made = new Map<string, string>();

  function remember(seal: string, message: string): void {
    if (message.length > maxRememberedLength) return;
    const [oldest] = made.keys();
    if (made.size >= maxRemembered && oldest !== undefined) made.delete(oldest);
    made.set(seal, message);
  }

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
    if (made.get(`${id}:${code}`) === message) return 'genuine';
    return candidates.some((key) => isSame(codeOf(key, message), code)) ? 'genuine' : 'wrong';
  }

  return {
    hasKeys: () => current() !== undefined,
    isPlain: keys === undefined,
    make(kind, values) {
      const key = keys === undefined ? plainKey : current()?.signing;
      if (key === undefined) throw noKeys();
      const message = messageOf(kind, values);
      const seal = `${key.id}:${codeOf(key, message)}`;
      if (kind === 'session' || kind === 'state') remember(seal, message);
      return seal;
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
  throw forged(session.sid, `event ${Number(row['revision'])}`);
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
  const event = {
    revision,
    at: String(row['at']),
    type: String(row['type']),
    data: parse(sid, revision, row['data']),
    prevHash: String(row['prev_hash']),
  };
  const hash = String(row['hash']);
  if (hashEvent(sid, event) !== hash) throw changed(sid, revision);
  return { ...event, hash };
}

function parse(sid: string, revision: number, data: unknown): JsonObject {
  try {
    return JSON.parse(String(data)) as JsonObject;
  } catch (error) {
    if (error instanceof SyntaxError) throw changed(sid, revision);
    throw error;
  }
}

function changed(sid: string, revision: number): Error {
  return damagedStore(damageMessages.event(revision, sid));
}
