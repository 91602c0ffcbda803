import type { AccessStore } from '@workflowlookup/storage';
import { LRUCache } from 'lru-cache';

/** How long a cached answer is used, counted from the request. */
const maxAgeMs = 1_000;

/** How many answers of each kind are cached. */
const most = 10_000;

/**
 * Caches lookups in a database on another machine: each key or revoked id is looked up at most once a second. A
 * revocation made through this store takes effect at once, and one made elsewhere within a second.
 */
export function cachedAccess(store: AccessStore, now = (): number => performance.now()): AccessStore {
  const keys = remember((id) => store.findApiKey(id), now);
  const revoked = remember((id) => store.isRevoked(id), now);
  return {
    ...store,
    findApiKey: keys.ask,
    isRevoked: revoked.ask,
    async changeApiKeyHash(id, change) {
      const isChanged = await store.changeApiKeyHash(id, change);
      keys.forget(id);
      return isChanged;
    },
    async revokeApiKey(id, at) {
      const isThere = await store.revokeApiKey(id, at);
      keys.forget(id);
      return isThere;
    },
    async revokeId(id, until) {
      await store.revokeId(id, until);
      revoked.forget(id);
    },
  };
}

interface Memory<T> {
  ask(id: string): Promise<T>;
  forget(id: string): void;
}

/**
 * Caches the promise of each lookup, so that simultaneous requests share one. Its age counts from the start of the
 * lookup.
 */
function remember<T>(ask: (id: string) => Promise<T>, now: () => number): Memory<T> {
  const asked = new LRUCache<string, Promise<T>>({
    max: most,
    ttl: maxAgeMs,
    ttlResolution: 0,
    perf: { now },
  });
  return {
    ask(id) {
      const known = asked.get(id);
      if (known !== undefined) return known;
      const answer = ask(id);
      asked.set(id, answer);
      // Failures are not cached.
      answer.catch(() => asked.delete(id));
      return answer;
    },
    forget: (id) => void asked.delete(id),
  };
}
