import type { Seals } from '../session-store.ts';
import { noSession } from '../sessions/no-session.ts';
import type { WaitingCall } from '../sql/call-writer.ts';
import { toAgents } from '../sql/stored-contents.ts';
import type { PostgresDatabase } from './database.ts';
import { readSession } from './read-session.ts';
import { callArrays, insertedCalls } from './write-session.ts';

// What is kept beside the journal. Of a session that is gone, a call or a delivery is dropped.

/** Adds calls after those that are there, of each session in this order; one that was added before is not added again. */
export async function insertCalls(db: PostgresDatabase, calls: readonly WaitingCall[]): Promise<void> {
  await db.all(
    `INSERT INTO calls (sid, writer, seq, call, seal)
     SELECT call.sid, call.writer, call.seq, call.text, call.seal FROM ${insertedCalls(1)}
     WHERE EXISTS (SELECT FROM sessions WHERE sessions.sid = call.sid)
     ORDER BY call.place ON CONFLICT DO NOTHING`,
    callArrays(calls),
  );
}

/** Until the transaction ends, no other one writes beside the journals of these sessions, which are held one after the other. */
export async function holdSides(db: PostgresDatabase, sids: readonly string[]): Promise<void> {
  await db.all('SELECT pg_advisory_xact_lock(hashtextextended(sid, 0)) FROM unnest($1::text[]) AS sid', [
    sids,
  ]);
}

/** The agents of a session, in the order they joined. */
export async function agentsOf(db: PostgresDatabase, seals: Seals, sid: string): Promise<readonly string[]> {
  const rows = await db.all('SELECT number, agent, seal FROM agents WHERE sid = $1 ORDER BY number', [sid]);
  return toAgents(seals, rows.length === 0 ? undefined : await readSession(db, seals, sid), rows);
}

/** The number of an agent, which has joined after this. Agents of one session join one after the other. */
export async function joinAgent(
  db: PostgresDatabase,
  seals: Seals,
  sid: string,
  agent: string,
): Promise<number> {
  const held = await db.all('SELECT 1 FROM sessions WHERE sid = $1 FOR NO KEY UPDATE', [sid]);
  if (held.length === 0) throw noSession(sid);
  const agents = await agentsOf(db, seals, sid);
  if (agents.includes(agent)) return agents.indexOf(agent) + 1;
  const number = agents.length + 1;
  const seal = seals.make('agent', [sid, number, agent]);
  await db.all('INSERT INTO agents (sid, number, agent, seal) VALUES ($1, $2, $3, $4)', [
    sid,
    number,
    agent,
    seal,
  ]);
  return number;
}

export async function insertDeliveries(
  db: PostgresDatabase,
  seals: Seals,
  sid: string,
  { agent, digests }: { readonly agent: number; readonly digests: readonly string[] },
): Promise<void> {
  const all = [...new Set(digests)];
  await db.all(
    `INSERT INTO deliveries (sid, agent, digest, seal)
     SELECT sid, $2, sent.digest, sent.seal FROM sessions, unnest($3::text[], $4::text[]) AS sent (digest, seal)
     WHERE sid = $1 ON CONFLICT (sid, agent, digest) DO UPDATE SET seal = excluded.seal`,
    [sid, agent, all, all.map((digest) => seals.make('delivery', [sid, agent, digest]))],
  );
}

export async function deleteDeliveries(db: PostgresDatabase, sid: string, agent: number): Promise<void> {
  await db.all('DELETE FROM deliveries WHERE sid = $1 AND agent = $2', [sid, agent]);
}
