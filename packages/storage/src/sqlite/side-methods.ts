import type { SideMethods } from '../sessions/store-parts.ts';
import type { WriteBehind } from '../sql/write-behind.ts';
import type { Connection, Task } from './connection.ts';
import {
  agentNumber,
  agentsOf,
  deleteDeliveries,
  deliveriesOf,
  insertCall,
  insertDelivery,
  joinAgent,
  readCalls,
} from './side-rows.ts';

/** What a SQLite store keeps beside the journals. */
export function sideMethods(connection: Connection, behind: WriteBehind<Task<void>>): SideMethods {
  return {
    async recordCall(sid, call) {
      // Taken as it is now: the caller may go on to change it.
      const text = JSON.stringify(call);
      await behind.add(sid, (db) => insertCall(db, sid, text));
    },
    async calls(sid, range = {}) {
      await behind.settle(sid);
      return connection.read((db) => readCalls(db, sid, range));
    },
    async joinAgent(sid, agent) {
      const known = await connection.read((db) => agentNumber(db, sid, agent));
      return known ?? connection.write((db) => joinAgent(db, sid, agent));
    },
    async agents(sid) {
      return connection.read((db) => agentsOf(db, sid));
    },
    async delivered(sid, agent) {
      await behind.settle(sid);
      return connection.read((db) => deliveriesOf(db, sid, agent));
    },
    async markDelivered(sid, agent, digests) {
      const all = [...digests];
      await behind.add(sid, (db) => {
        for (const digest of all) insertDelivery(db, sid, { agent, digest });
      });
    },
    async resetDelivered(sid, agent) {
      await behind.add(sid, (db) => deleteDeliveries(db, sid, agent));
    },
  };
}
