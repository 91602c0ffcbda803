import type { JournalEvent, Seals, SessionChange, SessionRow } from '../session-store.ts';
import { eventTextColumns, eventValues, toChange, toEvents } from '../sql/stored-events.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';

/** The events of a session in a span of revisions, each verified; one that is missing or changed is an error. */
export function readEvents(
  db: SqliteDatabase,
  seals: Seals,
  session: SessionRow,
  span: { readonly after: number; readonly upTo: number },
): readonly JournalEvent[] {
  if (span.upTo <= span.after) return [];
  const rows = db.all(
    `SELECT revision, ${textColumns(...eventTextColumns)} FROM events
     WHERE sid = ? AND revision > ? AND revision <= ? ORDER BY revision`,
    [session.sid, span.after, span.upTo],
  );
  return toEvents(seals, session, rows, span);
}

/** Adds events to the end of a journal; each names the last call before it. */
export function insertEvents(
  db: SqliteDatabase,
  seals: Seals,
  session: Pick<SessionRow, 'sid' | 'principal' | 'digest'>,
  { events, follows }: { readonly events: readonly JournalEvent[]; readonly follows: string | null },
): void {
  for (const event of events) {
    const { revision, at, type, data, prevHash, hash } = event;
    const seal = seals.make('event', eventValues(session, event, follows));
    db.run(
      `INSERT INTO events (sid, revision, at, type, data, prev_hash, hash, follows, seal)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [session.sid, revision, at, type, JSON.stringify(data), prevHash, hash, follows, seal],
    );
  }
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
