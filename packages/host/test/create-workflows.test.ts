import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineWorkflow } from '@workflowlookup/core';
import { expect, test } from 'vitest';
import { createWorkflows } from '../src/create-host.ts';

const deploy = defineWorkflow({
  id: 'deploy',
  name: 'Deploy',
  steps: [
    { id: 'push', title: 'Push', prompt: 'Push.', requireConfirmation: true, approver: 'human' },
    { id: 'watch', title: 'Watch', prompt: 'Watch.' },
  ],
});

test('a session is continued by another process, with what was submitted and answered', async () => {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'create-workflows-'));
  const first = createWorkflows({ definitions: [deploy], stateDirectory });
  expect((await first.list()).map(({ id }) => id)).toEqual(['deploy']);
  const session = await first.start(deploy, { agent: 'one' });
  await session.enter();
  expect(await session.next({ outputs: { push: 'Pushed.' } })).toMatchObject({ status: 'waiting' });
  await first.close();

  const second = createWorkflows({ definitions: [deploy], stateDirectory });
  const resumed = await second.resume<typeof deploy>(session.id, { agent: 'two' });
  expect(await resumed.current()).toMatchObject({ status: 'waiting', checkpoint: { needsPerson: true } });
  expect(await resumed.answer('confirm')).toMatchObject({ status: 'refused', code: 'HUMAN_REQUIRED' });
  expect(await resumed.answer('confirm', { person: 'Ada' })).toMatchObject({
    status: 'active',
    activity: { id: 'push' },
  });
  expect(await resumed.next({ outputs: { push: 'Pushed.' } })).toMatchObject({ activity: { id: 'watch' } });
  const [problems] = [(await second.operator('Ada').verify(session.id)).problems];
  expect(problems).toEqual([]);
  await second.close();
});
