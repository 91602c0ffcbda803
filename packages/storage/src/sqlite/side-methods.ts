import type { SessionStore } from '../session-store.ts';
import { checkTexts, isSid } from '../sessions/check-write.ts';
import { noSession } from '../sessions/no-session.ts';
import type { Connection } from './connection.ts';
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
import type { WriteBehind } from './write-behind.ts';

type SideMethods = Pick<
  SessionStore,
  'recordCall' | 'calls' | 'joinAgent' | 'agents' | 'delivered' | 'markDelivered' | 'resetDelivered'
>;

/** What a SQLite store keeps beside the journals. */
export function sideMethods(connection: Connection, behind: WriteBehind): SideMethods {
  return {
    async recordCall(sid, call) {
      if (!isSid(sid)) return;
      // Taken as it is now: the caller may go on to change it.
      const text = JSON.stringify(call);
      await behind.add(sid, (db) => insertCall(db, sid, text));
    },
    async calls(sid, range = {}) {
      if (!isSid(sid)) return [];
      await behind.settle(sid);
      return connection.read((db) => readCalls(db, sid, range));
    },
    async joinAgent(sid, agent) {
      checkTexts({ agent });
      if (!isSid(sid)) throw noSession(sid);
      const known = await connection.read((db) => agentNumber(db, sid, agent));
      return known ?? connection.write((db) => joinAgent(db, sid, agent));
    },
    async agents(sid) {
      return isSid(sid) ? connection.read((db) => agentsOf(db, sid)) : [];
    },
    async delivered(sid, agent) {
      if (!isSid(sid)) return [];
      await behind.settle(sid);
      return connection.read((db) => deliveriesOf(db, sid, agent));
    },
    async markDelivered(sid, agent, digests) {
      checkTexts(digests);
      if (!isSid(sid)) return;
      const all = [...digests];
      await behind.add(sid, (db) => {
        for (const digest of all) insertDelivery(db, sid, { agent, digest });
      });
    },
    async resetDelivered(sid, agent) {
      if (isSid(sid)) await behind.add(sid, (db) => deleteDeliveries(db, sid, agent));
    },
  };
}
