import { randomUUID } from 'node:crypto';
import { byCodeUnits } from '../by-code-units.ts';
import type { SideMethods } from '../sessions/store-parts.ts';
import { toCalls } from '../sql/stored-contents.ts';
import type { WaitingWrite, WriteBehind } from '../sql/write-behind.ts';
import type { Connection } from './connection.ts';
import type { Task } from './database.ts';
import { mostNumber } from './read-session.ts';
import {
  agentNumber,
  deleteDeliveries,
  holdCalls,
  insertCall,
  insertDeliveries,
  joinAgent,
} from './side-rows.ts';

/** What a Postgres store keeps beside the journals. */
export function sideMethods(connection: Connection, behind: WriteBehind<Task<void>>): SideMethods {
  return {
    async recordCall(sid, call) {
      // Taken as it is now: the caller may go on to change it. The id tells it from its own repetition.
      const kept = { id: randomUUID(), text: JSON.stringify(call) };
      await behind.add(sid, (db) => insertCall(db, sid, kept));
    },
    async calls(sid, { after = 0, limit = Infinity } = {}) {
      await behind.settle(sid);
      const rows = await connection.all(
        'SELECT n, call, crc FROM calls WHERE sid = $1 AND n > $2 ORDER BY n LIMIT $3',
        [sid, Math.min(after, mostNumber), Math.min(limit, mostNumber)],
      );
      return toCalls(sid, rows, after);
    },
    async joinAgent(sid, agent) {
      const known = await agentNumber(connection, sid, agent);
      return known ?? connection.write((db) => joinAgent(db, sid, agent));
    },
    async agents(sid) {
      const rows = await connection.all('SELECT agent FROM agents WHERE sid = $1 ORDER BY number', [sid]);
      return rows.map(({ agent }) => String(agent));
    },
    async delivered(sid, agent) {
      await behind.settle(sid);
      const sent = 'SELECT digest FROM deliveries WHERE sid = $1 AND agent = $2';
      const rows = await connection.all(sent, [sid, agent]);
      return rows.map(({ digest }) => String(digest)).toSorted(byCodeUnits);
    },
    async markDelivered(sid, agent, digests) {
      const all = [...digests];
      await behind.add(sid, (db) => insertDeliveries(db, sid, { agent, digests: all }));
    },
    async resetDelivered(sid, agent) {
      await behind.add(sid, (db) => deleteDeliveries(db, sid, agent));
    },
  };
}

/** Does writes that were left behind in one transaction. Sessions have their turn in one order everywhere, so that replicas never wait for each other in a circle. */
export async function writeBehind(
  connection: Connection,
  writes: readonly WaitingWrite<Task<void>>[],
): Promise<void> {
  const bySession = writes.toSorted((a, b) => byCodeUnits(a.sid, b.sid));
  await connection.write(async (db) => {
    let held: string | undefined;
    for (const { sid, task } of bySession) {
      if (sid !== held) await holdCalls(db, sid);
      held = sid;
      await task(db);
    }
  });
}
