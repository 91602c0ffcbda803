import { byCodeUnits } from '../by-code-units.ts';
import type { Seals } from '../session-store.ts';
import type { SideMethods } from '../sessions/store-parts.ts';
import type { CallTrace, SideWrite } from '../sql/call-writer.ts';
import { toCalls, toDelivered } from '../sql/stored-contents.ts';
import type { WaitingWrite, WriteBehind } from '../sql/write-behind.ts';
import type { Connection } from './connection.ts';
import type { Task } from './database.ts';
import { mostNumber, readSession } from './read-session.ts';
import {
  agentsOf,
  deleteDeliveries,
  holdSides,
  insertCalls,
  insertDeliveries,
  joinAgent,
} from './side-rows.ts';

/** What a Postgres store keeps beside the journals. */
export function sideMethods(
  connection: Connection,
  seals: Seals,
  { behind, trace }: { readonly behind: WriteBehind<SideWrite<Task<void>>>; readonly trace: CallTrace },
): SideMethods {
  return {
    recordCall: trace.record,
    async calls(sid, { after = 0, limit = Infinity } = {}) {
      await behind.settle(sid);
      const rows = await connection.all(
        'SELECT writer, seq, call, seal FROM calls WHERE sid = $1 ORDER BY n LIMIT $3 OFFSET $2',
        [sid, Math.min(after, mostNumber), Math.min(limit, mostNumber)],
      );
      const session = rows.length === 0 ? undefined : await readSession(connection, seals, sid);
      return toCalls(seals, session, rows, after);
    },
    async joinAgent(sid, agent) {
      const known = (await agentsOf(connection, seals, sid)).indexOf(agent);
      return known === -1 ? connection.write((db) => joinAgent(db, seals, sid, agent)) : known + 1;
    },
    agents: (sid) => agentsOf(connection, seals, sid),
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
 * Does writes that were left behind in one transaction. Sessions are held in one order everywhere, so that replicas never
 * wait for each other in a circle.
 */
export async function writeBehind(
  connection: Connection,
  writes: readonly WaitingWrite<SideWrite<Task<void>>>[],
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
