import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ApiKeys } from '../src/index.ts';
import { createHost, openApiKeys } from '../src/index.ts';
import { tempState } from './key-ring/temp-state.ts';

const agent = { principal: 'ann', scopes: ['read', 'write'] } as const;

/** The keys of a state directory, as a server of its own opens them. */
function keysIn(stateDirectory: string, now?: () => Date): ApiKeys {
  const host = createHost({ stateDirectory });
  onTestFinished(() => host.close());
  return openApiKeys(host.access, now);
}

describe('API keys', () => {
  test('are shown once, and kept without their secret', async () => {
    const stateDirectory = tempState();
    const keys = keysIn(stateDirectory);
    const { key, secret } = await keys.create(agent);
    expect(secret).toMatch(/^wlk_[0-9a-f]{12}_[\w-]{43}$/);
    expect(await keys.verify(secret)).toEqual({ ...agent, id: key.id, createdAt: expect.any(String) });
    expect(await keys.list()).toEqual([key]);
    // What was written ahead is in a file beside.
    const files = await readdir(stateDirectory);
    const texts = await Promise.all(files.map((file) => readFile(join(stateDirectory, file), 'latin1')));
    const kept = texts.join('');
    expect(kept).toContain(key.id);
    expect(kept).not.toContain(secret.slice(-43));
  });

  test('make a database when one is made, and not to look', async () => {
    const stateDirectory = tempState();
    const keys = keysIn(stateDirectory);
    expect(await keys.list()).toEqual([]);
    expect(await keys.revoke('none')).toBe(false);
    expect(await keys.verify(`wlk_${'0'.repeat(12)}_${'a'.repeat(43)}`)).toBeUndefined();
    expect(existsSync(stateDirectory)).toBe(false);
    const { secret } = await keysIn(stateDirectory).create(agent);
    expect(await keys.verify(secret)).toMatchObject(agent);
  });

  test('do not count once they are revoked or expired, on any server of the state directory', async () => {
    let now = new Date('2026-11-01');
    const stateDirectory = tempState();
    const here = keysIn(stateDirectory, () => now);
    const there = keysIn(stateDirectory, () => now);
    const first = await here.create(agent);
    now = new Date('2026-11-02');
    const second = await here.create({ ...agent, expiresAt: '2026-12-01' });
    for (const { key, secret } of [first, second]) expect(await there.verify(secret)).toEqual(key);
    expect([await there.revoke(first.key.id), await there.revoke('none')]).toEqual([true, false]);
    expect(await here.verify(first.secret)).toBeUndefined();
    now = new Date('2026-12-01');
    expect(await here.verify(second.secret)).toBeUndefined();
    expect(await here.list()).toMatchObject([
      { revokedAt: '2026-11-02T00:00:00.000Z' },
      { expiresAt: '2026-12-01' },
    ]);
  });

  test.each(['', 'wlk_', 'x', `wlk_${'0'.repeat(12)}_${'a'.repeat(43)}`])('are not %j', async (secret) => {
    const keys = keysIn(tempState());
    await keys.create(agent);
    expect(await keys.verify(secret)).toBeUndefined();
  });

  test('do not mix their secrets', async () => {
    const keys = keysIn(tempState());
    const [one, other] = [(await keys.create(agent)).secret, (await keys.create(agent)).secret];
    expect(await keys.verify(one.slice(0, 17) + other.slice(17))).toBeUndefined();
  });

  test('have no scope that only a newer program knows', async () => {
    const stateDirectory = tempState();
    const host = createHost({ stateDirectory });
    onTestFinished(() => host.close());
    const id = '0'.repeat(12);
    const secret = `wlk_${id}_${'a'.repeat(43)}`;
    const [hash, createdAt] = [createHash('sha256').update(secret).digest('hex'), new Date().toISOString()];
    const newer = { id, principal: 'ann', scopes: ['read', 'everything'], createdAt, hash };
    await (await host.access.open()).addApiKey(newer);
    expect(await keysIn(stateDirectory).verify(secret)).toMatchObject({ id, scopes: ['read'] });
  });

  test.each([
    [{ ...agent, principal: 'a b' }, 'principal'],
    [{ ...agent, scopes: [] }, 'found none'],
    [{ ...agent, scopes: ['all' as 'read'] }, "found 'all'"],
    [{ ...agent, expiresAt: 'soon' }, "found 'soon'"],
  ])('are refused as %j', async (wanted, says) => {
    const stateDirectory = tempState();
    await expect(keysIn(stateDirectory).create(wanted)).rejects.toThrow(says);
    expect(existsSync(stateDirectory)).toBe(false);
  });
});
