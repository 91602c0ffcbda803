import type { JournalEvent, SessionChange } from '../session-store.ts';
import { toChange, toEvents } from '../sql/stored-events.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';

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
  return toEvents(sid, rows, span);
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
  return rows.map(toChange);
}

/** The place of the last event that was ever committed. */
export function lastPosition(db: SqliteDatabase): number {
  return Number(db.all("SELECT seq FROM sqlite_sequence WHERE name = 'events'")[0]?.['seq'] ?? 0);
}
