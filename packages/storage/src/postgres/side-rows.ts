import { noSession } from '../sessions/no-session.ts';
import { checksum } from '../sql/guarded-json.ts';
import type { PostgresDatabase } from './database.ts';

// What is kept beside the journal. Of a session that is gone, a call or a delivery is dropped.

/** Adds a call after those that are there; one that was added before is not added again. */
export async function insertCall(
  db: PostgresDatabase,
  sid: string,
  { id, text }: { readonly id: string; readonly text: string },
): Promise<void> {
  await db.all(
    `INSERT INTO calls (sid, n, id, call, crc)
     SELECT sid, (SELECT coalesce(max(n), 0) + 1 FROM calls WHERE calls.sid = sessions.sid), $2, $3, $4
     FROM sessions WHERE sid = $1
     ON CONFLICT (id) DO NOTHING`,
    [sid, id, text, checksum([text])],
  );
}

/** Until the transaction ends, no other one numbers calls of this session. */
export async function holdCalls(db: PostgresDatabase, sid: string): Promise<void> {
  await db.all('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [sid]);
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
