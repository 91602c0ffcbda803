import { defineWorkflow } from '@workflowlookup/core';
import { expect, test } from 'vitest';
import { makeProject } from '../support/project.ts';

const build = defineWorkflow({
  id: 'ship-it',
  title: 'Ship it',
  version: '1.0.0',
  enforcement: 'strict',
  initialActivity: 'build',
  variables: [{ name: 'size', type: 'string' }],
  activities: [
    {
      id: 'build',
      version: '1.0.0',
      name: 'Build',
      steps: [
        {
          id: 'check-it',
          fields: [{ id: 'size', type: 'choice', options: ['small', 'large'] }],
          sets: { size: 'size' },
        },
        { id: 'prove-it', when: 'size == "small"', evidence: [{ id: 'tests', check: 'test' }] },
      ],
      transitions: [{ to: 'report' }],
    },
    { id: 'report', version: '1.0.0', name: 'Report', transitions: [{ to: 'end' }] },
  ],
});

const outputs = (size: string): readonly { step_id: string; output: string }[] => [
  { step_id: 'check-it', output: JSON.stringify({ size }) },
  ...(size === 'small' ? [{ step_id: 'prove-it', output: 'Proved.' }] : []),
];

async function begin() {
  const project = makeProject([], { definitions: [build] });
  await project.trust();
  const { sessions } = project.host;
  const started = await sessions.start({ agentId: 'agent', workflowId: 'ship-it' });
  return { sessions, ...(await sessions.move(started.token, {})) };
}

test('Evidence can be collected before an output of the same activity makes its step required', async () => {
  const { sessions, token } = await begin();
  const collected = await sessions.collect(token, { waitMs: 20_000 });
  expect(collected.value.evidence).toMatchObject([{ id: 'tests', status: 'passed' }]);
  const moved = await sessions.move(collected.token, { activityId: 'report', manifest: outputs('small') });
  expect(moved.value).toMatchObject({ activity: 'report' });
});

test('Evidence is required if its step is required, and can still be collected', async () => {
  const { sessions, token } = await begin();
  const move = (from: string) => sessions.move(from, { activityId: 'report', manifest: outputs('small') });
  await expect(move(token)).rejects.toMatchObject({ code: 'EVIDENCE_REQUIRED' });
  const collected = await sessions.collect(token, { waitMs: 20_000, evidenceIds: ['tests'] });
  expect((await move(collected.token)).value).toMatchObject({ activity: 'report' });
});

test('Evidence need not be collected if its step is not required', async () => {
  const { sessions, token } = await begin();
  const moved = await sessions.move(token, { activityId: 'report', manifest: outputs('large') });
  expect(moved.value).toMatchObject({ activity: 'report' });
});

const pages = defineWorkflow({
  id: 'ship-it',
  title: 'Ship it',
  version: '1.0.0',
  enforcement: 'strict',
  initialActivity: 'plan',
  variables: [
    { name: 'pages', type: 'array', set_by: ['plan'] },
    { name: 'page', type: 'string' },
  ],
  activities: [
    {
      id: 'plan',
      version: '1.0.0',
      name: 'Plan',
      loops: [
        {
          id: 'each-page',
          name: 'Each page',
          type: 'forEach',
          over: 'pages',
          variable: 'page',
          activities: ['write'],
        },
      ],
      transitions: [{ to: 'end' }],
    },
    {
      id: 'write',
      version: '1.0.0',
      name: 'Write',
      steps: [{ id: 'write-it', evidence: [{ id: 'written', file: { path: '{{page}}.md' } }] }],
    },
  ],
});

test('Evidence in a loop over activities is about each item', async () => {
  const project = makeProject([], { definitions: [pages] });
  const { sessions } = project.host;
  const started = await sessions.start({ agentId: 'agent', workflowId: 'ship-it' });
  const planned = await sessions.move(started.token, {});
  let { token } = await sessions.move(planned.token, { variables: { pages: ['one', 'two'] } });
  const manifest = [{ step_id: 'write-it', output: 'Written.' }];
  for (const page of ['one', 'two']) {
    const missing = await sessions.collect(token, { waitMs: 20_000 });
    expect(missing.value.evidence).toMatchObject([{ status: 'failed' }]);
    await expect(sessions.move(missing.token, { manifest })).rejects.toMatchObject({
      code: 'EVIDENCE_REQUIRED',
    });
    project.write(`${page}.md`, 'A page.\n');
    ({ token } = await sessions.collect(missing.token, { waitMs: 20_000 }));
    ({ token } = await sessions.move(token, { manifest }));
  }
});
