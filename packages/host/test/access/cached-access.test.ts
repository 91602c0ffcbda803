import type { AccessStore } from '@workflowlookup/storage';
import { createMemorySessionStore } from '@workflowlookup/storage/memory';
import { describe, expect, test } from 'vitest';
import { cachedAccess } from '../../src/access/cached-access.ts';

const [at, never] = ['2026-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'];
const key = { id: 'a', principal: 'ann', scopes: ['read'], createdAt: at, hash: 'h' };

/** Makes a store that counts its calls, and a cache in front of it. */
async function place() {
  const store = createMemorySessionStore().access;
  await store.addApiKey(key);
  let asked = 0;
  let now = 1;
  const counting = {
    ...store,
    findApiKey: async (id: string) => {
      asked += 1;
      return store.findApiKey(id);
    },
    isRevoked: async (id: string) => {
      asked += 1;
      return store.isRevoked(id);
    },
  } satisfies AccessStore;
  const cached = cachedAccess(counting, () => now);
  const pass = (ms: number): void => void (now += ms);
  return { store, cached, asked: () => asked, pass };
}

describe('The cached data about credentials', () => {
  test('is requested at most once a second, even if the database has no such key', async () => {
    const { cached, asked, pass } = await place();
    const ask = async () => [
      await cached.findApiKey('a'),
      await cached.findApiKey('none'),
      await cached.isRevoked('s'),
    ];
    await Promise.all([ask(), ask()]);
    pass(999);
    expect(await ask()).toEqual([key, undefined, false]);
    expect(asked()).toBe(3);
    pass(2);
    await ask();
    expect(asked()).toBe(6);
  });

  test('is valid for a second after another server revoked a credential', async () => {
    const { store, cached, pass } = await place();
    expect([await cached.findApiKey('a'), await cached.isRevoked('s')]).toEqual([key, false]);
    await store.revokeApiKey('a', at);
    await store.revokeId('s', never);
    pass(1_001);
    expect([await cached.findApiKey('a'), await cached.isRevoked('s')]).toEqual([
      { ...key, revokedAt: at },
      true,
    ]);
  });

  test('is removed when this server revokes a credential', async () => {
    const { cached } = await place();
    expect([await cached.findApiKey('a'), await cached.isRevoked('s')]).toEqual([key, false]);
    await cached.revokeApiKey('a', at);
    await cached.revokeId('s', never);
    expect([await cached.findApiKey('a'), await cached.isRevoked('s')]).toEqual([
      { ...key, revokedAt: at },
      true,
    ]);
  });

  test('is requested again after a failure', async () => {
    const { store } = await place();
    let failures = 1;
    const cached = cachedAccess({
      ...store,
      isRevoked: async (id) => {
        if (failures-- > 0) throw new Error('away');
        return store.isRevoked(id);
      },
    });
    await expect(cached.isRevoked('s')).rejects.toThrow('away');
    expect(await cached.isRevoked('s')).toBe(false);
  });
});
