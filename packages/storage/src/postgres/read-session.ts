import type { JournalEvent, LoadedSession, Range } from '../session-store.ts';
import type { SqlRow } from '../sql/sql-row.ts';
import { toEvents, toLoaded } from '../sql/stored-events.ts';
import { sessionNumberColumns, sessionTextColumns, toSession, toSnapshot } from '../sql/stored-session.ts';
import type { PostgresDatabase } from './database.ts';

/** The columns of a session that `toSession` needs. */
export const sessionColumns = [...sessionTextColumns, ...sessionNumberColumns].join(', ');

/** The highest number a column has room for. */
export const mostNumber = 2_147_483_647;

/**
 * The events of the session at hand in a span of revisions, as one text: the session and its events are so read in
 * one statement, which is one moment.
 */
function eventsBetween(after: string, upTo: string): string {
  const columns = ['revision', 'at', 'type', 'data', 'prev_hash', 'hash'];
  const fields = columns.map((column) => `'${column}', events.${column}`).join(', ');
  return `
    (SELECT coalesce(json_agg(json_build_object(${fields}) ORDER BY events.revision), '[]')::text FROM events
     WHERE events.sid = sessions.sid AND events.revision > ${after} AND events.revision <= ${upTo}) AS events`;
}

const loaded = `
  SELECT ${sessionColumns}, state_revision, state_crc, state,
    ${eventsBetween('coalesce(state_revision, 0)', 'sessions.revision')}
  FROM sessions WHERE sid = $1`;

const ranged = `
  SELECT least(revision, $3::integer) AS up_to, ${eventsBetween('$2::integer', 'least(sessions.revision, $3::integer)')}
  FROM sessions WHERE sid = $1`;

/** A session, its snapshot and the events after it, found whole. */
export async function loadSession(db: PostgresDatabase, sid: string): Promise<LoadedSession | undefined> {
  const [row] = await db.all(loaded, [sid]);
  if (row === undefined) return undefined;
  const session = toSession(row);
  const snapshot = toSnapshot(row);
  const span = { after: snapshot?.revision ?? 0, upTo: session.revision };
  return toLoaded(session, snapshot, toEvents(sid, eventRows(row), span));
}

/** The events of a session by range, each verified. */
export async function readEvents(
  db: PostgresDatabase,
  sid: string,
  { after = 0, limit = Infinity }: Range,
): Promise<readonly JournalEvent[]> {
  const [row] = await db.all(ranged, [sid, Math.min(after, mostNumber), Math.min(after + limit, mostNumber)]);
  if (row === undefined) return [];
  return toEvents(sid, eventRows(row), { after, upTo: Number(row['up_to']) });
}

function eventRows(row: SqlRow): readonly SqlRow[] {
  return JSON.parse(String(row['events'])) as readonly SqlRow[];
}
