import type { Seals } from '../session-store.ts';
import type { SideMethods } from '../sessions/store-parts.ts';
import type { CallTrace, SideWrite } from '../sql/call-writer.ts';
import type { WriteBehind } from '../sql/write-behind.ts';
import type { Connection, Task } from './connection.ts';
import {
  agentNumber,
  agentsOf,
  deleteDeliveries,
  deliveriesOf,
  insertDelivery,
  joinAgent,
  readCalls,
} from './side-rows.ts';

/** What a SQLite store keeps beside the journals. */
export function sideMethods(
  connection: Connection,
  seals: Seals,
  { behind, trace }: { readonly behind: WriteBehind<SideWrite<Task<void>>>; readonly trace: CallTrace },
): SideMethods {
  return {
    recordCall: trace.record,
    async calls(sid, range) {
      await behind.settle(sid);
      return connection.read((db) => readCalls(db, seals, sid, range));
    },
    async joinAgent(sid, agent) {
      const known = await connection.read((db) => agentNumber(db, seals, sid, agent));
      return known ?? connection.write((db) => joinAgent(db, seals, sid, agent));
    },
    async agents(sid) {
      return connection.read((db) => agentsOf(db, seals, sid));
    },
    async delivered(sid, agent) {
      await behind.settle(sid);
      return connection.read((db) => deliveriesOf(db, seals, sid, agent));
    },
    async markDelivered(sid, agent, digests) {
      const all = [...digests];
      const task: Task<void> = (db) => {
        for (const digest of all) insertDelivery(db, seals, sid, { agent, digest });
      };
      await behind.add(sid, () => ({ task }));
    },
    async resetDelivered(sid, agent) {
      await behind.add(sid, () => ({ task: (db) => deleteDeliveries(db, sid, agent) }));
    },
  };
}
