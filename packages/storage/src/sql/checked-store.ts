import type { SessionStore } from '../session-store.ts';
import {
  checkNewSession,
  checkTexts,
  checkTime,
  checkWrite,
  isPlainText,
  isSid,
} from '../sessions/check-write.ts';
import { noSession } from '../sessions/no-session.ts';
import { pageStart } from '../sessions/page-cursor.ts';
import type { SideMethods } from '../sessions/store-parts.ts';

/**
 * Puts the checks of the contract before a store, so that no database meets what not every database could keep:
 * such a write is refused, and nothing is found under such an id.
 */
export function checkedStore(store: SessionStore): SessionStore {
  return {
    ...store,
    ...checkedJournals(store),
    ...checkedSides(store),
    async putDefinition(digest, body, options) {
      checkTexts({ digest });
      return store.putDefinition(digest, body, options);
    },
    getDefinition: async (digest, options) =>
      isPlainText(digest) ? store.getDefinition(digest, options) : undefined,
    getBlob: async (digest) => (isPlainText(digest) ? store.getBlob(digest) : undefined),
    blobs: async (sid) => (isSid(sid) ? store.blobs(sid) : []),
    async prune(request) {
      checkTime(request.before);
      return store.prune(request);
    },
  };
}

type Journals = Pick<SessionStore, 'create' | 'load' | 'append' | 'recorded' | 'events' | 'find'>;

function checkedJournals(store: SessionStore): Journals {
  return {
    async create(session, write) {
      checkNewSession(session, write);
      return store.create(session, write);
    },
    load: async (sid) => (isSid(sid) ? store.load(sid) : undefined),
    async append(sid, revision, write) {
      checkWrite({ revision }, write);
      return isSid(sid) && store.append(sid, revision, write);
    },
    recorded: async (sid, key) => (isSid(sid) && isPlainText(key) ? store.recorded(sid, key) : undefined),
    events: async (sid, range) => (isSid(sid) ? store.events(sid, range) : []),
    async find(query, page = {}) {
      pageStart(page);
      checkTexts(query);
      return store.find(query, page);
    },
  };
}

function checkedSides(store: SessionStore): SideMethods {
  return {
    async recordCall(sid, call) {
      if (isSid(sid)) await store.recordCall(sid, call);
    },
    calls: async (sid, range) => (isSid(sid) ? store.calls(sid, range) : []),
    async joinAgent(sid, agent) {
      checkTexts({ agent });
      if (!isSid(sid)) throw noSession(sid);
      return store.joinAgent(sid, agent);
    },
    agents: async (sid) => (isSid(sid) ? store.agents(sid) : []),
    delivered: async (sid, agent) => (isSid(sid) ? store.delivered(sid, agent) : []),
    async markDelivered(sid, agent, digests) {
      checkTexts(digests);
      if (isSid(sid)) await store.markDelivered(sid, agent, digests);
    },
    async resetDelivered(sid, agent) {
      if (isSid(sid)) await store.resetDelivered(sid, agent);
    },
  };
}
