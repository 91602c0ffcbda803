import type { JsonObject } from '@workflowlookup/schema';
import { byCodeUnits } from '../by-code-units.ts';
import type { CallRecord, Range, RecordedCommand, Seals } from '../session-store.ts';
import { noSession } from '../sessions/no-session.ts';
import type { WaitingCall } from '../sql/call-writer.ts';
import type { SqlRow } from '../sql/sql-row.ts';
import { toAgents, toCalls, toCommand, toDelivered } from '../sql/stored-contents.ts';
import type { SessionPlace } from '../sql/stored-session.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';
import { readSession } from './session-rows.ts';

// What is kept beside the journal. Of a session that is gone, a call or a delivery is dropped.

/** Adds a call after those that are there, unless it is there already. */
export function insertCall(db: SqliteDatabase, { sid, writer, seq, text, seal }: WaitingCall): void {
  db.run(
    `INSERT INTO calls (sid, n, writer, seq, call, seal)
     SELECT sid, (SELECT coalesce(max(n), 0) + 1 FROM calls WHERE calls.sid = sessions.sid), ?, ?, ?, ?
     FROM sessions WHERE sid = ? ON CONFLICT DO NOTHING`,
    [writer, seq, text, seal, sid],
  );
}

export function readCalls(
  db: SqliteDatabase,
  seals: Seals,
  sid: string,
  { after = 0, limit = -1 }: Range = {},
): readonly CallRecord[] {
  const rows = db.all(
    `SELECT seq, ${textColumns('writer', 'call', 'seal')} FROM calls WHERE sid = ? ORDER BY n LIMIT ? OFFSET ?`,
    [sid, limit === Infinity ? -1 : limit, after],
  );
  return toCalls(seals, rows.length === 0 ? undefined : readSession(db, seals, sid), rows, after);
}

/** Keeps what a command answered that found the session there; false where it is elsewhere, or the command was recorded before. */
export function insertCommand(
  db: SqliteDatabase,
  seals: Seals,
  { sid, revision, hash }: SessionPlace,
  { key, result }: RecordedCommand,
): boolean {
  const text = JSON.stringify(result);
  const added = db.run(
    `INSERT INTO commands (sid, key, result, seal)
     SELECT sid, ?, ?, ? FROM sessions WHERE sid = ? AND revision = ? AND hash = ? ON CONFLICT DO NOTHING`,
    [key, text, seals.make('command', [sid, key, text]), sid, revision, hash],
  );
  return added === 1;
}

export function readCommand(
  db: SqliteDatabase,
  seals: Seals,
  sid: string,
  key: string,
): JsonObject | undefined {
  const [row] = db.all(
    `SELECT ${textColumns('key', 'result', 'seal')} FROM commands WHERE sid = ? AND key = ?`,
    [sid, key],
  );
  return row && toCommand(seals, sid, row);
}

/** The number of an agent, where it has joined. */
export function agentNumber(
  db: SqliteDatabase,
  seals: Seals,
  sid: string,
  agent: string,
): number | undefined {
  const at = agentsOf(db, seals, sid).indexOf(agent);
  return at === -1 ? undefined : at + 1;
}

/** The number of an agent, which has joined after this. */
export function joinAgent(db: SqliteDatabase, seals: Seals, sid: string, agent: string): number {
  const agents = agentsOf(db, seals, sid);
  if (agents.includes(agent)) return agents.indexOf(agent) + 1;
  const number = agents.length + 1;
  const added = db.run(
    'INSERT INTO agents (sid, number, agent, seal) SELECT sid, ?, ?, ? FROM sessions WHERE sid = ?',
    [number, agent, seals.make('agent', [sid, number, agent]), sid],
  );
  if (added === 0) throw noSession(sid);
  return number;
}

export function agentsOf(db: SqliteDatabase, seals: Seals, sid: string): readonly string[] {
  const rows = db.all(
    `SELECT number, ${textColumns('agent', 'seal')} FROM agents WHERE sid = ? ORDER BY number`,
    [sid],
  );
  return toAgents(seals, rows.length === 0 ? undefined : readSession(db, seals, sid), rows);
}

export function insertDelivery(
  db: SqliteDatabase,
  seals: Seals,
  sid: string,
  { agent, digest }: { readonly agent: number; readonly digest: string },
): void {
  const seal = seals.make('delivery', [sid, agent, digest]);
  db.run(
    `INSERT INTO deliveries (sid, agent, digest, seal) SELECT sid, ?, ?, ? FROM sessions WHERE sid = ?
     ON CONFLICT DO UPDATE SET seal = excluded.seal`,
    [agent, digest, seal, sid],
  );
}

export function deleteDeliveries(db: SqliteDatabase, sid: string, agent: number): void {
  db.run('DELETE FROM deliveries WHERE sid = ? AND agent = ?', [sid, agent]);
}

export function deliveriesOf(
  db: SqliteDatabase,
  seals: Seals,
  sid: string,
  agent: number,
): readonly string[] {
  const columns = `agent, ${textColumns('digest', 'seal')}`;
  const rows: readonly SqlRow[] = db.all(`SELECT ${columns} FROM deliveries WHERE sid = ? AND agent = ?`, [
    sid,
    agent,
  ]);
  return toDelivered(seals, sid, rows).toSorted(byCodeUnits);
}
