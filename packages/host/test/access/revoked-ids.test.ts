import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { RevokedIds } from '../../src/index.ts';
import { createHost, openRevokedIds } from '../../src/index.ts';
import { tempState } from '../support/temp-state.ts';

/** Opens the revoked ids of a state directory like another server. */
function revokedIn(stateDirectory: string): RevokedIds {
  const host = createHost({ stateDirectory });
  onTestFinished(() => host.close());
  return openRevokedIds(host.access);
}

test('An id that is revoked on one server is revoked on all', async () => {
  const stateDirectory = tempState();
  const [here, there] = [revokedIn(stateDirectory), revokedIn(stateDirectory)];
  expect(await there.has('a')).toBe(false);
  expect(existsSync(stateDirectory)).toBe(false);
  await here.add('a', Date.now() + 1_000);
  expect([await there.has('a'), await there.has('b')]).toEqual([true, false]);
});

test('An unusable state directory causes an error', async () => {
  await expect(revokedIn('/dev/null').add('a', Date.now())).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  });
});
