import { describe, expect, test } from 'vitest';
import { createWorkflows, defineWorkflow } from '../../../src/index.ts';
import type { ActivitySketch } from '../../support/sessions.ts';
import { enforcements, graph, manifest, walk } from '../../support/sessions.ts';

const again = { type: 'simple', variable: 'retry', operator: '==', value: true } as const;

/** Returns a workflow in which a person approves `deploy`, whose loop applies each file. The question shows a variable without a value. */
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
  'A loop over approved work cannot set an unset variable that the checkpoint showed, if the checkpoint may come back: %s',
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

test('A loop over approved work can set such a variable once if the checkpoint cannot come back', async () => {
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

describe.each(enforcements)('a person who is asked about each item of a loop: %s', (enforcement) => {
  const each = { id: 'each', name: 'Each', type: 'forEach', over: 'files', variable: 'file' } as const;
  const all = { id: 'all', name: 'All', type: 'forEach', over: 'groups', variable: 'group' } as const;
  const asks = {
    steps: [{ id: 'ask', checkpoint: 'approve' }],
    checkpoints: [
      {
        id: 'approve',
        name: 'Approve',
        message: 'Publish {file}?',
        approver: 'human',
        options: [
          { id: 'yes', label: 'Yes' },
          { id: 'no', label: 'No', effect: { setVariable: { blocked: true } } },
        ],
      },
    ],
  } as const;
  const transitions = { transitions: [{ to: 'fix', condition: 'blocked == true' }, { to: 'publish' }] };
  const behind = [{ id: 'fix' }, { id: 'publish', checkpoints: [{ ...asks.checkpoints[0], id: 'other' }] }];
  /** `review` belongs to the loop of `host`, because the session can reach it only through `work`. */
  const body = [
    { id: 'host', loops: [{ ...each, activities: ['work'] }], ...transitions },
    { id: 'work', transitions: [{ to: 'review' }] },
    { id: 'review', ...asks, transitions: [{ to: 'host' }] },
  ];
  const leaving = [...body.slice(0, 2), { ...body[2], transitions: [{ to: 'publish' }] }];
  const nested = [
    { id: 'host', loops: [{ ...all, activities: ['group'] }], ...transitions },
    { id: 'group', loops: [{ ...each, over: 'group.files', activities: ['review'] }] },
    { id: 'review', ...asks },
  ];
  const lists = { files: ['a', 'b'], groups: [{ files: ['a', 'b'] }] };
  const start = (loop: readonly object[]) => {
    const session = walk(graph([...loop, ...behind] as ActivitySketch[]), { enforcement, variables: lists });
    const onTo = (activity: string): void => {
      for (let moves = 0; moves < 5; moves += 1) {
        session.move(undefined, session.state.current === 'review' ? manifest('ask') : {});
        if (session.state.current === activity) return;
      }
    };
    const answer = (option: string): void => {
      onTo('review');
      session.yield('approve');
      session.choose(option, 'human');
    };
    return { session, answer, onTo };
  };
  const loops = [
    ['in the body of a loop', body],
    ['in a loop within a loop', nested],
  ] as const;

  test.each(loops)('%s, decides about each item separately', (_, loop) => {
    const { session, answer } = start(loop);
    answer('no');
    answer('yes');
    expect(session.state.variables).toMatchObject({ file: 'b', blocked: true });
  });

  test.each([
    ['in the body of a loop', 'files', ['evil'], leaving],
    ['in a loop within a loop', 'groups', [{ files: ['evil'] }], nested],
  ] as const)('%s, protects the list of the loop', (_, name, evil, loop) => {
    const { session, answer, onTo } = start(loop);
    answer('yes');
    if (loop === nested) answer('yes');
    onTo('publish');
    const write = session.do({ kind: 'yield', checkpointId: 'other', variables: { [name]: evil } });
    expect(write).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: name, rule: 'frozen' },
    });
  });
});
