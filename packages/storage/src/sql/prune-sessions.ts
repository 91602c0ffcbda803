import type { PruneRequest, Seals } from '../sessions/session-store.ts';
import type { Database, Dialect, Task } from './database.ts';
import { change, select, selectOnce } from './database.ts';
import type { SqlRow } from './stored-sessions.ts';
import { isAtEnd, isAuthentic } from './stored-sessions.ts';

/** Small batches, so that other writers do not wait for long. */
const batch = 100;

/**
 * Deletes sessions with everything that belongs to them, then definitions and values without references. Returns the
 * number of sessions. A session with a concurrent write is left for the next time. A session stays if it or one of its
 * descendants is not authentic, or if its row does not belong to its last event.
 */
export async function pruneSessions(db: Database, seals: Seals, request: PruneRequest): Promise<number> {
  const { dialect } = db;
  let count = 0;
  const found = await db.read(() => selectPrunable(dialect, dialect.texts('sid'), request));
  for (let at = 0; at < found.length; at += batch) {
    const sids = sidsOf(found.slice(at, at + batch));
    count += await db.write(() => dropBatch(dialect, seals, { ...request, sids }));
  }
  for (const [table, referring] of [
    ['definitions', 'sessions'],
    ['blobs', 'session_blobs'],
  ] as const)
    await db.write(() => sweep(dialect, request.before, { table, referring }));
  return count;
}

function sidsOf(found: readonly SqlRow[]): readonly string[] {
  return found.map(({ sid }) => String(sid));
}

/** Selects the ancestors of all running sessions. */
const runningAncestors = `
  held (sid) AS (
    SELECT parent_sid FROM sessions WHERE status <> 'completed' AND parent_sid IS NOT NULL
    UNION
    SELECT parent_sid FROM sessions JOIN held USING (sid) WHERE parent_sid IS NOT NULL
  )`;

function selectPrunable(
  { isIn }: Dialect,
  columns: string,
  { before, statuses }: PruneRequest,
  more: { readonly sql: string; readonly values: readonly string[] } = { sql: '', values: [] },
): Task<readonly SqlRow[]> {
  return selectOnce(
    `WITH RECURSIVE ${runningAncestors}
     SELECT ${columns} FROM sessions
     WHERE updated_at < ? AND ${isIn('status')} AND sid NOT IN (SELECT sid FROM held) AND ${isAtEnd} ${more.sql}`,
    [before, JSON.stringify(statuses), ...more.values],
  );
}

/**
 * Locks sessions and checks them again before it deletes them: a child session may have started since. It skips locked
 * sessions instead of waiting, so that it can't deadlock with a transaction that locks several.
 */
function* dropBatch(
  dialect: Dialect,
  seals: Seals,
  request: PruneRequest & { readonly sids: readonly string[] },
): Task<number> {
  const { isIn, lock, sessionColumns, turns } = dialect;
  if (turns !== undefined) yield* select(turns['deleting sessions']);
  const among = JSON.stringify(request.sids);
  const locked = yield* selectPrunable(dialect, sessionColumns, request, {
    sql: `AND ${isIn('sid')} ${lock('UPDATE SKIP LOCKED')}`,
    values: [among],
  });
  const held = yield* unverifiedBelow(dialect, seals, among);
  const authentic = sidsOf(locked.filter((row) => isAuthentic(seals, row))).filter((sid) => !held.has(sid));
  return yield* change(
    `WITH RECURSIVE ${runningAncestors}
     DELETE FROM sessions WHERE ${isIn('sid')} AND sid NOT IN (SELECT sid FROM held)`,
    [JSON.stringify(authentic)],
  );
}

/** Returns the sessions among these that have a descendant which is not authentic, because it may still be running. */
function* unverifiedBelow(
  { isIn, sessionColumns, texts }: Dialect,
  seals: Seals,
  sids: string,
): Task<ReadonlySet<string>> {
  const found = yield* selectOnce(
    `WITH RECURSIVE below (ancestor, sid) AS (
       SELECT parent_sid, sid FROM sessions WHERE ${isIn('parent_sid')}
       UNION
       SELECT ancestor, sessions.sid FROM sessions JOIN below ON parent_sid = below.sid
     )
     SELECT ${texts('ancestor')}, ${sessionColumns} FROM below JOIN sessions USING (sid)`,
    [sids],
  );
  return new Set(found.filter((row) => !isAuthentic(seals, row)).map(({ ancestor }) => String(ancestor)));
}

/** Deletes rows without references, in the same way. */
function* sweep(
  { isIn, lock, texts }: Dialect,
  before: string,
  { table, referring }: { readonly table: string; readonly referring: string },
): Task<void> {
  const unused = `NOT EXISTS (SELECT 1 FROM ${referring} WHERE ${referring}.digest = ${table}.digest)`;
  const locked = yield* selectOnce(
    `SELECT ${texts('digest')} FROM ${table} WHERE put_at < ? AND ${unused} ${lock('UPDATE SKIP LOCKED')}`,
    [before],
  );
  const digests = JSON.stringify(locked.map(({ digest }) => String(digest)));
  yield* change(`DELETE FROM ${table} WHERE ${isIn('digest')} AND ${unused}`, [digests]);
}
