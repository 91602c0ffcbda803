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
import type { Connection, PostgresDatabase } from './connection.ts';
import { lockPositions, lastPosition, sessionColumns } from './journal.ts';

export async function inspectSession(
  connection: Connection,
  seals: Seals,
  sid: string,
): Promise<InspectedSession | undefined> {
  const rows = await connection.write(async (db) => {
    await db.once('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    return readRows(db, sid);
  });
  return inTurns(toInspected(seals, sid, rows));
}

/** Seals everything stored about a session again, if it has not changed since it was inspected. */
export async function sealSession(
  connection: Connection,
  seals: Seals,
  found: InspectedSession,
  mark: SealMark | undefined,
): Promise<void> {
  await connection.write(async (db) => {
    await db.once('SELECT 1 FROM sessions WHERE sid = $1 FOR UPDATE', [found.sid]);
    const rows = await readRows(db, found.sid);
    if (JSON.stringify(atOnce(toInspected(seals, found.sid, rows))) !== JSON.stringify(found))
      throw changedMeanwhile(found.sid);
    for (const { sql, values } of resealed(seals, rows, { found, mark })) {
      let count = 0;
      const numbered = sql.replaceAll('?', () => `$${(count += 1)}`);
      await db.once(numbered, values);
    }
  });
}

async function readRows(db: PostgresDatabase, sid: string): Promise<SessionRows> {
  const columns = `${sessionColumns}, state_revision, state, state_seal`;
  const session = onlyRow(await db.once(`SELECT ${columns} FROM sessions WHERE sid = $1`, [sid]));
  const beside = (table: keyof typeof sessionTables): Promise<readonly SqlRow[]> => {
    const { texts, numbers, order } = sessionTables[table];
    const selected = [...texts, ...numbers].join(', ');
    return db.once(`SELECT ${selected} FROM ${table} WHERE sid = $1 ORDER BY ${order}`, [sid]);
  };
  const definitions =
    session === undefined
      ? []
      : await db.once('SELECT body, seal FROM definitions WHERE digest = $1', [session['digest'] ?? '']);
  return {
    session,
    events: await beside('events'),
    calls: await beside('calls'),
    commands: await beside('commands'),
    agents: await beside('agents'),
    deliveries: await beside('deliveries'),
    blobs: await beside('session_blobs'),
    definition: definitions[0],
  };
}

/** Small batches, so that other writers do not wait for long. */
const batch = 100;

/**
 * Deletes sessions with everything that belongs to them, then definitions and values without references. Returns the
 * number of sessions. A session with a concurrent write is left for the next time. A session stays if it or one of its
 * descendants is not authentic, or if its row does not belong to its last event.
 */
export async function pruneSessions(
  connection: Connection,
  seals: Seals,
  request: PruneRequest,
): Promise<number> {
  let count = 0;
  const { before, statuses } = request;
  const found = await connection.all(
    `WITH RECURSIVE ${runningAncestors} SELECT sid FROM sessions WHERE ${prunable}`,
    [before, statuses],
  );
  for (let at = 0; at < found.length; at += batch) {
    const sids = found.slice(at, at + batch).map(({ sid }) => String(sid));
    count += await connection.write((db) => dropBatch(db, seals, { ...request, sids }));
  }
  await connection.write((db) => sweep(db, before, { table: 'definitions', referring: 'sessions' }));
  await connection.write((db) => sweep(db, before, { table: 'blobs', referring: 'session_blobs' }));
  return count;
}

/** Selects the ancestors of all running sessions. */
const runningAncestors = `
  held (sid) AS (
    SELECT parent_sid FROM sessions WHERE status <> 'completed' AND parent_sid IS NOT NULL
    UNION
    SELECT parent_sid FROM sessions JOIN held USING (sid) WHERE parent_sid IS NOT NULL
  )`;

const prunable = `updated_at < $1 AND status = ANY ($2) AND sid NOT IN (SELECT sid FROM held) AND ${isAtEnd}`;

/**
 * Locks sessions and checks them again before it deletes them: a child session may have started since. It skips locked
 * sessions instead of waiting, so that it can't deadlock with a transaction that locks several.
 */
async function dropBatch(
  db: PostgresDatabase,
  seals: Seals,
  { before, statuses, sids }: PruneRequest & { readonly sids: readonly string[] },
): Promise<number> {
  await lockPositions(db);
  const locked = await db.once(
    `WITH RECURSIVE ${runningAncestors}
     SELECT ${sessionColumns} FROM sessions WHERE ${prunable} AND sid = ANY ($3) FOR UPDATE SKIP LOCKED`,
    [before, statuses, sids],
  );
  const held = await unverifiedBelow(db, seals, sids);
  const authentic = locked.filter((row) => isAuthentic(seals, row)).map(({ sid }) => String(sid));
  const dropped = await db.once(
    `WITH RECURSIVE ${runningAncestors}
     DELETE FROM sessions WHERE sid = ANY ($1) AND sid NOT IN (SELECT sid FROM held) RETURNING sid`,
    [authentic.filter((sid) => !held.has(sid))],
  );
  return dropped.length;
}

/** Returns the sessions among these that have a descendant which is not authentic, because it may still be running. */
async function unverifiedBelow(
  db: PostgresDatabase,
  seals: Seals,
  sids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.once(
    `WITH RECURSIVE below (ancestor, sid) AS (
       SELECT parent_sid, sid FROM sessions WHERE parent_sid = ANY ($1)
       UNION
       SELECT ancestor, sessions.sid FROM sessions JOIN below ON parent_sid = below.sid
     )
     SELECT ancestor, ${sessionColumns} FROM below JOIN sessions USING (sid)`,
    [sids],
  );
  return new Set(rows.filter((row) => !isAuthentic(seals, row)).map(({ ancestor }) => String(ancestor)));
}

/** Deletes rows without references, in the same way. */
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

/**
 * Returns the contents of the database. A session counts even if only other rows name it. Postgres does not check its
 * tables, so no damage is reported.
 */
export async function surveyOf(connection: Connection): Promise<StoreSurvey> {
  return connection.write(async (db) => {
    for (const way of ['indexscan', 'indexonlyscan', 'bitmapscan'])
      await db.once(`SET LOCAL enable_${way} = off`);
    const sids = await db.once(namedSids);
    const foreign = await db.once(foreignObjects);
    return {
      sids: sids.map(({ sid }) => String(sid)),
      foreign: foreign.map(({ kind, name, table }) => ({
        kind: String(kind),
        name: String(name),
        table: String(table),
      })),
      damage: [],
    };
  });
}

const namedSids = `
  SELECT sid FROM sessions UNION SELECT sid FROM events UNION SELECT sid FROM commands ORDER BY sid`;

/**
 * A view is a rule with its own name. Rows of a table that inherits from one of our tables are read as rows of ours, so
 * it counts in whatever schema it is. A partition of one of our tables is part of it. A function in our schema can take
 * the place of one of Postgres in a statement, and a check, a default, an index or the type of a column can call one.
 */
const foreignObjects = `
  WITH RECURSIVE found AS (
    SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace('workflowlookup')
    UNION SELECT inhrelid FROM pg_inherits JOIN found ON inhparent = found.oid),
  ours AS (
    SELECT pg_class.oid, relkind, relispartition, relrowsecurity OR relforcerowsecurity AS has_security,
      CASE nspname WHEN 'workflowlookup' THEN relname::text ELSE nspname || '.' || relname END COLLATE "C" AS relname
    FROM pg_class JOIN found USING (oid) JOIN pg_namespace ON pg_namespace.oid = relnamespace),
  parts AS (
    SELECT 'pg_constraint'::regclass AS class, oid, conrelid AS of FROM pg_constraint
    UNION ALL SELECT 'pg_attrdef'::regclass, oid, adrelid FROM pg_attrdef
    UNION ALL SELECT 'pg_class'::regclass, indexrelid, indrelid FROM pg_index)
  SELECT 'trigger' AS kind, tgname::text COLLATE "C" AS name, relname AS table FROM pg_trigger JOIN ours ON tgrelid = ours.oid
  WHERE NOT tgisinternal
  UNION ALL
  SELECT 'rule', rulename, relname FROM pg_rewrite JOIN ours ON ev_class = ours.oid
  UNION ALL
  SELECT 'row security', relname, relname FROM ours WHERE has_security
  UNION ALL
  SELECT 'foreign table', relname, relname FROM ours WHERE relkind = 'f'
  UNION ALL
  SELECT 'child table', child.relname, parent.relname FROM pg_inherits
  JOIN ours AS child ON child.oid = inhrelid JOIN ours AS parent ON parent.oid = inhparent
  WHERE NOT child.relispartition
  UNION
  SELECT 'function', proname, relname FROM pg_depend
  JOIN parts ON parts.class = classid AND parts.oid = objid JOIN ours ON ours.oid = parts.of
  JOIN pg_proc ON refclassid = 'pg_proc'::regclass AND pg_proc.oid = refobjid
  UNION
  SELECT 'type', typname, relname FROM pg_attribute JOIN ours ON ours.oid = attrelid AND relkind <> 'i'
  JOIN pg_type ON pg_type.oid = atttypid WHERE typnamespace <> 'pg_catalog'::regnamespace AND NOT attisdropped
  UNION
  SELECT 'function', proname, 'workflowlookup' FROM pg_proc WHERE pronamespace = to_regnamespace('workflowlookup')
  UNION
  SELECT 'operator', oprname, 'workflowlookup' FROM pg_operator WHERE oprnamespace = to_regnamespace('workflowlookup')
  ORDER BY 1, 2, 3`;

/** Returns whether a Postgres store is available, and writable again after a failed write. */
export async function healthOf(
  connection: Connection,
  watch: WriteWatch,
  load: JsonObject,
): Promise<StoreHealth> {
  const adapter = 'postgres';
  try {
    await watch.check();
    const lastChange = await lastPosition(connection);
    const [row] = await connection.all(
      "SELECT current_setting('server_version') AS version, schema_version FROM meta",
    );
    const facts = { postgres: String(row?.['version']), schemaVersion: Number(row?.['schema_version']) };
    return { ok: true, adapter, lastChange, facts: { ...load, ...facts } };
  } catch (error) {
    return unhealthy(error, { adapter, facts: load });
  }
}

/** Stores and deletes a probe. A probe that is left behind has no references and is pruned. */
export async function writeProbe(connection: Connection, { id, text }: Probe): Promise<void> {
  const at = new Date().toISOString();
  await connection.once('INSERT INTO blobs (digest, value, put_at) VALUES ($1, $2, $3)', [id, text, at]);
  await connection.once('DELETE FROM blobs WHERE digest = $1', [id]);
}
