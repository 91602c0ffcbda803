import type { JournalMethods, PageStart } from '../../sessions/checked-store.ts';
import { pageStart } from '../../sessions/checked-store.ts';
import { notStored } from '../../sessions/errors.ts';
import type { Seals, SessionChange, SessionPage, SessionQuery } from '../../sessions/session-store.ts';
import type { FindDialect } from '../session-queries.ts';
import { countSessions, countSessionsOf, findClauses, toCounts, toPage } from '../session-queries.ts';
import { toCommand } from '../stored-contents.ts';
import { toChange } from '../stored-events.ts';
import { startedSession, headBefore } from '../stored-session.ts';
import type { CallTrace } from '../write-behind.ts';
import type { Connection, PostgresDatabase } from './connection.ts';
import { insertSession, loadSession, updateSession, readEvents, sessionColumns } from './session-rows.ts';
import { brokenConstraint } from './connection.ts';

export function journalMethods(connection: Connection, seals: Seals, trace: CallTrace): JournalMethods {
  return {
    async create(session, write) {
      try {
        return await connection.run((db) => insertSession(db, seals, startedSession(session, write), write));
      } catch (error) {
        if (brokenConstraint(error) === 'sessions_definition') throw notStored('definition', session.digest);
        throw error;
      }
    },
    load: (sid) => loadSession(connection, seals, sid),
    async append(sid, revision, write) {
      const before = trace.before(sid);
      const from = headBefore(sid, write, revision);
      const isKept = await connection.run((db) => updateSession(db, seals, from, { write, before }));
      if (isKept) trace.confirm(before);
      return isKept;
    },
    async recorded(sid, key) {
      const command = 'SELECT key, result, seal FROM commands WHERE sid = $1 AND key = $2';
      const [row] = await connection.all(command, [sid, key]);
      return row && toCommand(seals, sid, row);
    },
    events: (sid, range = {}) => readEvents(connection, seals, sid, range),
    find: (query, page = {}) => findSessions(connection, seals, query, pageStart(page)),
    counts: async (principal) =>
      toCounts(
        principal === undefined
          ? await connection.all(countSessions)
          : await connection.all(countSessionsOf('$1'), [principal]),
      ),
    changes: (after, limit) => readChanges(connection, after, limit),
  };
}

export const postgresDialect: FindDialect = {
  isIn: (column) => `${column} IN (SELECT json_array_elements_text(?::json))`,
  mentions: (column) => `strpos(lower(${column}), lower(?::text COLLATE "C")) > 0`,
  contains: (column) => `strpos(${column}, ?::text COLLATE "C") > 0`,
};

async function findSessions(
  db: PostgresDatabase,
  seals: Seals,
  query: SessionQuery,
  page: PageStart,
): Promise<SessionPage> {
  const { sql, values } = findClauses(query, page, postgresDialect);
  const rows = await db.once(`SELECT ${sessionColumns} FROM sessions ${numbered(sql)}`, values);
  return toPage(seals, rows, page);
}

/** Replaces each `?` in a statement by `$1`, `$2` and so on. */
export function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
}

/** How many writes get their position in one transaction. */
const batch = 10_000;

/**
 * Returns the events that were committed after a position. Writers never wait for each other to get a position: each
 * reader assigns the next positions to all writes that are committed by then, one reader at a time. A write that
 * commits later has no position yet and gets a higher one than any reader has seen.
 */
async function readChanges(
  connection: Connection,
  after: number,
  limit: number,
): Promise<readonly SessionChange[]> {
  await assignPositions(connection);
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

/** Returns the position of the last event that was ever committed. */
export async function lastPosition(connection: Connection): Promise<number> {
  await assignPositions(connection);
  const [meta] = await connection.all('SELECT last_change FROM meta');
  return Number(meta?.['last_change'] ?? 0);
}

/** Keeps positions from being assigned until the transaction ends, so that writes can be deleted. */
export async function lockPositions(db: PostgresDatabase): Promise<void> {
  await db.all('SELECT last_change FROM meta FOR UPDATE');
}

/**
 * Writes that commit in the meantime wait for the next reader, because under load this loop would otherwise not end.
 */
async function assignPositions(connection: Connection): Promise<void> {
  const [open] = await connection.all('SELECT 1 FROM writes WHERE position IS NULL LIMIT 1');
  for (let placed = open ? batch : 0; placed === batch;) placed = await connection.write(assignBatch);
}

/** The position of a write is that of its last event. The writes of one session are already in order. */
async function assignBatch(db: PostgresDatabase): Promise<number> {
  await lockPositions(db);
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
