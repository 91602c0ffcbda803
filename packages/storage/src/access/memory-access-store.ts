import type { AccessStore, ApiKeyRecord } from '../access-store.ts';
import { byCodeUnits } from '../by-code-units.ts';
import type { Run } from '../sessions/memory-tables.ts';
import { keep } from '../sessions/memory-tables.ts';
import { checkedAccess } from './checked-access.ts';
import { longOver } from './long-over.ts';

/** Keeps in memory who may come in. */
export function memoryAccessStore(run: Run, now: () => number): AccessStore {
  return checkedAccess({
    addApiKey: (key) =>
      run(({ apiKeys }) => {
        const isFree = !apiKeys.has(key.id);
        if (isFree) apiKeys.set(key.id, keep<ApiKeyRecord>(key));
        return isFree;
      }),
    apiKeys: () => run(({ apiKeys }) => [...apiKeys.values()].toSorted(byAge)),
    findApiKey: (id) => run(({ apiKeys }) => apiKeys.get(id)),
    changeApiKeyHash: (id, { before, after }) =>
      run(({ apiKeys }) => {
        const key = apiKeys.get(id);
        if (key?.hash !== before) return false;
        apiKeys.set(id, keep({ ...key, hash: after }));
        return true;
      }),
    revokeApiKey: (id, at) =>
      run(({ apiKeys }) => {
        const key = apiKeys.get(id);
        if (key !== undefined) apiKeys.set(id, keep({ revokedAt: at, ...key }));
        return key !== undefined;
      }),
    revokeId: (id, until) =>
      run(({ revokedIds }) => {
        const over = longOver(now());
        for (const [old, end] of revokedIds) if (end < over) revokedIds.delete(old);
        const before = revokedIds.get(id) ?? '';
        revokedIds.set(id, before > until ? before : until);
      }),
    isRevoked: (id) => run(({ revokedIds }) => revokedIds.has(id)),
    noteTokenKeys: (fingerprints) =>
      run(({ tokenKeys }) => {
        const isOurs = tokenKeys.size === 0 || fingerprints.some((one) => tokenKeys.has(one));
        if (isOurs) for (const one of fingerprints) tokenKeys.add(one);
        return isOurs;
      }),
  });
}

function byAge(a: ApiKeyRecord, b: ApiKeyRecord): number {
  return byCodeUnits(a.createdAt, b.createdAt) || byCodeUnits(a.id, b.id);
}
