import type { InspectedSession, SealMark, Seals } from '../session-store.ts';
import type { SessionRows } from '../sql/inspected-session.ts';
import { changedMeanwhile, resealed, sessionTables, toInspected } from '../sql/inspected-session.ts';
import type { SqlRow } from '../sql/sql-row.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';
import { sessionColumns } from './session-rows.ts';

/** Everything that is kept of a session, as it is. */
export function inspectSession(db: SqliteDatabase, seals: Seals, sid: string): InspectedSession | undefined {
  return toInspected(seals, sid, readRows(db, sid));
}

/** Seals everything that is kept of a session anew, if it is still as it was found. */
export function sealSession(
  db: SqliteDatabase,
  seals: Seals,
  found: InspectedSession,
  mark: SealMark | undefined,
): void {
  const rows = readRows(db, found.sid);
  if (JSON.stringify(toInspected(seals, found.sid, rows)) !== JSON.stringify(found))
    throw changedMeanwhile(found.sid);
  for (const { sql, values } of resealed(seals, rows, { found, mark })) db.run(sql, values);
}

function readRows(db: SqliteDatabase, sid: string): SessionRows {
  const columns = `${sessionColumns}, state_revision, ${textColumns('state', 'state_seal')}`;
  const [session] = db.all(`SELECT ${columns} FROM sessions WHERE sid = ?`, [sid]);
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
