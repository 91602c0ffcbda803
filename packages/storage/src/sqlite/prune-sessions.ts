import type { PruneRequest, Seals } from '../session-store.ts';
import { isAtEnd } from '../sql/is-at-end.ts';
import type { SqlRow } from '../sql/sql-row.ts';
import { isAuthentic } from '../sql/stored-session.ts';
import type { Connection } from './connection.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';
import { sessionColumns } from './session-rows.ts';

/** So few at once that other writers need not wait for long. */
const batch = 100;

/**
 * Drops sessions with all that is theirs, then what nothing refers to any more; returns how many sessions. One that does
 * not authenticate, or whose row is not the end of its events, stays.
 */
export async function pruneSessions(
  connection: Connection,
  seals: Seals,
  request: PruneRequest,
): Promise<number> {
  let count = 0;
  const sids = await connection.read((db) => prunable(db, request).map(({ sid }) => String(sid)));
  for (let at = 0; at < sids.length; at += batch) {
    const some = sids.slice(at, at + batch);
    count += await connection.write((db) => dropBatch(db, seals, { ...request, sids: some }));
  }
  await connection.write((db) => sweep(db, request.before));
  return count;
}

/** `held` is every session that a running one descends from. */
function prunable(
  db: SqliteDatabase,
  { before, statuses, sids }: PruneRequest & { readonly sids?: readonly string[] },
): readonly SqlRow[] {
  return db.all(
    `WITH RECURSIVE held (sid) AS (
       SELECT parent_sid FROM sessions WHERE status <> 'completed' AND parent_sid IS NOT NULL
       UNION
       SELECT parent_sid FROM sessions JOIN held USING (sid) WHERE parent_sid IS NOT NULL
     )
     SELECT ${sids === undefined ? textColumns('sid') : sessionColumns} FROM sessions
     WHERE updated_at < ? AND status IN (SELECT value FROM json_each(?)) AND sid NOT IN (SELECT sid FROM held)
       AND ${isAtEnd}
       ${sids === undefined ? '' : 'AND sid IN (SELECT value FROM json_each(?))'}`,
    [before, JSON.stringify(statuses), ...(sids === undefined ? [] : [JSON.stringify(sids)])],
  );
}

function dropBatch(
  db: SqliteDatabase,
  seals: Seals,
  request: PruneRequest & { readonly sids: readonly string[] },
): number {
  const rows = prunable(db, request).filter((row) => isAuthentic(seals, row));
  const sids = JSON.stringify(rows.map(({ sid }) => String(sid)));
  return db.run('DELETE FROM sessions WHERE sid IN (SELECT value FROM json_each(?))', [sids]);
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
