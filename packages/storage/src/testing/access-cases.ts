/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */
import { expect } from 'vitest';
import type { AccessStore, ApiKeyRecord } from '../access-store.ts';
import type { AccessCase } from './access-case.ts';
import { minuteOf2026 } from './session-sample.ts';

const never = '2999-01-01T00:00:00.000Z';

/** A small API key, made so many minutes into 2026; `more` goes over its fields. */
function sampleKey(id: string, minute = 0, more: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  const createdAt = minuteOf2026(minute);
  return { id, principal: 'ann', scopes: ['read'], createdAt, hash: `hash of ${id}`, ...more };
}

/** What holds of API keys. */
const apiKeyCases: readonly AccessCase[] = [
  {
    title: 'gives API keys as they were kept, oldest first',
    run: async ({ store }) => {
      expect(await store.apiKeys()).toEqual([]);
      const late = sampleKey('a', 2, { scopes: ['read', 'checkpoints:respond'], expiresAt: '2030-01-31' });
      const [early, twin] = [sampleKey('c', 1, { principal: 'ä\u{1F600}' }), sampleKey('b', 1)];
      for (const key of [late, early, twin]) expect(await store.addApiKey(key)).toBe(true);
      expect(await store.apiKeys()).toEqual([twin, early, late]);
    },
  },
  {
    title: 'finds an API key by its id, and nothing by another',
    run: async ({ store }) => {
      const key = sampleKey('a');
      await store.addApiKey(key);
      expect(await store.findApiKey('a')).toEqual(key);
      for (const id of ['b', '', 'A', 'a\0']) expect(await store.findApiKey(id)).toBeUndefined();
    },
  },
  {
    title: 'keeps the first of many API keys with one id',
    run: async ({ store }) => {
      const keys = [1, 2, 3, 4].map((minute) => sampleKey('a', minute));
      const kept = await Promise.all(keys.map((key) => store.addApiKey(key)));
      expect(kept.filter(Boolean)).toHaveLength(1);
      expect(await store.apiKeys()).toEqual(keys.filter((_, index) => kept[index]));
    },
  },
  {
    title: 'changes what is kept of a secret where it is what it was before, and nothing else of the key',
    run: async ({ store }) => {
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
    },
  },
  {
    title: 'revokes an API key once, and says where there is none',
    run: async ({ store }) => {
      await store.addApiKey(sampleKey('a'));
      await store.addApiKey(sampleKey('b'));
      const [first, second] = [minuteOf2026(1), minuteOf2026(2)];
      expect(await store.revokeApiKey('a', first)).toBe(true);
      expect(await store.revokeApiKey('a', second)).toBe(true);
      expect(await store.revokeApiKey('none', first)).toBe(false);
      expect(await store.findApiKey('a')).toEqual({ ...sampleKey('a'), revokedAt: first });
      expect(await store.findApiKey('b')).toEqual(sampleKey('b'));
    },
  },
];

/** What holds of ids that were revoked. */
const revokedIdCases: readonly AccessCase[] = [
  {
    title: 'knows which ids were revoked',
    run: async ({ store }) => {
      expect(await store.isRevoked('a')).toBe(false);
      await store.revokeId('a', never);
      expect([await store.isRevoked('a'), await store.isRevoked('b')]).toEqual([true, false]);
    },
  },
  {
    title: 'drops ids whose time is long over when another is revoked',
    run: async ({ store }) => {
      await store.revokeId('old', minuteOf2026(0));
      await store.revokeId('new', never);
      expect([await store.isRevoked('old'), await store.isRevoked('new')]).toEqual([false, true]);
    },
  },
  {
    title: 'keeps an id that is revoked twice until the last of its times',
    run: async ({ store }) => {
      for (const [id, ...times] of [
        ['grown', minuteOf2026(0), never],
        ['shrunk', never, minuteOf2026(0)],
      ] as const)
        for (const time of times) await store.revokeId(id, time);
      await store.revokeId('other', never);
      expect([await store.isRevoked('grown'), await store.isRevoked('shrunk')]).toEqual([true, true]);
    },
  },
];

/** What holds of the fingerprints of token keys. */
const tokenKeyCases: readonly AccessCase[] = [
  {
    title: 'notes the token keys of the first, and of all who share one with those before',
    run: async ({ store }) => {
      expect(await store.noteTokenKeys(['old', 'old'])).toBe(true);
      expect(await store.noteTokenKeys(['old'])).toBe(true);
      expect(await store.noteTokenKeys(['new', 'old'])).toBe(true);
      expect(await store.noteTokenKeys(['newest', 'new'])).toBe(true);
    },
  },
  {
    title: 'notes no token keys of a stranger',
    run: async ({ store }) => {
      await store.noteTokenKeys(['ours']);
      expect(await store.noteTokenKeys(['theirs'])).toBe(false);
      expect(await store.noteTokenKeys(['theirs', 'other'])).toBe(false);
    },
  },
];

const strange = ['a\0', '\ud800'];

const refusalCases: readonly AccessCase[] = [
  {
    title: 'refuses texts that not every database keeps, and times in another form',
    run: async ({ store }) => {
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
      for (const call of refused) await expect(call()).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
      for (const text of strange) {
        expect(await store.isRevoked(text)).toBe(false);
        expect(await store.revokeApiKey(text, never)).toBe(false);
      }
      expect(await store.apiKeys()).toEqual([]);
      expect(await store.noteTokenKeys(['first'])).toBe(true);
    },
  },
];

/** What holds where several stores are open over one place. */
const sharedCases: readonly AccessCase[] = [
  {
    title: 'shows at once what another store was told',
    needs: 'open',
    run: async ({ store, open }) => {
      const other = await open();
      await other.addApiKey(sampleKey('a'));
      await other.revokeId('s', never);
      expect(await store.findApiKey('a')).toEqual(sampleKey('a'));
      expect(await store.isRevoked('s')).toBe(true);
      await store.revokeApiKey('a', never);
      expect(await other.findApiKey('a')).toMatchObject({ revokedAt: never });
    },
  },
  {
    title: 'notes the token keys of one of several strangers that come at once',
    needs: 'open',
    run: async ({ store, open }) => {
      const stores: readonly AccessStore[] = [store, await open(), await open(), await open()];
      const noted = await Promise.all(stores.map((one, index) => one.noteTokenKeys([`ring ${index}`])));
      expect(noted.filter(Boolean)).toHaveLength(1);
    },
  },
];

/** The contract of an access store. */
export const accessCases: readonly AccessCase[] = [
  ...apiKeyCases,
  ...revokedIdCases,
  ...tokenKeyCases,
  ...refusalCases,
  ...sharedCases,
];
