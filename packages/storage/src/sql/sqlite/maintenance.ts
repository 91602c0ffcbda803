import type { JsonObject } from '@workflowlookup/schema';
import type {
  InspectedSession,
  PruneRequest,
  SealMark,
  Seals,
  StoreHealth,
  StoreSurvey,
} from '../../sessions/session-store.ts';
import type { SessionRows } from '../inspect-session.ts';
import { changedMeanwhile, resealed, sessionTables, toInspected } from '../inspect-session.ts';
import type { SqlRow } from '../stored-sessions.ts';
import { isAtEnd, isAuthentic, onlyRow } from '../stored-sessions.ts';
import type { Probe, WriteWatch } from '../write-behind.ts';
import { unhealthy } from '../write-behind.ts';
import { atOnce, inTurns } from '../../pauses.ts';
import type { Connection } from './connection.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';
import { lastPosition, sessionColumns } from './journal.ts';

export async function inspectSession(
  connection: Connection,
  seals: Seals,
  sid: string,
): Promise<InspectedSession | undefined> {
  return inTurns(toInspected(seals, sid, await connection.read((db) => readRows(db, sid))));
}

/** Seals everything stored about a session again, if it has not changed since it was inspected. */
export function sealSession(
  db: SqliteDatabase,
  seals: Seals,
  found: InspectedSession,
  mark: SealMark | undefined,
): void {
  const rows = readRows(db, found.sid);
  if (JSON.stringify(atOnce(toInspected(seals, found.sid, rows))) !== JSON.stringify(found))
    throw changedMeanwhile(found.sid);
  for (const { sql, values } of resealed(seals, rows, { found, mark })) db.run(sql, values);
}

function readRows(db: SqliteDatabase, sid: string): SessionRows {
  const columns = `${sessionColumns}, state_revision, ${textColumns('state', 'state_seal')}`;
  const session = onlyRow(db.all(`SELECT ${columns} FROM sessions WHERE sid = ?`, [sid]));
  const beside = (table: keyof typeof sessionTables): readonly SqlRow[] => {
    const { texts, numbers, order } = sessionTables[table];
    const selected = [textColumns(...texts), ...numbers].join(', ');
    return db.all(`SELECT ${selected} FROM ${table} WHERE sid = ? ORDER BY ${order}`, [sid]);
  };
  const digest = session === undefined ? [] : [String(session['digest'])];
  const [definition] = digest.flatMap((one) =>
    db.all(`SELECT ${textColumns('body', 'seal')} FROM definitions WHERE digest = ?`, [one]),
  );
  return {
    session,
    events: beside('events'),
    calls: beside('calls'),
    commands: beside('commands'),
    agents: beside('agents'),
    deliveries: beside('deliveries'),
    blobs: beside('session_blobs'),
    definition,
  };
}

/** Small batches, so that other writers do not wait for long. */
const batch = 100;

/**
 * Deletes sessions with everything that belongs to them, then definitions and values without references. Returns the
 * number of sessions. A session stays if it or one of its descendants is not authentic, or if its row does not belong
 * to its last event.
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

/** Selects the sessions to delete. `held` has the ancestors of all running sessions. */
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
  const held = unverifiedBelow(db, seals, request.sids);
  const sids = rows.map(({ sid }) => String(sid)).filter((sid) => !held.has(sid));
  return db.run('DELETE FROM sessions WHERE sid IN (SELECT value FROM json_each(?))', [JSON.stringify(sids)]);
}

/** Returns the sessions among these that have a descendant which is not authentic, because it may still be running. */
function unverifiedBelow(db: SqliteDatabase, seals: Seals, sids: readonly string[]): ReadonlySet<string> {
  const rows = db.all(
    `WITH RECURSIVE below (ancestor, sid) AS (
       SELECT parent_sid, sid FROM sessions WHERE parent_sid IN (SELECT value FROM json_each(?))
       UNION
       SELECT ancestor, sessions.sid FROM sessions JOIN below ON parent_sid = below.sid
     )
     SELECT ${textColumns('ancestor')}, ${sessionColumns} FROM below JOIN sessions USING (sid)`,
    [JSON.stringify(sids)],
  );
  return new Set(rows.filter((row) => !isAuthentic(seals, row)).map(({ ancestor }) => String(ancestor)));
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

/**
 * The objects that servers make. Everything else is reported. A list of forbidden statements would not work, because
 * SQLite also executes a definition that somebody wrote to this table in another letter case.
 */
const ours = `(type IN ('table', 'index') AND
  (sql IS NULL OR sql LIKE 'CREATE TABLE %' OR sql LIKE 'CREATE INDEX %' OR sql LIKE 'CREATE UNIQUE INDEX %'))`;

/**
 * Matches clauses and comments that the tables and indexes of a server never contain. `NOT NULL ON CONFLICT IGNORE`
 * drops rows without an error, and a generated column, a default or a collation can change what is read.
 */
const rule = /\b(?:as|check|collate|conflict|default|generated)\b|\/\*|--/i;

/** Returns the tables and indexes that somebody recreated with such a clause. */
function changedTables(db: SqliteDatabase): StoreSurvey['foreign'] {
  const found = db.all(
    `SELECT ${textColumns('name', 'tbl_name', 'sql')} FROM sqlite_schema WHERE ${ours} AND sql IS NOT NULL ORDER BY 1`,
  );
  return found
    .filter(({ sql }) => rule.test(String(sql)))
    .map(({ name, tbl_name: table }) => ({
      kind: 'changed table',
      name: String(name),
      table: String(table),
    }));
}

/** Returns the contents of the database. A session counts even if its own row or index entry is missing. */
export function surveyOf(db: SqliteDatabase): StoreSurvey {
  const named = ['sessions', 'events', 'commands'].map((table) => `SELECT sid FROM ${table} NOT INDEXED`);
  const sids = db.all(`SELECT ${textColumns('sid')} FROM (${named.join(' UNION ')}) ORDER BY 1`);
  const foreign = db.all(
    `SELECT ${textColumns('type', 'name', 'tbl_name')} FROM sqlite_schema WHERE ${ours} IS NOT TRUE
     ORDER BY sqlite_schema.type, sqlite_schema.name`,
  );
  // The PRAGMA statement, because a table of the same name would hide the SQL function.
  const checked = db.all('PRAGMA integrity_check(100)');
  return {
    sids: sids.map(({ sid }) => String(sid)),
    foreign: [
      ...foreign.map(({ type, name, tbl_name: table }) => ({
        kind: String(type).toLowerCase(),
        name: String(name),
        table: String(table),
      })),
      ...changedTables(db),
    ],
    damage: checked.map((row) => String(row['integrity_check'])).filter((found) => found !== 'ok'),
  };
}

/**
 * Returns whether a SQLite store is available, and writable again after a failed write. It does not create a database.
 */
export async function healthOf(
  connection: Connection,
  watch: WriteWatch,
  waiting: number,
): Promise<StoreHealth> {
  const adapter = 'sqlite';
  try {
    const { name, version } = await connection.driver();
    const facts = { driver: name, sqlite: version, waiting };
    if (!connection.isMade()) return { ok: true, adapter, lastChange: 0, facts };
    await watch.check();
    const state = await connection.read((db) => ({ lastChange: lastPosition(db), own: databaseFacts(db) }));
    return { ok: true, adapter, lastChange: state.lastChange, facts: { ...facts, ...state.own } };
  } catch (error) {
    return unhealthy(error, { adapter, facts: { waiting } });
  }
}

function databaseFacts(db: SqliteDatabase): JsonObject {
  return {
    journalMode: db.all('PRAGMA journal_mode')[0]?.['journal_mode'] as string,
    schemaVersion: db.all('SELECT schema_version FROM meta')[0]?.['schema_version'] as number,
  };
}

/** Stores and deletes a probe. A probe that is left behind has no references and is pruned. */
export async function writeProbe(connection: Connection, { id, text }: Probe): Promise<void> {
  const at = new Date().toISOString();
  await connection.write((db) =>
    db.run('INSERT INTO blobs (digest, value, put_at) VALUES (?, ?, ?)', [id, text, at]),
  );
  await connection.write((db) => db.run('DELETE FROM blobs WHERE digest = ?', [id]));
}
