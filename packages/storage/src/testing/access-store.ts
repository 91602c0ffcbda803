import type { TestAPI } from 'vitest';
import { describe, expect, test } from 'vitest';
import type { AccessStore, ApiKeyRecord } from '../sessions/session-store.ts';
import { ability, minuteOf2026 } from './session-sample.ts';

/** An empty access store under test. */
export interface AccessStoreHarness {
  readonly store: AccessStore;
  /** Opens the same database once more, as another process would. */
  readonly open?: () => Promise<AccessStore>;
  /** Runs after each test to release everything. */
  readonly dispose?: () => Promise<void>;
}

interface AccessFixtures extends Required<Omit<AccessStoreHarness, 'dispose'>> {
  readonly harness: AccessStoreHarness;
}

type AccessTest = TestAPI<AccessFixtures>;

const never = '2999-01-01T00:00:00.000Z';

/** Makes a small API key, created this many minutes into 2026. `more` overrides its fields. */
function sampleKey(id: string, minute = 0, more: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  const createdAt = minuteOf2026(minute);
  return { id, principal: 'ann', scopes: ['read'], createdAt, hash: `hash of ${id}`, ...more };
}

function apiKeyCases(it: AccessTest): void {
  it('returns the stored API keys, oldest first', async ({ store }) => {
    expect(await store.apiKeys()).toEqual([]);
    const late = sampleKey('a', 2, { scopes: ['read', 'checkpoints:respond'], expiresAt: '2030-01-31' });
    const [early, twin] = [sampleKey('c', 1, { principal: 'ä\u{1F600}' }), sampleKey('b', 1)];
    for (const key of [late, early, twin]) expect(await store.addApiKey(key)).toBe(true);
    expect(await store.apiKeys()).toEqual([twin, early, late]);
  });

  it('finds an API key by its id only', async ({ store }) => {
    const key = sampleKey('a');
    await store.addApiKey(key);
    expect(await store.findApiKey('a')).toEqual(key);
    for (const id of ['b', '', 'A', 'a\0']) expect(await store.findApiKey(id)).toBeUndefined();
  });

  it('stores only the first of several API keys with the same id', async ({ store }) => {
    const keys = [1, 2, 3, 4].map((minute) => sampleKey('a', minute));
    const kept = await Promise.all(keys.map((key) => store.addApiKey(key)));
    expect(kept.filter(Boolean)).toHaveLength(1);
    expect(await store.apiKeys()).toEqual(keys.filter((_, index) => kept[index]));
  });

  it('replaces the hash of a key if it is the expected one, and changes nothing else', async ({ store }) => {
    await store.addApiKey(sampleKey('a'));
    await store.revokeApiKey('a', minuteOf2026(1));
    expect(await store.changeApiKeyHash('a', { before: 'other', after: 'x' })).toBe(false);
    expect(await store.changeApiKeyHash('none', { before: 'hash of a', after: 'x' })).toBe(false);
    expect(await store.changeApiKeyHash('a', { before: 'hash of a', after: 'x' })).toBe(true);
    expect(await store.findApiKey('a')).toEqual({
      ...sampleKey('a'),
      hash: 'x',
      revokedAt: minuteOf2026(1),
    });
  });

  it('revokes an API key once, and reports an unknown id', async ({ store }) => {
    await store.addApiKey(sampleKey('a'));
    await store.addApiKey(sampleKey('b'));
    const [first, second] = [minuteOf2026(1), minuteOf2026(2)];
    expect(await store.revokeApiKey('a', first)).toBe(true);
    expect(await store.revokeApiKey('a', second)).toBe(true);
    expect(await store.revokeApiKey('none', first)).toBe(false);
    expect(await store.findApiKey('a')).toEqual({ ...sampleKey('a'), revokedAt: first });
    expect(await store.findApiKey('b')).toEqual(sampleKey('b'));
  });
}

function revokedIdCases(it: AccessTest): void {
  it('knows which ids are revoked', async ({ store }) => {
    expect(await store.isRevoked('a')).toBe(false);
    await store.revokeId('a', never);
    expect([await store.isRevoked('a'), await store.isRevoked('b')]).toEqual([true, false]);
  });

  it('deletes expired ids when another id is revoked', async ({ store }) => {
    await store.revokeId('old', minuteOf2026(0));
    await store.revokeId('new', never);
    expect([await store.isRevoked('old'), await store.isRevoked('new')]).toEqual([false, true]);
  });

  it('keeps an id that is revoked twice until the later time', async ({ store }) => {
    for (const [id, ...times] of [
      ['grown', minuteOf2026(0), never],
      ['shrunk', never, minuteOf2026(0)],
    ] as const)
      for (const time of times) await store.revokeId(id, time);
    await store.revokeId('other', never);
    expect([await store.isRevoked('grown'), await store.isRevoked('shrunk')]).toEqual([true, true]);
  });
}

function tokenKeyCases(it: AccessTest): void {
  it('records the token keys of the first server, and of every server that shares one with those before', async ({
    store,
  }) => {
    expect(await store.noteTokenKeys(['old', 'old'])).toBe(true);
    expect(await store.noteTokenKeys(['old'])).toBe(true);
    expect(await store.noteTokenKeys(['new', 'old'])).toBe(true);
    expect(await store.noteTokenKeys(['newest', 'new'])).toBe(true);
  });

  it('does not record the token keys of a server that shares none', async ({ store }) => {
    await store.noteTokenKeys(['ours']);
    expect(await store.noteTokenKeys(['theirs'])).toBe(false);
    expect(await store.noteTokenKeys(['theirs', 'other'])).toBe(false);
  });
}

const strange = ['a\0', '\ud800'];

function refusalCases(it: AccessTest): void {
  it('refuses texts that not every database stores, and times in another format', async ({ store }) => {
    const refused: (() => Promise<unknown>)[] = [
      ...strange.flatMap((text) => [
        () => store.addApiKey(sampleKey(text)),
        () => store.addApiKey(sampleKey('a', 0, { principal: text })),
        () => store.addApiKey(sampleKey('a', 0, { scopes: [text] })),
        () => store.revokeId(text, never),
        () => store.noteTokenKeys([text]),
      ]),
      () => store.addApiKey(sampleKey('a', 0, { createdAt: '2026-01-01' })),
      () => store.revokeApiKey('a', '2026-01-01'),
      () => store.revokeId('a', 'soon'),
    ];
    for (const call of refused) await expect(call()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    for (const text of strange) {
      expect(await store.isRevoked(text)).toBe(false);
      expect(await store.revokeApiKey(text, never)).toBe(false);
    }
    expect(await store.apiKeys()).toEqual([]);
    expect(await store.noteTokenKeys(['first'])).toBe(true);
  });
}

/** The contract for several stores with one database. */
function sharedCases(it: AccessTest): void {
  it('sees the changes of another store at once', async ({ store, open }) => {
    const other = await open();
    await other.addApiKey(sampleKey('a'));
    await other.revokeId('s', never);
    expect(await store.findApiKey('a')).toEqual(sampleKey('a'));
    expect(await store.isRevoked('s')).toBe(true);
    await store.revokeApiKey('a', never);
    expect(await other.findApiKey('a')).toMatchObject({ revokedAt: never });
  });

  it('records the token keys of only one of several unrelated servers that start at once', async ({
    store,
    open,
  }) => {
    const stores: readonly AccessStore[] = [store, await open(), await open(), await open()];
    const noted = await Promise.all(stores.map((one, index) => one.noteTokenKeys([`ring ${index}`])));
    expect(noted.filter(Boolean)).toHaveLength(1);
  });
}

/** Makes a new and empty store. */
export type MakeAccessStore = () => Promise<AccessStoreHarness>;

/** Options of the contract tests. */
export interface AccessContractOptions {
  /** Why the harness has no `open`. Without a reason, the tests that need it fail. */
  readonly skip?: { readonly open?: string };
}

/** Tests that a store keeps the contract of `AccessStore`. Call it in a vitest file, once for each adapter. */
export function describeAccessStore(
  name: string,
  make: MakeAccessStore,
  { skip: reasons = {} }: AccessContractOptions = {},
): void {
  const it = test.extend<AccessFixtures>({
    harness: async ({ task: _task }, use) => {
      expect.hasAssertions();
      const harness = await make();
      await use(harness);
      await harness.dispose?.();
    },
    store: ({ harness }, use) => use(harness.store),
    open: ({ harness, skip }, use) => use(ability('open', harness.open, { skip, reason: reasons.open })),
  });
  describe(`${name}, as every access store`, () => {
    apiKeyCases(it);
    revokedIdCases(it);
    tokenKeyCases(it);
    refusalCases(it);
    sharedCases(it);
  });
}
