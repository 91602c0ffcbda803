import type { PruneRequest, Seals } from '../session-store.ts';
import { isAtEnd } from '../sql/is-at-end.ts';
import { isAuthentic } from '../sql/stored-session.ts';
import { holdPositions } from './changes.ts';
import type { Connection } from './connection.ts';
import type { PostgresDatabase } from './database.ts';
import { sessionColumns } from './read-session.ts';

/** So few at once that other writers need not wait for long. */
const batch = 100;

/**
 * Drops sessions with all that is theirs, then what nothing refers to any more; returns how many sessions. One that is
 * being written to just now is left for the next time, and one that does not authenticate, or whose row is not the end of
 * its events, stays.
 */
export async function pruneSessions(
  connection: Connection,
  seals: Seals,
  request: PruneRequest,
): Promise<number> {
  let count = 0;
  const { before, statuses } = request;
  const found = await connection.all(`WITH RECURSIVE ${held} SELECT sid FROM sessions WHERE ${prunable}`, [
    before,
    statuses,
  ]);
  for (let at = 0; at < found.length; at += batch) {
    const sids = found.slice(at, at + batch).map(({ sid }) => String(sid));
    count += await connection.write((db) => dropBatch(db, seals, { ...request, sids }));
  }
  await connection.write((db) => sweep(db, before, { table: 'definitions', referring: 'sessions' }));
  await connection.write((db) => sweep(db, before, { table: 'blobs', referring: 'session_blobs' }));
  return count;
}

/** Every session that a running one descends from. */
const held = `
  held (sid) AS (
    SELECT parent_sid FROM sessions WHERE status <> 'completed' AND parent_sid IS NOT NULL
    UNION
    SELECT parent_sid FROM sessions JOIN held USING (sid) WHERE parent_sid IS NOT NULL
  )`;

const prunable = `updated_at < $1 AND status = ANY ($2) AND sid NOT IN (SELECT sid FROM held) AND ${isAtEnd}`;

/**
 * Takes sessions aside and looks again before it drops them: a child may have been started since the first look. It
 * waits for no session, so that it never waits in a circle with those who hold several.
 */
async function dropBatch(
  db: PostgresDatabase,
  seals: Seals,
  { before, statuses, sids }: PruneRequest & { readonly sids: readonly string[] },
): Promise<number> {
  await holdPositions(db);
  const locked = await db.once(
    `WITH RECURSIVE ${held}
     SELECT ${sessionColumns} FROM sessions WHERE ${prunable} AND sid = ANY ($3) FOR UPDATE SKIP LOCKED`,
    [before, statuses, sids],
  );
  const dropped = await db.once(
    `WITH RECURSIVE ${held}
     DELETE FROM sessions WHERE sid = ANY ($1) AND sid NOT IN (SELECT sid FROM held) RETURNING sid`,
    [locked.filter((row) => isAuthentic(seals, row)).map(({ sid }) => String(sid))],
  );
  return dropped.length;
}

/** Drops what nothing refers to, in the same way. */
async function sweep(
  db: PostgresDatabase,
  before: string,
  {
    table,
    referring,
  }: { readonly table: 'definitions' | 'blobs'; readonly referring: 'sessions' | 'session_blobs' },
): Promise<void> {
  const unused = `NOT EXISTS (SELECT FROM ${referring} WHERE ${referring}.digest = ${table}.digest)`;
  const locked = await db.once(
    `SELECT digest FROM ${table} WHERE put_at < $1 AND ${unused} FOR UPDATE SKIP LOCKED`,
    [before],
  );
  const digests = locked.map(({ digest }) => String(digest));
  await db.once(`DELETE FROM ${table} WHERE digest = ANY ($1) AND ${unused}`, [digests]);
}
