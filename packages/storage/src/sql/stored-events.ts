import type { JsonObject } from '@workflowlookup/schema';
import type {
  JournalEvent,
  LoadedSession,
  Seals,
  SealVerdict,
  SessionChange,
  SessionRow,
  Snapshot,
} from '../session-store.ts';
import { hashEvent } from '../sessions/seal-events.ts';
import { forged, unknownKey } from '../sessions/unauthentic.ts';
import { damagedStore } from './damaged-store.ts';
import { keyIdOf } from './seals.ts';
import type { SqlRow, SqlValue } from './sql-row.ts';
import { sealOf } from './stored-session.ts';

/** The columns of text of an event. */
export const eventTextColumns = ['at', 'type', 'data', 'prev_hash', 'hash', 'follows', 'seal'] as const;

/**
 * The events of a session in a span of revisions from their rows, each verified; one that is missing or changed is an
 * error, and so is one without a genuine seal in a session that has one.
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
  for (let index = 0; index < span.upTo - span.after; index += 1) {
    const [before, event] = [events[index - 1], events[index]];
    const isNext = event?.revision === span.after + index + 1;
    if (!isNext || (before !== undefined && event.prevHash !== before.hash))
      throw damagedStore(`the journal of session '${sid}' breaks at revision ${span.after + index + 1}`);
  }
  return events;
}

/** What the seal of an event covers; its hash covers what it says, its place and every event before it. */
export function eventValues(
  { sid, principal, digest }: Pick<SessionRow, 'sid' | 'principal' | 'digest'>,
  { revision, hash }: Pick<JournalEvent, 'revision' | 'hash'>,
  follows: string | null,
): readonly SqlValue[] & readonly (string | number | null)[] {
  return [sid, revision, hash, principal, digest, follows];
}

/** What the seal of an event turned out to be. */
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

/** A session with its tail of events, which has to end as the session says. */
export function toLoaded(
  session: SessionRow,
  snapshot: Snapshot | undefined,
  events: readonly JournalEvent[],
): LoadedSession {
  if (events.length > 0 && events.at(-1)?.hash !== session.hash)
    throw damagedStore(`the journal of session '${session.sid}' does not end as its session says`);
  return { session, ...(snapshot !== undefined && { snapshot }), events };
}

/** A change from the row of its event, with its place in the column `position`. */
export function toChange(row: SqlRow): SessionChange {
  return {
    cursor: Number(row['position']),
    sid: String(row['sid']),
    revision: Number(row['revision']),
    at: String(row['at']),
    type: String(row['type']),
  };
}

/** An event from its row. @throws STORAGE where it does not have the hash of what it says */
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
  return damagedStore(`event ${revision} of session '${sid}' is not what was sealed`);
}
