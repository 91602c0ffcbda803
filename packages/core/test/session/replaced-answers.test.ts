import { describe, expect, test } from 'vitest';
import type { ActivitySketch } from './fixtures.ts';
import { codeOf, enforcements, graph, walk } from './fixtures.ts';

describe.each(enforcements)('a new answer replaces the one before: %s', (enforcement) => {
  const asking = (effect: object, more: ActivitySketch = { id: 'ask', steps: [] }): ActivitySketch[] => [
    {
      checkpoints: [
        {
          id: 'approve',
          name: 'Approve',
          message: 'Merge {head}?',
          approver: 'human',
          options: [
            { id: 'yes', label: 'Yes', effect },
            { id: 'no', label: 'No' },
          ],
        },
      ],
      transitions: [{ to: 'fix' }],
      ...more,
    },
    { id: 'fix', transitions: [{ to: 'ask' }] },
    { id: 'merge' },
  ];
  function yesThenNo(effect: object) {
    const session = walk(graph(asking(effect)), { enforcement });
    session.move(undefined, { variables: { head: 'good' } });
    session.yield('approve');
    session.choose('yes', 'human');
    session.do({ kind: 'yield', checkpointId: 'approve', variables: { head: 'evil' } });
    session.choose('no', 'human');
    return session;
  }

  test('it takes back the next activity', () => {
    const session = yesThenNo({ transitionTo: 'merge' });
    expect(session.state.expected).toBeUndefined();
    session.move();
    expect(session.state.current).toBe('fix');
  });

  test('it takes back the skipped activities', () => {
    expect(yesThenNo({ skipActivities: ['fix'] }).state.skipped).toEqual([]);
  });

  test('it takes back the values, which still belong to the checkpoint', () => {
    const session = yesThenNo({ setVariable: { approved: true } });
    expect(session.state).toMatchObject({
      variables: { approved: null },
      origins: { approved: { by: 'checkpoint', checkpoint: 'approve', answeredBy: 'human' } },
    });
    expect(codeOf(session.move(undefined, { variables: { approved: true } }))).toBe('VARIABLE_PROTECTED');
  });

  test('it does so in a later visit too, but not in the rounds of a loop', () => {
    const effect = { setVariable: { seen: true } };
    const again = walk(graph(asking(effect)), { enforcement });
    const rounds = walk(
      graph([
        {
          id: 'host',
          loops: [{ id: 'each', name: 'Each', type: 'forEach', over: 'items', activities: ['ask'] }],
        },
        ...asking(effect, { id: 'ask', transitions: [{ to: 'host' }] }),
      ]),
      { enforcement },
    );
    rounds.move(undefined, { variables: { items: [1, 2] } });
    for (const session of [again, rounds]) {
      for (const chosen of ['yes', 'no']) {
        if (session.state.visits['ask'] === 1) session.move();
        session.move('ask');
        session.yield('approve');
        session.choose(chosen, 'human');
      }
    }
    expect([again, rounds].map(({ state }) => state.visits['ask'])).toEqual([2, 2]);
    expect(again.state.variables['seen']).toBe(null);
    expect(rounds.state.variables['seen']).toBe(true);
  });

  test('answers about the items of a loop over steps add up', () => {
    const loops = [
      {
        id: 'each',
        name: 'Each',
        type: 'forEach' as const,
        over: 'items',
        variable: 'item',
        steps: [{ id: 'sign', checkpoint: 'approve' }],
      },
    ];
    const session = walk(graph(asking({ setVariable: { rejected: true } }, { id: 'ask', loops })), {
      enforcement,
    });
    session.move(undefined, { variables: { items: ['a', 'b'] } });
    for (const chosen of ['yes', 'no']) {
      session.yield('approve');
      session.choose(chosen, 'human');
    }
    expect(session.state.variables['rejected']).toBe(true);
  });
});
