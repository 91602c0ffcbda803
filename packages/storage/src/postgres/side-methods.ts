import { randomUUID } from 'node:crypto';
import { byCodeUnits } from '../by-code-units.ts';
import type { SideMethods } from '../sessions/store-parts.ts';
import { toCalls } from '../sql/stored-contents.ts';
import type { WaitingWrite, WriteBehind } from '../sql/write-behind.ts';
import type { Connection } from './connection.ts';
import type { Task } from './database.ts';
import { mostNumber } from './read-session.ts';
import type { WaitingCall } from './side-rows.ts';
import {
  agentNumber,
  deleteDeliveries,
  holdSides,
  insertCalls,
  insertDeliveries,
  joinAgent,
} from './side-rows.ts';

/** What is written beside a journal, a little later: a call, of which many are written at once, or something else. */
export type SideWrite = { readonly call: WaitingCall } | { readonly task: Task<void> };

/** What a Postgres store keeps beside the journals. */
export function sideMethods(connection: Connection, behind: WriteBehind<SideWrite>): SideMethods {
  return {
    async recordCall(sid, call) {
      // Taken as it is now: the caller may go on to change it.
      await behind.add(sid, { call: { sid, id: randomUUID(), text: JSON.stringify(call) } });
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
      await behind.add(sid, { task: (db) => insertDeliveries(db, sid, { agent, digests: all }) });
    },
    async resetDelivered(sid, agent) {
      await behind.add(sid, { task: (db) => deleteDeliveries(db, sid, agent) });
    },
  };
}

/**
 * Does writes that were left behind in one transaction. Sessions are held in one order everywhere, so that replicas never
 * wait for each other in a circle.
 */
export async function writeBehind(
  connection: Connection,
  writes: readonly WaitingWrite<SideWrite>[],
): Promise<void> {
  const sids = [...new Set(writes.map(({ sid }) => sid))].toSorted(byCodeUnits);
  const calls = writes.flatMap(({ task }) => ('call' in task ? [task.call] : []));
  const tasks = writes.flatMap(({ task }) => ('task' in task ? [task.task] : []));
  await connection.write(async (db) => {
    await holdSides(db, sids);
    if (calls.length > 0) await insertCalls(db, calls);
    for (const task of tasks) await task(db);
  });
}
