import type { AccessStore } from '../access-store.ts';
import { checkTexts, checkTime, isPlainText } from '../sessions/check-write.ts';

/** Puts the checks of the contract before a store, so that no database meets what not every database could keep. */
export function checkedAccess(store: AccessStore): AccessStore {
  return {
    apiKeys: store.apiKeys,
    async addApiKey(key) {
      checkTexts({ ...key });
      checkTexts(key.scopes);
      checkTime(key.createdAt);
      return store.addApiKey(key);
    },
    findApiKey: async (id) => (isPlainText(id) ? store.findApiKey(id) : undefined),
    async changeApiKeyHash(id, change) {
      checkTexts({ ...change });
      return isPlainText(id) && store.changeApiKeyHash(id, change);
    },
    async revokeApiKey(id, at) {
      checkTime(at);
      return isPlainText(id) && store.revokeApiKey(id, at);
    },
    async revokeId(id, until) {
      checkTexts({ id });
      checkTime(until);
      return store.revokeId(id, until);
    },
    isRevoked: async (id) => isPlainText(id) && store.isRevoked(id),
    async noteTokenKeys(fingerprints) {
      checkTexts(fingerprints);
      return store.noteTokenKeys(fingerprints);
    },
  };
}
