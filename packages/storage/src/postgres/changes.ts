import type { SessionChange } from '../session-store.ts';
import { toChange } from '../sql/stored-events.ts';
import type { Connection } from './connection.ts';
import type { PostgresDatabase } from './database.ts';

/** So many writes get their position at once. */
const batch = 10_000;

/**
 * The events committed after a place in the database. Writers never wait for each other to get a place: whoever reads
 * gives the writes that are committed by then the next places, one reader after the other. A write that commits later
 * is still without one, and gets a higher one than any reader has seen.
 */
export async function readChanges(
  connection: Connection,
  after: number,
  limit: number,
): Promise<readonly SessionChange[]> {
  await placeWrites(connection);
  const rows = await connection.once(
    `SELECT position - (last_revision - events.revision) AS position, sid, events.revision, at, type
     FROM writes JOIN events USING (sid)
     WHERE events.revision BETWEEN first_revision AND last_revision
       AND writes.position > $1 AND position - (last_revision - events.revision) > $1
     ORDER BY writes.position, events.revision LIMIT $2`,
    [after, Math.min(limit, Number.MAX_SAFE_INTEGER)],
  );
  return rows.map(toChange);
}

/** The place of the last event that was ever committed. */
export async function lastPosition(connection: Connection): Promise<number> {
  await placeWrites(connection);
  const [meta] = await connection.all('SELECT last_change FROM meta');
  return Number(meta?.['last_change'] ?? 0);
}

/** Gives out no position while a transaction lasts, so that the writes of sessions can be dropped. */
export async function holdPositions(db: PostgresDatabase): Promise<void> {
  await db.all('SELECT last_change FROM meta FOR UPDATE');
}

/** Writes that are committed meanwhile wait for the next reader: where many write, there would be no end to it. */
async function placeWrites(connection: Connection): Promise<void> {
  const [open] = await connection.all('SELECT 1 FROM writes WHERE position IS NULL LIMIT 1');
  for (let placed = open ? batch : 0; placed === batch;) placed = await connection.write(placeBatch);
}

/** The position of a write is that of its last event. Writes of one session are entered in their order. */
async function placeBatch(db: PostgresDatabase): Promise<number> {
  await holdPositions(db);
  const [row] = await db.once(
    `WITH oldest AS (
       SELECT sid, first_revision, last_revision, entry FROM writes WHERE position IS NULL ORDER BY entry LIMIT $1
     ),
     counted AS (
       SELECT sid, last_revision, sum(last_revision - first_revision + 1) OVER (ORDER BY entry) AS upto FROM oldest
     ),
     placed AS (
       UPDATE writes SET position = meta.last_change + counted.upto FROM counted, meta
       WHERE writes.sid = counted.sid AND writes.last_revision = counted.last_revision
       RETURNING writes.position
     )
     UPDATE meta SET last_change = (SELECT max(position) FROM placed) WHERE EXISTS (SELECT FROM placed)
     RETURNING (SELECT count(*) FROM placed) AS placed`,
    [batch],
  );
  return Number(row?.['placed'] ?? 0);
}
