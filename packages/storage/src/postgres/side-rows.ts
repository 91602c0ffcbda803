import { noSession } from '../sessions/no-session.ts';
import { checksum } from '../sql/guarded-json.ts';
import type { PostgresDatabase } from './database.ts';

// What is kept beside the journal. Of a session that is gone, a call or a delivery is dropped.

/** A call on its way into the trace of a session. The id tells it from its own repetition. */
export interface WaitingCall {
  readonly sid: string;
  readonly id: string;
  readonly text: string;
}

/**
 * Adds calls after those that are there, of each session in this order; one that was added before is not added again.
 * Nobody else may number calls of these sessions meanwhile.
 */
export async function insertCalls(db: PostgresDatabase, calls: readonly WaitingCall[]): Promise<void> {
  await db.all(
    `INSERT INTO calls (sid, n, id, call, crc)
     SELECT one.sid,
       (SELECT coalesce(max(n), 0) FROM calls WHERE calls.sid = one.sid)
         + row_number() OVER (PARTITION BY one.sid ORDER BY one.place),
       one.id, one.call, one.crc
     FROM unnest($1::text[], $2::uuid[], $3::text[], $4::bigint[]) WITH ORDINALITY AS one (sid, id, call, crc, place)
     WHERE EXISTS (SELECT FROM sessions WHERE sessions.sid = one.sid)
       AND NOT EXISTS (SELECT FROM calls WHERE calls.sid = one.sid AND calls.id = one.id)`,
    [
      calls.map(({ sid }) => sid),
      calls.map(({ id }) => id),
      calls.map(({ text }) => text),
      calls.map(({ text }) => checksum([text])),
    ],
  );
}

/** Until the transaction ends, no other one writes beside the journals of these sessions, which are held one after the other. */
export async function holdSides(db: PostgresDatabase, sids: readonly string[]): Promise<void> {
  await db.all('SELECT pg_advisory_xact_lock(hashtextextended(sid, 0)) FROM unnest($1::text[]) AS sid', [
    sids,
  ]);
}

/** The number of an agent, where it has joined. */
export async function agentNumber(
  db: PostgresDatabase,
  sid: string,
  agent: string,
): Promise<number | undefined> {
  const [row] = await db.all('SELECT number FROM agents WHERE sid = $1 AND agent = $2', [sid, agent]);
  return row && Number(row['number']);
}

/** The number of an agent, which has joined after this. Agents of one session join one after the other. */
export async function joinAgent(db: PostgresDatabase, sid: string, agent: string): Promise<number> {
  const held = await db.all('SELECT 1 FROM sessions WHERE sid = $1 FOR NO KEY UPDATE', [sid]);
  if (held.length === 0) throw noSession(sid);
  const known = await agentNumber(db, sid, agent);
  if (known !== undefined) return known;
  const [row] = await db.all(
    `INSERT INTO agents (sid, number, agent)
     SELECT $1, (SELECT count(*) + 1 FROM agents WHERE sid = $1), $2 RETURNING number`,
    [sid, agent],
  );
  return Number(row?.['number']);
}

export async function insertDeliveries(
  db: PostgresDatabase,
  sid: string,
  { agent, digests }: { readonly agent: number; readonly digests: readonly string[] },
): Promise<void> {
  await db.all(
    `INSERT INTO deliveries (sid, agent, digest)
     SELECT sid, $2, sent.digest FROM sessions, unnest($3::text[]) AS sent (digest) WHERE sid = $1 ON CONFLICT DO NOTHING`,
    [sid, agent, digests],
  );
}

export async function deleteDeliveries(db: PostgresDatabase, sid: string, agent: number): Promise<void> {
  await db.all('DELETE FROM deliveries WHERE sid = $1 AND agent = $2', [sid, agent]);
}
