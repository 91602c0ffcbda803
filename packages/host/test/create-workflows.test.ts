import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineWorkflow } from '@workflowlookup/core';
import { expect, test } from 'vitest';
import { createWorkflows } from '../src/create-host.ts';
import { makeProject } from './support/project.ts';

const deploy = defineWorkflow({
  id: 'deploy',
  name: 'Deploy',
  steps: [
    { id: 'push', title: 'Push', prompt: 'Push.', requireConfirmation: true, approver: 'human' },
    { id: 'watch', title: 'Watch', prompt: 'Watch.' },
  ],
});

test('Another process can continue a session with its outputs and answers', async () => {
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
    warnings: [],
  });
  expect(await resumed.next({ outputs: { push: 'Pushed.' } })).toMatchObject({ activity: { id: 'watch' } });
  const [problems] = [(await second.operator('Ada').verify(session.id)).problems];
  expect(problems).toEqual([]);
  await second.close();
});

test('A definition that cannot be used is refused by its name, and the others are served', async () => {
  const broken = defineWorkflow({
    id: 'broken',
    name: 'Broken',
    steps: [{ id: 'one', title: '', prompt: '' }],
  });
  const stateDirectory = mkdtempSync(join(tmpdir(), 'create-workflows-'));
  const workflows = createWorkflows({ definitions: [broken, deploy], stateDirectory });
  await expect(workflows.start(broken)).rejects.toMatchObject({
    code: 'INVALID_WORKFLOW',
    data: { workflow_id: 'broken' },
  });
  expect((await workflows.list()).map(({ id }) => id)).toEqual(['deploy']);
  await workflows.start(deploy);
  await workflows.close();
});

test('A session object collects the evidence that its activity requires', async () => {
  const project = makeProject([{ id: 'tests', check: 'test' }]);
  await project.trust();
  const { folder: workingDirectory, stateDirectory } = project;
  const build = defineWorkflow({
    id: 'build',
    name: 'Build',
    steps: [
      { id: 'write-it', title: 'Write', prompt: 'Write it.', evidence: [{ id: 'tests', check: 'test' }] },
    ],
  });
  const { PATH } = process.env;
  const options = { definitions: [build], stateDirectory, workingDirectory, environment: { PATH } };
  const workflows = createWorkflows({ ...options, evidence: true });
  const session = await workflows.start(build, { agent: 'bot' });
  await session.enter();
  const outputs = { 'write-it': 'Written.' };
  expect(await session.next({ outputs })).toMatchObject({
    status: 'refused',
    code: 'EVIDENCE_REQUIRED',
    next: [{ kind: 'collect', evidence: ['tests'] }, { kind: 'read-activity' }],
  });
  expect(await session.collectEvidence({ ids: ['no-such'] })).toMatchObject({ code: 'INVALID_INPUT' });

  project.write('tests/adds', 'fail');
  const failed = await session.collectEvidence();
  expect(failed).toMatchObject({ status: 'collected', evidence: [{ id: 'tests', status: 'failed' }] });
  project.write('tests/adds', 'pass');
  expect(await session.collectEvidence()).toEqual({
    status: 'collected',
    evidence: [{ id: 'tests', status: 'passed' }],
  });
  expect(await session.next({ outputs })).toMatchObject({ status: 'completed' });
  await workflows.close();
});

test('A session object without a collector reports that it cannot collect evidence', async () => {
  const project = makeProject([{ id: 'tests', check: 'test' }]);
  const workflows = createWorkflows({
    definitions: [deploy],
    stateDirectory: project.stateDirectory,
    workingDirectory: project.folder,
  });
  const session = await workflows.start(deploy, { agent: 'bot' });
  await session.enter();
  expect(await session.collectEvidence()).toMatchObject({
    status: 'refused',
    code: 'INVALID_STATE',
    data: { reason: 'no-folder' },
  });
  await workflows.close();
});
