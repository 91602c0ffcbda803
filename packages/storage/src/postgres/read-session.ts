import type { JournalEvent, LoadedSession, Range, Seals, SessionRow } from '../session-store.ts';
import type { SqlRow } from '../sql/sql-row.ts';
import { eventTextColumns, toEvents, toLoaded } from '../sql/stored-events.ts';
import {
  assertReadable,
  sessionNumberColumns,
  sessionTextColumns,
  toSession,
  toSnapshot,
} from '../sql/stored-session.ts';
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
  const columns = ['revision', ...eventTextColumns];
  const fields = columns.map((column) => `'${column}', events.${column}`).join(', ');
  return `
    (SELECT coalesce(json_agg(json_build_object(${fields}) ORDER BY events.revision), '[]')::text FROM events
     WHERE events.sid = sessions.sid AND events.revision > ${after} AND events.revision <= ${upTo}) AS events`;
}

const loaded = `
  SELECT ${sessionColumns}, state_revision, state_seal, state,
    ${eventsBetween('coalesce(state_revision, 0)', 'sessions.revision')}
  FROM sessions WHERE sid = $1`;

const ranged = `
  SELECT ${sessionColumns}, least(revision, $3::integer) AS up_to,
    ${eventsBetween('$2::integer', 'least(sessions.revision, $3::integer)')}
  FROM sessions WHERE sid = $1`;

/** A session, its snapshot and the events after it, found whole. */
export async function loadSession(
  db: PostgresDatabase,
  seals: Seals,
  sid: string,
): Promise<LoadedSession | undefined> {
  const [row] = await db.all(loaded, [sid]);
  if (row === undefined) return undefined;
  const session = readable(seals, row);
  const snapshot = toSnapshot(seals, row, { ...session, next: eventRows(row)[0] });
  // Without the snapshot, the events that were read do not begin at the start.
  if (snapshot === undefined && row['state_revision'] !== null) {
    const [whole] = await db.all(ranged, [sid, 0, mostNumber]);
    if (whole === undefined) return undefined;
    const now = readable(seals, whole);
    const span = { after: 0, upTo: now.revision };
    return toLoaded(now, undefined, toEvents(seals, now, eventRows(whole), span));
  }
  const span = { after: snapshot?.revision ?? 0, upTo: session.revision };
  return toLoaded(session, snapshot, toEvents(seals, session, eventRows(row), span));
}

/** The session with this id. @throws STORAGE where it does not authenticate */
export async function readSession(
  db: PostgresDatabase,
  seals: Seals,
  sid: string,
): Promise<SessionRow | undefined> {
  const [row] = await db.all(`SELECT ${sessionColumns} FROM sessions WHERE sid = $1`, [sid]);
  return row && readable(seals, row);
}

function readable(seals: Seals, row: SqlRow): SessionRow {
  const session = toSession(seals, row);
  assertReadable(session);
  return session;
}

/** The events of a session by range, each verified. */
export async function readEvents(
  db: PostgresDatabase,
  seals: Seals,
  sid: string,
  { after = 0, limit = Infinity }: Range,
): Promise<readonly JournalEvent[]> {
  const [row] = await db.all(ranged, [sid, Math.min(after, mostNumber), Math.min(after + limit, mostNumber)]);
  if (row === undefined) return [];
  return toEvents(seals, readable(seals, row), eventRows(row), { after, upTo: Number(row['up_to']) });
}

function eventRows(row: SqlRow): readonly SqlRow[] {
  return JSON.parse(String(row['events'])) as readonly SqlRow[];
}
