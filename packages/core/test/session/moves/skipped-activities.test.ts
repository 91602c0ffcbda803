import { describe, expect, it } from 'vitest';
import type { ActivitySketch } from '../../support/sessions.ts';
import { enforcements, graph, walk } from '../../support/sessions.ts';

const approve = (more: object = {}) =>
  ({
    id: 'approve',
    name: 'Approve',
    message: 'Approve?',
    approver: 'human',
    options: [{ id: 'yes', label: 'Yes' }],
    ...more,
  }) as const;

describe.each(enforcements)('an answer that skips an activity: %s', (enforcement) => {
  const each = { id: 'each', name: 'Each', type: 'forEach', over: 'files', variable: 'file' } as const;
  const sign = {
    id: 'sign',
    steps: [{ id: 'ask', checkpoint: 'approve' }],
    checkpoints: [approve()],
    transitions: [{ to: 'deploy' }],
  };
  /** Returns a session in which an answer at `start` has skipped `next`. */
  const skipping = (approver: 'any' | 'human', others: readonly object[], skipActivities = ['next']) => {
    const quick = { id: 'quick', label: 'Quick', effect: { skipActivities } };
    const ask = approve({ id: 'how', approver, options: [quick] });
    const all = [
      ...others.filter((one) => 'loops' in one),
      { id: 'start', checkpoints: [ask], transitions: [{ to: skipActivities[0] }] },
      ...others.filter((one) => !('loops' in one)),
      sign,
      { id: 'deploy' },
    ] as ActivitySketch[];
    const session = walk(graph(all), { enforcement, variables: { files: ['a', 'b'] } });
    session.move();
    if (session.state.current !== 'start') session.move('start');
    session.yield('how');
    session.choose('quick', approver === 'human' ? 'human' : 'agent');
    return session;
  };

  it('leaves the session in the loop of the activity until all iterations are done', () => {
    const host = {
      id: 'host',
      loops: [{ ...each, activities: ['start', 'next'] }],
      transitions: [{ to: 'sign' }],
    };
    const session = skipping('any', [host, { id: 'next' }]);
    session.move();
    expect(session.state).toMatchObject({ current: 'start', variables: { file: 'b' } });
    expect(session.state.loops).toEqual([{ activity: 'host', loop: 'each', rounds: 2 }]);
    session.move();
    expect(session.state.current).toBe('sign');
  });

  it('leads to the next activity of the loop', () => {
    const host = {
      id: 'host',
      loops: [{ ...each, activities: ['start', 'next', 'last'] }],
      transitions: [{ to: 'sign' }],
    };
    const session = skipping('any', [host, { id: 'next' }, { id: 'last' }]);
    session.move();
    expect(session.state).toMatchObject({ current: 'last', variables: { file: 'a' } });
    session.move();
    expect(session.state).toMatchObject({ current: 'start', variables: { file: 'b' } });
  });

  it('does not begin the loop again if a transition outside of the loop leads to the activity', () => {
    const host = {
      id: 'host',
      loops: [{ ...each, activities: ['next', 'start'] }],
      transitions: [{ to: 'next' }, { to: 'sign' }],
    };
    const quick = { id: 'quick', label: 'Quick', effect: { skipActivities: ['next'] } };
    const all = [
      host,
      { id: 'next' },
      { id: 'start', checkpoints: [approve({ id: 'how', approver: 'human', options: [quick] })] },
    ] as ActivitySketch[];
    const session = walk(graph(all), { enforcement, variables: { files: ['a'] } });
    for (const _ of ['host', 'next', 'start']) session.move();
    session.yield('how');
    session.choose('quick', 'human');
    session.move();
    expect(session.state.status).toBe('completed');
  });

  it.each([
    [
      'by transitions that are not open',
      [{ id: 'next', transitions: [{ to: 'sign', condition: 'ready == true' }] }],
    ],
    [
      'by a circle',
      [{ id: 'next', transitions: [{ to: 'next' }, { to: 'sign', condition: 'ready == true' }] }],
    ],
  ])('does not skip an activity that leads to a person %s, unless a person answered', (_, others) => {
    const session = skipping('any', others);
    session.move();
    expect(session.state.current).toBe('next');
    const chosen = skipping('human', others);
    chosen.move();
    expect(chosen.state.status).toBe('completed');
  });
});
