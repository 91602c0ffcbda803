import { defineWorkflow } from '@workflowlookup/core';
import type { Evidence, Json } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { makeProject, startAgent } from '../support/project.ts';

const scope: Evidence = { id: 'scope', changes: { within: ['{{paths}}'], since: '{{startCommit}}' } };
const committed: Evidence = { id: 'committed', git: { clean: true, ahead_of: '{{unset}}' } };

const activities = defineWorkflow({
  id: 'build-it',
  title: 'Build it',
  version: '1.0.0',
  initialActivity: 'build',
  variables: [{ name: 'startCommit', type: 'string' }],
  activities: [
    {
      id: 'build',
      version: '1.0.0',
      name: 'Build',
      steps: [{ id: 'build', evidence: [scope, committed] }],
      transitions: [{ to: 'end' }],
    },
  ],
});

/** Returns the text of the activity that requires evidence, in a session with these variables. */
async function activityText(
  definitions: Parameters<typeof makeProject>[1],
  variables: Readonly<Record<string, Json>>,
): Promise<string> {
  const project = makeProject([scope, committed], definitions);
  const agent = await startAgent(project, variables);
  return (await agent.sessions.activity(agent.token, { full: false })).value.body;
}

test.each([
  ['an activity', { definitions: [activities] }],
  ['a step', {}],
])('The text about the evidence of %s has the values of the variables', async (_, options) => {
  const text = await activityText(options, { startCommit: 'abc1234', paths: ['src', 'test'] });
  expect(text).toContain('abc1234');
  expect(text).not.toContain('{{startCommit}}');
  expect(text).toContain('{{unset}}');
  const long = await activityText(options, { startCommit: 'abc1234', paths: ['x'.repeat(2000)] });
  expect(long).toContain('{{startCommit}}');
});

test('The instructions for setting up checks are given once in a session', async () => {
  const project = makeProject(
    [
      { id: 'tests', check: 'test' },
      { id: 'lint', check: 'lint' },
    ],
    {
      without: ['.workflowlookup/checks.yaml'],
    },
  );
  const agent = await startAgent(project);
  const advice = /checks init/g;
  const saidIn = (reply: unknown): number => JSON.stringify(reply).match(advice)?.length ?? 0;
  const first = await agent.collect({ evidenceIds: ['tests'] });
  expect(saidIn(first)).toBe(1);
  const later = [await agent.collect(), await agent.collect({ evidenceIds: ['lint'] }), await agent.next()];
  const status = await agent.sessions.status(agent.token);
  expect([...later, status].map(saidIn)).toEqual([0, 0, 0, 0]);
});

test('Commands that an agent passes on name the state directory', async () => {
  const project = makeProject([{ id: 'tests', check: 'test', tests: 'not-fewer' }]);
  await project.trust();
  const agent = await startAgent(project);
  await agent.collect();
  project.remove('tests/adds');
  const [found] = await agent.collect();
  expect(found).toMatchObject({
    status: 'failed',
    message: expect.stringContaining(`checks run test --accept --state ${project.stateDirectory}`) as string,
  });
});

test('Evidence records the web address of the repository, without credentials', async () => {
  const project = makeProject([{ id: 'tests', check: 'test' }]);
  await project.trust();
  project.git('remote', 'add', 'origin', 'https://ada:secret@github.com/ada/cart.git');
  const agent = await startAgent(project);
  const [found] = await agent.collect();
  expect(found?.recorded?.result.repository).toBe('https://github.com/ada/cart');
  expect(JSON.stringify(found)).not.toContain('secret');
});

test('The message about failed evidence mentions not_done only if its step may be missing', async () => {
  for (const mayBeMissing of [true, false]) {
    const project = makeProject([{ id: 'plan', file: { path: 'plan.md' } }], {
      step: { may_be_missing: mayBeMissing },
    });
    const agent = await startAgent(project);
    const [collected] = await agent.collect();
    const refused = await agent.next();
    expect([collected?.status, refused.code]).toEqual(['failed', 'EVIDENCE_REQUIRED']);
    const texts = [collected?.message, refused.message];
    expect(texts.map((text) => /step 'build'.*not_done/.test(text ?? ''))).toEqual([
      mayBeMissing,
      mayBeMissing,
    ]);
    const left = { output: '', not_done: 'There is no plan.' };
    expect(await agent.next(left)).toMatchObject(
      mayBeMissing ? { activity: 'report' } : { code: 'MANIFEST_INVALID' },
    );
  }
});
