import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessStore } from '@workflowlookup/storage';
import { expect, onTestFinished, test } from 'vitest';
import { createHost } from '../../src/index.ts';
import { tempState } from '../support/temp-state.ts';

const later = new Date(Date.now() + 1_000).toISOString();

/** Opens the revoked ids of a state directory like another server. */
function revokedIn(stateDirectory: string): Promise<AccessStore> {
  const host = createHost({ stateDirectory });
  onTestFinished(() => host.close());
  return host.access.open();
}

test('An id that is revoked on one server is revoked on all', async () => {
  const stateDirectory = tempState();
  const [here, there] = [await revokedIn(stateDirectory), await revokedIn(stateDirectory)];
  expect(await there.isRevoked('a')).toBe(false);
  expect(existsSync(stateDirectory)).toBe(false);
  await here.revokeId('a', later);
  expect([await there.isRevoked('a'), await there.isRevoked('b')]).toEqual([true, false]);
});

test('An unusable state directory causes an error', async () => {
  const unusable = { code: 'STORE_UNAVAILABLE' };
  await expect((await revokedIn('/dev/null')).revokeId('a', later)).rejects.toMatchObject(unusable);
  const stateDirectory = tempState();
  mkdirSync(stateDirectory, { recursive: true });
  symlinkSync('sessions.db', join(stateDirectory, 'sessions.db'));
  await expect((await revokedIn(stateDirectory)).isRevoked('a')).rejects.toMatchObject(unusable);
});
