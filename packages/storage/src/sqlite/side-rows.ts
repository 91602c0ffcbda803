import type { JsonObject } from '@workflowlookup/schema';
import { byCodeUnits } from '../by-code-units.ts';
import type { CallRecord, Range, RecordedCommand } from '../session-store.ts';
import { noSession } from '../sessions/no-session.ts';
import { checksum, guardedJson } from '../sql/guarded-json.ts';
import { toCalls } from '../sql/stored-contents.ts';
import type { SessionPlace } from '../sql/stored-session.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';

// What is kept beside the journal. Of a session that is gone, a call or a delivery is dropped.

/** Adds a call after those that are there. */
export function insertCall(db: SqliteDatabase, sid: string, text: string): void {
  db.run(
    `INSERT INTO calls (sid, n, call, crc)
     SELECT sid, (SELECT coalesce(max(n), 0) + 1 FROM calls WHERE calls.sid = sessions.sid), ?, ?
     FROM sessions WHERE sid = ?`,
    [text, checksum([text]), sid],
  );
}

export function readCalls(
  db: SqliteDatabase,
  sid: string,
  { after = 0, limit = -1 }: Range,
): readonly CallRecord[] {
  const rows = db.all(
    `SELECT n, ${textColumns('call')}, crc FROM calls WHERE sid = ? AND n > ? ORDER BY n LIMIT ?`,
    [sid, after, limit],
  );
  return toCalls(sid, rows, after);
}

/** Keeps what a command answered that found the session there; false where it is elsewhere, or the command was recorded before. */
export function insertCommand(
  db: SqliteDatabase,
  { sid, revision, hash }: SessionPlace,
  { key, result }: RecordedCommand,
): boolean {
  const text = JSON.stringify(result);
  const added = db.run(
    `INSERT INTO commands (sid, key, result, crc)
     SELECT sid, ?, ?, ? FROM sessions WHERE sid = ? AND revision = ? AND hash = ? ON CONFLICT DO NOTHING`,
    [key, text, checksum([text, key]), sid, revision, hash],
  );
  return added === 1;
}

export function readCommand(db: SqliteDatabase, sid: string, key: string): JsonObject | undefined {
  const row = db.all(`SELECT ${textColumns('key', 'result')}, crc FROM commands WHERE sid = ? AND key = ?`, [
    sid,
    key,
  ])[0];
  return row && guardedJson(row, 'result', { guarded: ['key'] });
}

/** The number of an agent, where it has joined. */
export function agentNumber(db: SqliteDatabase, sid: string, agent: string): number | undefined {
  const row = db.all('SELECT number FROM agents WHERE sid = ? AND agent = ?', [sid, agent])[0];
  return row && Number(row['number']);
}

/** The number of an agent, which has joined after this. */
export function joinAgent(db: SqliteDatabase, sid: string, agent: string): number {
  const known = agentNumber(db, sid, agent);
  if (known !== undefined) return known;
  const added = db.run(
    `INSERT INTO agents (sid, number, agent)
     SELECT sid, (SELECT count(*) + 1 FROM agents WHERE agents.sid = sessions.sid), ? FROM sessions WHERE sid = ?`,
    [agent, sid],
  );
  if (added === 0) throw noSession(sid);
  return agentNumber(db, sid, agent) ?? 0;
}

export function agentsOf(db: SqliteDatabase, sid: string): readonly string[] {
  const rows = db.all(`SELECT ${textColumns('agent')} FROM agents WHERE sid = ? ORDER BY number`, [sid]);
  return rows.map(({ agent }) => String(agent));
}

export function insertDelivery(
  db: SqliteDatabase,
  sid: string,
  { agent, digest }: { readonly agent: number; readonly digest: string },
): void {
  db.run(
    'INSERT INTO deliveries (sid, agent, digest) SELECT sid, ?, ? FROM sessions WHERE sid = ? ON CONFLICT DO NOTHING',
    [agent, digest, sid],
  );
}

export function deleteDeliveries(db: SqliteDatabase, sid: string, agent: number): void {
  db.run('DELETE FROM deliveries WHERE sid = ? AND agent = ?', [sid, agent]);
}

export function deliveriesOf(db: SqliteDatabase, sid: string, agent: number): readonly string[] {
  const rows = db.all(`SELECT ${textColumns('digest')} FROM deliveries WHERE sid = ? AND agent = ?`, [
    sid,
    agent,
  ]);
  return rows.map(({ digest }) => String(digest)).toSorted(byCodeUnits);
}
