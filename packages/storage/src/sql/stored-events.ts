import type { JsonObject } from '@workflowlookup/schema';
import { forged, unknownKey, hashEvent } from '../sessions/hash-chain.ts';
import { damagedStore } from '../sessions/errors.ts';
import type {
  JournalEvent,
  LoadedSession,
  SealVerdict,
  Seals,
  SessionChange,
  SessionRow,
  Snapshot,
} from '../sessions/session-store.ts';
import { keyIdOf } from './seals.ts';
import type { SqlRow, SqlValue } from './stored-session.ts';
import { sealOf } from './stored-session.ts';
import { damageMessages } from '../messages.ts';

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
