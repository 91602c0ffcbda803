import type { JsonObject } from '@workflowlookup/schema';
import type { JournalEvent, LoadedSession, SessionChange, SessionRow, Snapshot } from '../session-store.ts';
import { hashEvent } from '../sessions/seal-events.ts';
import { damagedStore } from './damaged-store.ts';
import type { SqlRow } from './sql-row.ts';

/** The events of a session in a span of revisions from their rows, each verified; one that is missing or changed is an error. */
export function toEvents(
  sid: string,
  rows: readonly SqlRow[],
  span: { readonly after: number; readonly upTo: number },
): readonly JournalEvent[] {
  const events = rows.map((row) => toEvent(sid, row));
  for (let index = 0; index < span.upTo - span.after; index += 1) {
    const [before, event] = [events[index - 1], events[index]];
    const isNext = event?.revision === span.after + index + 1;
    if (!isNext || (before !== undefined && event.prevHash !== before.hash))
      throw damagedStore(`the journal of session '${sid}' breaks at revision ${span.after + index + 1}`);
  }
  return events;
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

function toEvent(sid: string, row: SqlRow): JournalEvent {
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
