import type { Checkpoint, Json, PromptStep, Step } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { workflow } from '../fixtures.ts';
import type { ActivitySketch, Walk } from './fixtures.ts';
import { codeOf, enforcements, graph, manifest, sequence, walk } from './fixtures.ts';
import { option } from './permit-workflow.ts';

type Values = Readonly<Record<string, Json>>;

/** A move with the outputs of the current step. */
function go(session: Walk, to?: string, variables?: Values): string | undefined {
  const { current } = session.state;
  const outputs = current === undefined ? {} : manifest(current);
  return codeOf(session.move(to, { ...outputs, ...(variables === undefined ? {} : { variables }) }));
}

const asking = (id: string, title: string, more: Partial<PromptStep> = {}): Step => ({
  id,
  title,
  prompt: 'Ask.',
  requireConfirmation: true,
  approver: 'human',
  ...more,
});
const forEach = (id: string, items: string, body: readonly string[] | readonly Step[]): Step => ({
  id,
  title: 'Each',
  type: 'loop',
  loop: { type: 'forEach', items, itemVar: 'item', maxIterations: 9 },
  body: body.map((one) => (typeof one === 'string' ? { id: one, title: one, prompt: 'Do it.' } : one)),
});

/** A session in which a person confirmed what the current step asks. */
function confirm(session: Walk): void {
  expect(codeOf(session.yield('confirm'))).toBeUndefined();
  expect(codeOf(session.choose('confirm', 'human'))).toBeUndefined();
}

function begun(steps: Parameters<typeof workflow>[0], options: Parameters<typeof walk>[1]): Walk {
  const session = walk(sequence(workflow(steps)), options);
  go(session);
  return session;
}

describe('an agent goes back to a finished step of an advisory session', () => {
  test.each([
    { name: 'and on to what was approved', at: 'deploy' },
    { name: 'after that is done', at: 'report' },
  ])('$name: $at', ({ at }) => {
    const session = begun(['plan', asking('agree', 'Agree on {{env}}'), 'deploy', 'report'], {
      variables: { env: 'staging' },
    });
    go(session);
    confirm(session);
    go(session);
    if (at === 'report') go(session);
    expect(session.state.current).toBe(at);
    expect(go(session, 'plan')).toBeUndefined();
    expect(go(session, 'deploy', { env: 'prod' })).toBeDefined();
    expect(codeOf(session.yield('confirm'))).toBeDefined();
    expect(go(session, 'deploy')).toBeUndefined();
    expect(session.state).toMatchObject({ current: 'deploy', variables: { env: 'staging' } });
  });

  test('with other values, only to ask again', () => {
    const session = begun(['plan', asking('agree', 'Agree on {{env}}'), 'deploy', 'report', 'end-note'], {
      variables: { env: 'staging' },
    });
    go(session);
    confirm(session);
    go(session);
    go(session);
    expect(go(session, undefined, { env: 'prod' })).toBeUndefined();
    const refused = session.move('deploy', manifest('end-note'));
    expect(refused).toMatchObject({
      refusal: {
        code: 'ILLEGAL_TRANSITION',
        data: { reason: 'needs-person', checkpoint_id: 'confirm', activity_id: 'agree' },
      },
    });
    expect(go(session, 'agree')).toBeUndefined();
    expect(go(session, 'deploy')).toBe('CHECKPOINT_OPEN');
    confirm(session);
    expect(go(session, 'deploy')).toBeUndefined();
    expect(session.state).toMatchObject({ current: 'deploy', variables: { env: 'prod' } });
  });

  test('with other values, although an earlier step came first after the answer', () => {
    const early = { id: 'early', title: 'Early', prompt: 'Do it.', runCondition: 'isEarly == true' };
    const steps = [early, asking('agree', 'Agree on {{env}}'), 'deploy', 'report', 'end-note'];
    const session = begun(steps, { variables: { env: 'staging', isEarly: false } });
    confirm(session);
    expect(go(session, undefined, { isEarly: true })).toBeUndefined();
    expect(session.state.current).toBe('early');
    go(session);
    expect(session.state.current).toBe('deploy');
    go(session);
    expect(go(session, undefined, { env: 'prod' })).toBeUndefined();
    expect(go(session, 'deploy')).toBe('ILLEGAL_TRANSITION');
  });

  test('out of a loop whose item a person signed', () => {
    const session = begun(
      [
        'list',
        forEach('each', 'files', [
          asking('ask', 'Push {{item}}'),
          { id: 'push', title: 'Push', prompt: 'Push.' },
        ]),
        'report',
      ],
      { variables: { files: ['a'] } },
    );
    go(session);
    confirm(session);
    go(session);
    expect(session.state.current).toBe('each@0::push');
    expect(go(session, 'list')).toBeUndefined();
    expect(go(session, 'each@0::push', { files: ['evil'] })).toBeDefined();
    expect(go(session)).toBeUndefined();
    expect(session.state).toMatchObject({ current: 'report', variables: { files: ['a'] } });
    expect(go(session, 'each@0::push', { files: ['evil'] })).toBeDefined();
  });

  test('from the loop that a person approved before it', () => {
    const loop = { type: 'for', count: 2, maxIterations: 5 } as const;
    const body = ['deploy', 'check'].map((id) => ({ id, title: id, prompt: 'Do it.' }));
    const session = begun(
      ['plan', asking('agree', 'Agree on {{env}}'), { id: 'each', type: 'loop', loop, body }],
      {
        variables: { env: 'staging' },
      },
    );
    go(session);
    confirm(session);
    go(session);
    expect(go(session, 'plan')).toBeUndefined();
    expect(go(session, undefined, { env: 'prod' })).toBe('VARIABLE_PROTECTED');
  });
});

describe('an agent goes back past a question that is not asked again', () => {
  const approved = {
    type: 'simple' as const,
    variable: 'approved',
    operator: '!=' as const,
    value: true,
  };
  const always: Checkpoint = {
    id: 'ok',
    name: 'OK',
    message: 'Deploy {commit}?',
    approver: 'human',
    options: [option('yes', { approved: true })],
  };
  const ask: ActivitySketch = {
    id: 'ask',
    steps: [{ id: 'stop', name: 'Stop', checkpoint: 'ok' }],
    checkpoints: [{ ...always, condition: approved }],
    transitions: [{ to: 'deploy' }],
  };
  const deploy: ActivitySketch = { id: 'deploy', transitions: [{ to: 'report' }] };

  function reported(plan: ActivitySketch): Walk {
    const session = walk(graph([plan, ask, deploy, { id: 'report', transitions: [{ to: 'end' }] }]), {
      variables: { commit: 'good' },
    });
    session.move();
    session.move('ask');
    session.yield('ok');
    session.choose('yes', 'human');
    session.move('deploy', manifest('stop'));
    session.move('report');
    expect(session.state).toMatchObject({ current: 'report', frozen: [], approved: [{ opened: 'deploy' }] });
    return session;
  }

  test('but not to a branch around it', () => {
    const session = reported({
      id: 'plan',
      transitions: [{ to: 'deploy', condition: 'approved == true' }, { to: 'ask' }],
    });
    expect(codeOf(session.move('plan'))).toBe('ILLEGAL_TRANSITION');
  });

  test.each(['ask', 'plan'])('to %s', (to) => {
    const session = reported({ id: 'plan', transitions: [{ to: 'ask' }] });
    const evil = { variables: { commit: 'evil' } };
    expect(codeOf(session.move(to, evil))).toBe('ILLEGAL_TRANSITION');
    expect(codeOf(session.move(to))).toBeUndefined();
    expect(session.state.frozen).toMatchObject([{ checkpoint: 'ok' }]);
    expect(codeOf(session.move('deploy', { ...evil, ...manifest('stop') }))).toBe('VARIABLE_PROTECTED');
  });

  test('to an activity that nothing leads to', () => {
    const work = { id: 'work', transitions: [{ to: 'other' }] };
    const session = walk(
      graph([
        { id: 'start' },
        {
          ...ask,
          checkpoints: [always],
          transitions: [{ to: 'work' }],
        },
        work,
        { id: 'other' },
      ]),
      { variables: { commit: 'good' } },
    );
    session.move();
    session.move('ask');
    session.yield('ok');
    session.choose('yes', 'human');
    session.move('work', manifest('stop'));
    session.move('other');
    expect(codeOf(session.move('work', { variables: { commit: 'evil' } }))).toBe('ILLEGAL_TRANSITION');
  });

  test('with other values, if its path asks for certain', () => {
    const session = walk(
      graph([
        { id: 'plan', transitions: [{ to: 'ask' }] },
        { ...ask, checkpoints: [always] },
        deploy,
        { id: 'report', transitions: [{ to: 'end' }] },
      ]),
      { variables: { commit: 'good' } },
    );
    session.move();
    session.move();
    session.yield('ok');
    session.choose('yes', 'human');
    session.move('deploy', manifest('stop'));
    session.move('report');
    expect(codeOf(session.move('plan', { variables: { commit: 'better' } }))).toBeUndefined();
    expect(codeOf(session.move('deploy'))).toBe('ILLEGAL_TRANSITION');
    expect(codeOf(session.move('ask'))).toBeUndefined();
    session.yield('ok');
    session.choose('yes', 'human');
    expect(codeOf(session.move('deploy', manifest('stop')))).toBeUndefined();
    expect(session.state).toMatchObject({ variables: { commit: 'better' }, approved: [] });
  });
});

describe.each(enforcements)('a step that an approval was for comes later: %s', (enforcement) => {
  test('because its condition becomes true', () => {
    const session = begun(
      [
        'plan',
        asking('ask', 'Deploy to {{env}}'),
        { id: 'deploy', title: 'Deploy', prompt: 'p', runCondition: 'ready == true' },
        'report',
        'note',
      ],
      { enforcement, variables: { env: 'staging', ready: false } },
    );
    go(session);
    confirm(session);
    go(session);
    expect(session.state.current).toBe('report');
    expect(go(session, undefined, { env: 'prod' })).toBe('VARIABLE_PROTECTED');
    go(session);
    expect(go(session, undefined, { env: 'prod', ready: true })).toBe('VARIABLE_PROTECTED');
    expect(go(session, undefined, { ready: true })).toBeUndefined();
    expect(session.state.current).toBe('deploy');
    expect(go(session)).toBeUndefined();
    expect(session.state.status).toBe('completed');
  });

  test('because loops before it get more items', () => {
    const session = begun(
      [
        forEach('each', 'files', ['work']),
        forEach('docs', 'units', ['write']),
        asking('final', 'Ship {{env}}'),
        'ship',
        'report',
      ],
      { enforcement, variables: { env: 'staging', files: ['a'], units: [1] } },
    );
    go(session);
    go(session);
    confirm(session);
    expect(go(session, undefined, { files: ['a', 'b'], units: [1, 2] })).toBeUndefined();
    expect(go(session, undefined, { env: 'prod' })).toBe('VARIABLE_PROTECTED');
    go(session);
    expect(go(session, undefined, { env: 'prod' })).toBe('VARIABLE_PROTECTED');
    go(session);
    expect(session.state.current).toBe('ship');
    go(session);
    expect(session.state.frozen).toEqual([]);
  });

  test('because a loop after the question gets its items', () => {
    const session = begun(
      [
        'plan',
        forEach('each', 'files', [
          asking('ask', 'Drop {{item}} in {{env}}'),
          {
            id: 'in',
            title: 'Each unit',
            type: 'loop',
            loop: { type: 'forEach', items: 'units', maxIterations: 9 },
            body: [{ id: 'drop', title: 'Drop', prompt: 'p' }],
          },
        ]),
        'report',
        'note',
      ],
      { enforcement, variables: { env: 'staging', files: ['a'], units: [] } },
    );
    go(session);
    confirm(session);
    go(session);
    expect(session.state.current).toBe('report');
    const evil = { files: ['evil'], env: 'prod', units: [1] };
    expect(go(session, undefined, evil)).toBe('VARIABLE_PROTECTED');
    go(session);
    expect(go(session, undefined, evil)).toBe('VARIABLE_PROTECTED');
  });

  test('because the loop that it approved gets more items', () => {
    const session = begun(
      [
        'plan',
        asking('approve', 'Deploy to {{env}}'),
        forEach('each', 'files', ['deploy', 'check']),
        'report',
      ],
      { enforcement, variables: { env: 'staging', files: ['a'] } },
    );
    go(session);
    confirm(session);
    for (let moves = 0; moves < 3; moves += 1) go(session);
    expect(session.state.current).toBe('report');
    expect(go(session, undefined, { env: 'prod', files: ['a', 'b'] })).toBe('VARIABLE_PROTECTED');
    expect(go(session, undefined, { files: ['a', 'b'] })).toBeUndefined();
    expect(session.state).toMatchObject({ current: 'each@1::deploy', variables: { env: 'staging' } });
  });
});

test.each([
  { name: 'from what was approved', moves: [] },
  { name: 'after it is done', moves: ['report'] },
])('a question that is not asked again opens nothing else: $name', ({ moves }) => {
  const session = walk(
    graph(
      [
        {
          id: 'ask',
          checkpoints: [
            {
              id: 'ok',
              name: 'OK',
              message: 'Deploy {commit}?',
              approver: 'human',
              condition: 'isQuiet != true',
              options: [option('yes', {}, 'deploy')],
            },
          ],
          transitions: [{ to: 'note' }],
        },
        { id: 'note', transitions: [{ to: 'wait' }] },
        { id: 'wait', transitions: [{ to: 'deploy' }] },
        { id: 'deploy', transitions: [{ to: 'report' }] },
        { id: 'report' },
      ],
      { initialActivity: 'ask' },
    ),
    { variables: { commit: 'good' } },
  );
  session.move();
  session.yield('ok');
  session.choose('yes', 'human');
  for (const to of ['deploy', ...moves]) expect(codeOf(session.move(to))).toBeUndefined();
  expect(codeOf(session.move('ask', { variables: { isQuiet: true } }))).toBeUndefined();
  for (const to of ['note', 'wait']) expect(codeOf(session.move(to))).toBeUndefined();
  const evil = { variables: { commit: 'evil' } };
  expect(codeOf(session.move('deploy', evil))).toBe('VARIABLE_PROTECTED');
  expect(codeOf(session.move('deploy'))).toBeUndefined();
});

test('set_by frees no approved value in an activity that an agent goes back to without a transition', () => {
  const activities: readonly ActivitySketch[] = [
    { id: 'implement', transitions: [{ to: 'review' }] },
    {
      id: 'review',
      checkpoints: [
        {
          id: 'ok',
          name: 'OK',
          message: 'Merge {head}?',
          approver: 'human',
          condition: 'approved != true',
          options: [option('yes', { approved: true })],
        },
      ],
      transitions: [{ to: 'merge' }],
    },
    { id: 'merge', transitions: [{ to: 'report' }] },
    { id: 'report' },
  ];
  const variables = [
    { name: 'head', type: 'string' as const, set_by: 'implement' },
    { name: 'approved', type: 'boolean' as const, set_by: 'ok' },
  ];
  for (const moves of [['merge'], ['merge', 'report']]) {
    const session = walk(graph(activities, { variables, initialActivity: 'implement' }));
    session.move();
    session.move('review', { variables: { head: 'good' } });
    session.yield('ok');
    session.choose('yes', 'human');
    for (const to of [...moves, 'implement']) expect(codeOf(session.move(to))).toBeUndefined();
    const evil = { variables: { head: 'evil' } };
    expect(codeOf(session.move('review', evil))).toBe('VARIABLE_PROTECTED');
    expect(codeOf(session.move('review'))).toBeUndefined();
    expect(codeOf(session.move('merge'))).toBeUndefined();
  }
});
