import { expect, test } from 'vitest';
import { createWorkflows, defineWorkflow } from '../../src/index.ts';

const again = { type: 'simple', variable: 'retry', operator: '==', value: true } as const;

/** A person approves `deploy`, whose loop applies each file. The question shows a variable that has no value yet. */
const deployWith = (transitions: readonly { to: string; condition?: typeof again; isDefault?: boolean }[]) =>
  defineWorkflow({
    id: 'deploys',
    title: 'Deploys',
    initialActivity: 'plan',
    activities: [
      { id: 'plan', name: 'Plan', transitions: [{ to: 'approve', isDefault: true }] },
      {
        id: 'approve',
        name: 'Approve',
        steps: [{ id: 'ask', name: 'Ask', checkpoint: 'ok' }],
        checkpoints: [
          {
            id: 'ok',
            name: 'OK',
            message: 'Deploy {head}?',
            approver: 'human',
            condition: { type: 'simple', variable: 'risky', operator: '==', value: true },
            options: [{ id: 'yes', label: 'Yes' }],
          },
        ],
        transitions: [{ to: 'deploy', isDefault: true }],
      },
      {
        id: 'deploy',
        name: 'Deploy',
        loops: [
          {
            id: 'each',
            name: 'Each file',
            type: 'forEach',
            variable: 'file',
            over: 'files',
            maxIterations: 5,
            activities: ['apply'],
          },
        ],
        transitions,
      },
      { id: 'apply', name: 'Apply' },
      { id: 'done', name: 'Done' },
    ],
  });

test.each(['strict', 'advisory'] as const)(
  'a loop of what a person approved keeps a shown variable unset if the question may come back, %s',
  async (enforcement) => {
    const workflow = deployWith([
      { to: 'approve', condition: again },
      { to: 'done', isDefault: true },
    ]);
    const workflows = createWorkflows({ definitions: [workflow], enforcement });
    const session = await workflows.start<{ id: string }>(workflow);
    await session.enter();
    await session.next({ variables: { risky: true, files: [1, 2] } });
    expect(await session.next({ outputs: { ask: 'Asked.' } })).toMatchObject({ status: 'waiting' });
    expect(await session.answer('yes', { person: 'Ada' })).toMatchObject({ activity: { id: 'deploy' } });
    expect(await session.next({ activity: 'apply', variables: { head: 'other' } })).toMatchObject({
      status: 'refused',
      code: 'VARIABLE_PROTECTED',
    });
    expect(await session.next({ activity: 'apply' })).toMatchObject({ activity: { id: 'apply' } });
  },
);

test('such a loop may set the variable once if the question can not come back', async () => {
  const workflow = deployWith([{ to: 'done', isDefault: true }]);
  const session = await createWorkflows({ definitions: [workflow] }).start<{ id: string }>(workflow);
  await session.enter();
  await session.next({ variables: { risky: true, files: [1, 2] } });
  await session.next({ outputs: { ask: 'Asked.' } });
  await session.answer('yes', { person: 'Ada' });
  expect(await session.next({ activity: 'apply', variables: { head: 'abc' } })).toMatchObject({
    activity: { id: 'apply' },
  });
  expect(await session.next({ activity: 'apply', variables: { head: 'other' } })).toMatchObject({
    code: 'VARIABLE_PROTECTED',
  });
});
