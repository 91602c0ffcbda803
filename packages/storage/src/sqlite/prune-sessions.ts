import type { PruneRequest } from '../session-store.ts';
import type { Connection } from './connection.ts';
import type { SqliteDatabase } from './driver.ts';

/** So few at once that other writers need not wait for long. */
const batch = 100;

/** Drops sessions with all that is theirs, then what nothing refers to any more; returns how many sessions. */
export async function pruneSessions(connection: Connection, request: PruneRequest): Promise<number> {
  let count = 0;
  for (;;) {
    const dropped = await connection.write((db) => dropBatch(db, request));
    count += dropped;
    if (dropped < batch) break;
  }
  await connection.write((db) => sweep(db, request.before));
  return count;
}

/** `held` is every session that a running one descends from. */
function dropBatch(db: SqliteDatabase, { before, statuses }: PruneRequest): number {
  return db.run(
    `WITH RECURSIVE held (sid) AS (
       SELECT parent_sid FROM sessions WHERE status <> 'completed' AND parent_sid IS NOT NULL
       UNION
       SELECT parent_sid FROM sessions JOIN held USING (sid) WHERE parent_sid IS NOT NULL
     )
     DELETE FROM sessions WHERE sid IN (
       SELECT sid FROM sessions
       WHERE updated_at < ? AND status IN (SELECT value FROM json_each(?)) AND sid NOT IN (SELECT sid FROM held)
       LIMIT ${batch}
     )`,
    [before, JSON.stringify(statuses)],
  );
}

function sweep(db: SqliteDatabase, before: string): void {
  db.run(
    'DELETE FROM definitions WHERE put_at < ? AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.digest = definitions.digest)',
    [before],
  );
  db.run(
    'DELETE FROM blobs WHERE put_at < ? AND NOT EXISTS (SELECT 1 FROM session_blobs WHERE session_blobs.digest = blobs.digest)',
    [before],
  );
}
