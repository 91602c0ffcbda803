import type { JsonObject } from '@workflowlookup/schema';
import type { JournalEvent, SessionChange } from '../session-store.ts';
import { hashEvent } from '../sessions/seal-events.ts';
import type { SqliteDatabase, SqlRow } from './driver.ts';
import { textColumns } from './driver.ts';
import { damagedStore } from './storage-failure.ts';

/** The events of a session in a span of revisions, each verified; one that is missing or changed is an error. */
export function readEvents(
  db: SqliteDatabase,
  sid: string,
  span: { readonly after: number; readonly upTo: number },
): readonly JournalEvent[] {
  if (span.upTo <= span.after) return [];
  const rows = db.all(
    `SELECT revision, ${textColumns('at', 'type', 'data', 'prev_hash', 'hash')} FROM events
     WHERE sid = ? AND revision > ? AND revision <= ? ORDER BY revision`,
    [sid, span.after, span.upTo],
  );
  const events = rows.map((row) => toEvent(sid, row));
  for (let index = 0; index < span.upTo - span.after; index += 1) {
    const [before, event] = [events[index - 1], events[index]];
    const isNext = event?.revision === span.after + index + 1;
    if (!isNext || (before !== undefined && event.prevHash !== before.hash))
      throw damagedStore(`the journal of session '${sid}' breaks at revision ${span.after + index + 1}`);
  }
  return events;
}

/** Adds events to the end of a journal. */
export function insertEvents(db: SqliteDatabase, sid: string, events: readonly JournalEvent[]): void {
  for (const { revision, at, type, data, prevHash, hash } of events)
    db.run(
      'INSERT INTO events (sid, revision, at, type, data, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
      [sid, revision, at, type, JSON.stringify(data), prevHash, hash],
    );
}

/** The events after a place in the database. */
export function readChanges(db: SqliteDatabase, after: number, limit: number): readonly SessionChange[] {
  const rows = db.all(
    `SELECT position, revision, ${textColumns('sid', 'at', 'type')} FROM events WHERE position > ? ORDER BY position LIMIT ?`,
    [after, limit],
  );
  return rows.map((row) => ({
    cursor: Number(row['position']),
    sid: String(row['sid']),
    revision: Number(row['revision']),
    at: String(row['at']),
    type: String(row['type']),
  }));
}

/** The place of the last event that was ever committed. */
export function lastPosition(db: SqliteDatabase): number {
  return Number(db.all("SELECT seq FROM sqlite_sequence WHERE name = 'events'")[0]?.['seq'] ?? 0);
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
