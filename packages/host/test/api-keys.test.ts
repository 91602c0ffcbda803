import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openApiKeys } from '../src/index.ts';
import { tempState } from './key-ring/temp-state.ts';

const agent = { principal: 'ann', scopes: ['read', 'write'] } as const;

describe('API keys', () => {
  test('are shown once, and kept without their secret for their owner alone', () => {
    const stateDirectory = tempState();
    const keys = openApiKeys({ stateDirectory });
    expect(keys.list()).toEqual([]);
    const { key, secret } = keys.create(agent);
    expect(secret).toMatch(/^wlk_[0-9a-f]{12}_[\w-]{43}$/);
    expect(keys.verify(secret)).toEqual({ ...agent, id: key.id, createdAt: expect.any(String) });
    const file = join(stateDirectory, 'api-keys');
    expect(readFileSync(file, 'utf8')).not.toContain(secret.slice(-43));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('do not count once they are revoked or expired, on any server of the state directory', () => {
    let now = new Date('2026-11-01');
    const stateDirectory = tempState();
    const here = openApiKeys({ stateDirectory, now: () => now });
    const there = openApiKeys({ stateDirectory, now: () => now });
    const [first, second] = [here.create(agent), here.create({ ...agent, expiresAt: '2026-12-01' })];
    expect([there.verify(first.secret)?.id, there.verify(second.secret)?.id]).toEqual([
      first.key.id,
      second.key.id,
    ]);
    expect([there.revoke(first.key.id), there.revoke('none')]).toEqual([true, false]);
    now = new Date('2026-12-01');
    expect([here.verify(first.secret), here.verify(second.secret)]).toEqual([undefined, undefined]);
    expect(here.list()).toMatchObject([
      { revokedAt: '2026-11-01T00:00:00.000Z' },
      { expiresAt: '2026-12-01' },
    ]);
  });

  test.each(['', 'wlk_', 'x', `wlk_${'0'.repeat(12)}_${'a'.repeat(43)}`])('are not %j', (secret) => {
    const keys = openApiKeys({ stateDirectory: tempState() });
    keys.create(agent);
    expect(keys.verify(secret)).toBeUndefined();
  });

  test('do not mix their secrets', () => {
    const keys = openApiKeys({ stateDirectory: tempState() });
    const [one, other] = [keys.create(agent).secret, keys.create(agent).secret];
    expect(keys.verify(one.slice(0, 17) + other.slice(17))).toBeUndefined();
  });

  test('survive a line that a crash cut short', () => {
    const stateDirectory = tempState();
    const keys = openApiKeys({ stateDirectory });
    const before = keys.create(agent);
    appendFileSync(join(stateDirectory, 'api-keys'), '{"made":{"id":"ab');
    const after = keys.create(agent);
    expect([keys.verify(before.secret), keys.verify(after.secret)]).toMatchObject([before.key, after.key]);
  });

  test.each([
    [{ ...agent, principal: 'a b' }, 'principal'],
    [{ ...agent, scopes: [] }, 'found none'],
    [{ ...agent, scopes: ['all' as 'read'] }, "found 'all'"],
    [{ ...agent, expiresAt: 'soon' }, "found 'soon'"],
  ])('are refused as %j', (wanted, says) => {
    const keys = openApiKeys({ stateDirectory: tempState() });
    expect(() => keys.create(wanted)).toThrow(says);
  });
});
