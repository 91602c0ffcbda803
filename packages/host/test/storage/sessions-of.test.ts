import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@workflowlookup/host';
import { expect, onTestFinished, test } from 'vitest';

test('Every caller of a host gets the same database after one of them used it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'workflowlookup-host-'));
  const host = createHost({ stateDirectory: folder, includeUser: false, includeProject: false });
  onTestFinished(async () => {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const healthFor = (principal: string) => host.sessionsOf({ principal }).health();
  expect(await healthFor('bob')).not.toHaveProperty('store');
  await host.sessionsOf({ principal: 'ann' }).start({ agentId: 'a', workflowId: 'security-audit' });
  expect(await healthFor('bob')).toMatchObject({ store: { ok: true, adapter: 'sqlite' } });
});
