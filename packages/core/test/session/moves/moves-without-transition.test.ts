import { describe, expect, it } from 'vitest';
import { workflow } from '../../support/step-workflows.ts';
import type { ActivitySketch, Walk } from '../../support/sessions.ts';
import { graph, manifest, refusalOf, sequence, walk } from '../../support/sessions.ts';

const approve = (more: object = {}) =>
  ({
    id: 'approve',
    name: 'Approve',
    message: 'Approve?',
    approver: 'human',
    options: [
      { id: 'yes', label: 'Yes' },
      { id: 'no', label: 'No', effect: { transitionTo: 'stopped' } },
    ],
    ...more,
  }) as const;

const passing = {
  code: 'ILLEGAL_TRANSITION',
  data: { checkpoint_id: 'approve', activity_id: 'review', reason: 'needs-person' },
};

/** plan → build → review → deploy or stopped; nothing leads to `aside`. */
const activitiesWith = (review: object): readonly ActivitySketch[] =>
  [
    { id: 'plan', transitions: [{ to: 'express', condition: 'small == true' }, { to: 'build' }] },
    { id: 'express', transitions: [{ to: 'review' }] },
    { id: 'build', transitions: [{ to: 'review' }] },
    { id: 'review', ...review, transitions: [{ to: 'deploy' }] },
    { id: 'deploy', transitions: [{ to: 'end' }] },
    { id: 'stopped', transitions: [{ to: 'end' }] },
    { id: 'aside', transitions: [{ to: 'end' }] },
  ] as ActivitySketch[];

const begin = (review: object, options: Parameters<typeof walk>[1] = {}): Walk => {
  const variables = [{ name: 'small', type: 'boolean' }];
  const more = { variables, initialActivity: 'plan' } as object;
  const session = walk(graph(activitiesWith(review), more), { enforcement: 'advisory', ...options });
  session.move();
  return session;
};

const moveTo = (activityId: string) => ({ kind: 'move', activityId }) as const;

describe('an advisory session whose workflow has a checkpoint for a person', () => {
  const places = ['plan', 'express', 'build', 'review', 'deploy', 'stopped', 'aside'];
  const others = (...open: readonly string[]) => places.filter((id) => !open.includes(id));

  it.each(others('build'))('refuses a move without a transition from the first activity to %s', (to) => {
    expect(refusalOf(begin({ checkpoints: [approve()] }), moveTo(to))).toMatchObject(passing);
  });

  it.each([
    ['yes', 'deploy'],
    ['no', 'stopped'],
  ])('refuses a move without a transition after the answer %s', (answer, next) => {
    const session = begin({ checkpoints: [approve()] });
    session.move();
    session.move();
    session.yield('approve');
    session.choose(answer, 'human');
    session.move();
    expect(session.state.current).toBe(next);
    for (const to of others()) expect(refusalOf(session, moveTo(to))).toMatchObject(passing);
    expect(session.move()).toMatchObject({ ok: true, warnings: [] });
  });

  it('accepts every move with an open transition without a warning', () => {
    const session = begin({ checkpoints: [approve()] });
    const small = session.move('express', { variables: { small: true } });
    expect(small).toMatchObject({ ok: true, warnings: [] });
  });

  it('refuses a move without a transition if the server requires people', () => {
    const anybody = { checkpoints: [approve({ approver: 'any' })] };
    expect(refusalOf(begin(anybody, { gates: 'human' }), moveTo('review'))).toMatchObject(passing);
    expect(refusalOf(begin(anybody), moveTo('review'))).toBeUndefined();
  });

  it('only warns about a move without a transition if the workflow has no such checkpoint', () => {
    for (const to of others('build')) {
      const decision = begin({}).move(to);
      expect(decision).toMatchObject({ ok: true, warnings: [expect.anything()] });
    }
  });
});

describe('a session whose workflow does not name its first activity', () => {
  const parts = (first: readonly object[]) =>
    [
      { id: 'plan', transitions: first },
      { id: 'other', transitions: [{ to: 'deploy', condition: 'small == true' }, { to: 'review' }] },
      { id: 'review', checkpoints: [approve()], transitions: [{ to: 'deploy' }] },
      { id: 'deploy', transitions: [{ to: 'end' }] },
    ] as ActivitySketch[];
  const unbegun = (first: readonly object[]) => walk(graph(parts(first)), { enforcement: 'advisory' });

  it('may begin in a part that the first activity does not lead to', () => {
    expect(unbegun([{ to: 'end' }]).move('other')).toMatchObject({ ok: true, warnings: [] });
  });

  it('may begin only at activities without incoming transitions, and only as its first move', () => {
    for (const to of ['review', 'deploy'])
      expect(refusalOf(unbegun([{ to: 'end' }]), moveTo(to))).toMatchObject(passing);
    const begun = unbegun([{ to: 'end' }]);
    begun.move();
    expect(refusalOf(begun, moveTo('other'))).toMatchObject(passing);
  });

  it('may not bypass a person that the first activity leads to', () => {
    expect(refusalOf(unbegun([{ to: 'review' }]), moveTo('other'))).toMatchObject(passing);
  });
});

describe('an advisory session of a step workflow', () => {
  const sign = { id: 'sign', title: 'Sign', prompt: 'Sign.', requireConfirmation: true } as const;
  const at = (approver: 'human' | 'any', moves: number): Walk => {
    const session = walk(
      sequence(workflow(['plan', 'build', { ...sign, approver }, 'deploy', 'report', 'close'])),
    );
    session.move();
    for (const id of ['plan', 'build', 'sign', 'deploy'].slice(0, moves)) {
      if (id === 'sign') {
        session.yield('confirm');
        session.choose('confirm', 'human');
      }
      session.move(undefined, manifest(id));
    }
    return session;
  };

  it.each([
    ['ahead, before the confirmation', 0, 'sign'],
    ['past the confirmation', 0, 'deploy'],
    ['back, before the confirmation', 1, 'plan'],
    ['back, after the confirmation', 3, 'plan'],
    ['ahead, after the confirmation', 3, 'close'],
  ])('follows the order of the steps if a person confirms one of them: %s', (_, moves, to) => {
    const current = ['plan', 'build', 'sign', 'deploy'][moves] ?? '';
    expect(refusalOf(at('human', moves), { ...moveTo(to), ...manifest(current) })).toMatchObject({
      code: 'ILLEGAL_TRANSITION',
      data: { activity_id: 'sign', reason: 'needs-person' },
    });
    expect(at('human', moves).state.current).toBe(current);
  });

  it('may leave the order if no person is asked', () => {
    const session = at('any', 0);
    for (const to of ['deploy', 'plan']) {
      const decision = session.move(to, manifest(session.state.current ?? ''));
      expect(decision).toMatchObject({ ok: true, warnings: [expect.anything()] });
    }
  });
});

describe('an answer that skips a checkpoint for a person with permission of the author', () => {
  const effect = { transitionTo: 'review', skipActivities: ['review'] };
  const all = [
    {
      id: 'plan',
      checkpoints: [
        approve({
          id: 'how',
          approver: 'any',
          options: [{ id: 'quick', label: 'Quick', effect }],
          autoAdvanceMs: 4000,
          defaultOption: 'quick',
          blocking: false,
        }),
      ],
      transitions: [{ to: 'review' }],
    },
    { id: 'review', checkpoints: [approve()] },
  ] as ActivitySketch[];

  it.each([
    ['an option', { kind: 'option', option: 'quick' }],
    ['a timer', { kind: 'auto-advance' }],
  ] as const)('takes effect if it is given by %s', (_, mode) => {
    const session = walk(graph(all), { enforcement: 'advisory' });
    session.move();
    session.yield('how');
    session.nowMs += 4000;
    expect(session.do({ kind: 'answer', mode, by: 'agent' }).ok).toBe(true);
    expect(session.move().ok).toBe(true);
    expect(session.state.status).toBe('completed');
  });

  it('is necessary for skipping it', () => {
    const session = walk(graph(all), { enforcement: 'advisory' });
    session.move();
    expect(refusalOf(session, moveTo('end'))).toMatchObject(passing);
    session.move();
    expect(session.state.current).toBe('review');
  });
});
