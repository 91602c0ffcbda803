import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRevokedIds } from '../src/index.ts';
import { tempState } from './key-ring/temp-state.ts';

const day = 24 * 3_600_000;

test('an id revoked on one server is revoked on all, until it would end by itself', async () => {
  let now = Date.parse('2026-11-01T10:00:00Z');
  const stateDirectory = tempState();
  const [here, there] = [
    openRevokedIds(stateDirectory, () => now),
    openRevokedIds(stateDirectory, () => now),
  ];
  const until = now + day;
  expect(await there.has('a', until)).toBe(false);
  await here.add('a', until);
  expect([await there.has('a', until), await there.has('b', until)]).toEqual([true, false]);
  now += 3 * day;
  await there.add('c', now + day);
  expect(readdirSync(join(stateDirectory, 'revoked'))).toEqual(['2026-11-05']);
});

test('says what failed where the state directory is none', async () => {
  await expect(openRevokedIds('/dev/null').add('a', Date.now())).rejects.toMatchObject({ code: 'STORAGE' });
});
