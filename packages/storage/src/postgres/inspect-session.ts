import type { InspectedSession, SealMark, Seals } from '../session-store.ts';
import type { SessionRows } from '../sql/inspected-session.ts';
import { changedMeanwhile, resealed, sessionTables, toInspected } from '../sql/inspected-session.ts';
import type { SqlRow } from '../sql/sql-row.ts';
import type { Connection } from './connection.ts';
import type { PostgresDatabase } from './database.ts';
import { sessionColumns } from './read-session.ts';

/** Everything that is kept of a session, as it is at one moment. */
export async function inspectSession(
  connection: Connection,
  seals: Seals,
  sid: string,
): Promise<InspectedSession | undefined> {
  return connection.write(async (db) => {
    await db.once('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    return toInspected(seals, sid, await readRows(db, sid));
  });
}

/** Seals everything that is kept of a session anew, if it is still as it was found. */
export async function sealSession(
  connection: Connection,
  seals: Seals,
  found: InspectedSession,
  mark: SealMark | undefined,
): Promise<void> {
  await connection.write(async (db) => {
    await db.once('SELECT 1 FROM sessions WHERE sid = $1 FOR UPDATE', [found.sid]);
    const rows = await readRows(db, found.sid);
    if (JSON.stringify(toInspected(seals, found.sid, rows)) !== JSON.stringify(found))
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
  const [session] = await db.once(`SELECT ${columns} FROM sessions WHERE sid = $1`, [sid]);
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
