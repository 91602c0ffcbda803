import { canonicalJson, digestOf } from '@workflowlookup/schema';
import type { CallAndAgentMethods, ContentMethods } from '../../sessions/checked-store.ts';
import { noSession } from '../../errors.ts';
import type { Reading, Seals } from '../../sessions/session-store.ts';
import { byCodeUnits } from '../../workflow-store.ts';
import {
  isKeptDefinition,
  toBlob,
  toDefinition,
  toAgents,
  toCalls,
  toDelivered,
} from '../stored-contents.ts';
import type { SqlRow } from '../stored-sessions.ts';
import type { CallTrace, DelayedWrite, WaitingCall, WaitingWrite, WriteBehind } from '../write-behind.ts';
import type { Connection, PostgresDatabase, Task } from './connection.ts';
import { callArrays, insertedCalls, maxNumber, readSession } from './journal.ts';

/** The methods of a Postgres store for definitions and large values. Existing ones are not sent again. */
export function contentMethods(connection: Connection, seals: Seals, now: () => number): ContentMethods {
  const at = (): string => new Date(now()).toISOString();

  async function definition(digest: string): Promise<SqlRow | undefined> {
    const [row] = await connection.all('SELECT body, seal FROM definitions WHERE digest = $1', [digest]);
    return row;
  }

  return {
    async putDefinition(digest, body, { isUnsealed = false, isServed = false } = {}) {
      const text = JSON.stringify(body);
      const found = await definition(digest);
      if (found !== undefined && isKeptDefinition(seals, found, { digest, body, isServed })) return;
      if (isUnsealed) {
        await connection.all(
          'INSERT INTO definitions (digest, body, put_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          [digest, text, at()],
        );
        return;
      }
      await connection.all(
        `INSERT INTO definitions (digest, body, seal, put_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (digest) DO UPDATE SET body = excluded.body, seal = excluded.seal`,
        [digest, text, seals.make('definition', [digest, text]), at()],
      );
    },
    async getDefinition(digest, options) {
      const row = await definition(digest);
      return row && toDefinition(seals, digest, row, options);
    },
    async putBlob(value) {
      const text = canonicalJson(value);
      const digest = digestOf(value);
      const [kept] = await connection.all('SELECT 1 FROM blobs WHERE digest = $1', [digest]);
      if (kept !== undefined) return digest;
      await connection.all(
        'INSERT INTO blobs (digest, value, put_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        [digest, text, at()],
      );
      return digest;
    },
    async getBlob(digest) {
      const [row] = await connection.all('SELECT value FROM blobs WHERE digest = $1', [digest]);
      return row && toBlob(digest, String(row['value']));
    },
    async blobs(sid) {
      const rows = await connection.all('SELECT digest FROM session_blobs WHERE sid = $1', [sid]);
      return rows.map(({ digest }) => String(digest)).toSorted(byCodeUnits);
    },
  };
}

export function callAndAgentMethods(
  connection: Connection,
  seals: Seals,
  { behind, trace }: { readonly behind: WriteBehind<DelayedWrite<Task<void>>>; readonly trace: CallTrace },
): CallAndAgentMethods {
  return {
    recordCall: trace.record,
    async calls(sid, { after = 0, limit = Infinity, ...reading } = {}) {
      await behind.settle(sid);
      const rows = await connection.all(
        'SELECT writer, seq, call, seal FROM calls WHERE sid = $1 ORDER BY n LIMIT $3 OFFSET $2',
        [sid, Math.min(after, maxNumber), Math.min(limit, maxNumber)],
      );
      const session = rows.length === 0 ? undefined : await readSession(connection, seals, sid, reading);
      return toCalls(seals, session, rows, after);
    },
    async joinAgent(sid, agent) {
      const known = (await agentsOf(connection, seals, sid)).indexOf(agent);
      return known === -1 ? connection.write((db) => joinAgent(db, seals, sid, agent)) : known + 1;
    },
    agents: (sid, reading) => agentsOf(connection, seals, sid, reading),
    async delivered(sid, agent) {
      await behind.settle(sid);
      const sent = 'SELECT agent, digest, seal FROM deliveries WHERE sid = $1 AND agent = $2';
      const rows = await connection.all(sent, [sid, agent]);
      return toDelivered(seals, sid, rows).toSorted(byCodeUnits);
    },
    async markDelivered(sid, agent, digests) {
      const all = [...digests];
      await behind.add(sid, () => ({
        task: (db) => insertDeliveries(db, seals, sid, { agent, digests: all }),
      }));
    },
    async resetDelivered(sid, agent) {
      await behind.add(sid, () => ({ task: (db) => deleteDeliveries(db, sid, agent) }));
    },
  };
}

/**
 * Does delayed writes in one transaction. Sessions are always locked in the same order, so that replicas do not
 * deadlock.
 */
export async function writeDelayed(
  connection: Connection,
  writes: readonly WaitingWrite<DelayedWrite<Task<void>>>[],
): Promise<void> {
  const sids = [...new Set(writes.map(({ sid }) => sid))].toSorted(byCodeUnits);
  const calls = writes.flatMap(({ task }) => ('call' in task ? [task.call] : []));
  const tasks = writes.flatMap(({ task }) => ('task' in task ? [task.task] : []));
  await connection.write(async (db) => {
    await lockSessions(db, sids);
    if (calls.length > 0) await insertCalls(db, calls);
    for (const task of tasks) await task(db);
  });
}

// A call or a delivery for a deleted session is dropped.

/** Adds calls after the existing ones, in this order. A call that is already stored is not added again. */
async function insertCalls(db: PostgresDatabase, calls: readonly WaitingCall[]): Promise<void> {
  await db.all(
    `INSERT INTO calls (sid, writer, seq, call, seal)
     SELECT call.sid, call.writer, call.seq, call.text, call.seal FROM ${insertedCalls(1)}
     WHERE EXISTS (SELECT FROM sessions WHERE sessions.sid = call.sid)
     ORDER BY call.place ON CONFLICT DO NOTHING`,
    callArrays(calls),
  );
}

/**
 * Locks these sessions, one after the other, against other writes to calls, agents and deliveries until the transaction
 * ends.
 */
async function lockSessions(db: PostgresDatabase, sids: readonly string[]): Promise<void> {
  await db.all('SELECT pg_advisory_xact_lock(hashtextextended(sid, 0)) FROM unnest($1::text[]) AS sid', [
    sids,
  ]);
}

/** Returns the agents of a session in the order in which they joined. */
async function agentsOf(
  db: PostgresDatabase,
  seals: Seals,
  sid: string,
  reading: Reading = {},
): Promise<readonly string[]> {
  const rows = await db.all('SELECT number, agent, seal FROM agents WHERE sid = $1 ORDER BY number', [sid]);
  // The session is read after the names, so that the names are checked against the latest state of the session.
  return toAgents(seals, rows.length === 0 ? undefined : await readSession(db, seals, sid, reading), rows);
}

/** Adds an agent if it is new and returns its number. Agents of one session join one after the other. */
async function joinAgent(db: PostgresDatabase, seals: Seals, sid: string, agent: string): Promise<number> {
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

async function insertDeliveries(
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

async function deleteDeliveries(db: PostgresDatabase, sid: string, agent: number): Promise<void> {
  await db.all('DELETE FROM deliveries WHERE sid = $1 AND agent = $2', [sid, agent]);
}
