import { describe, expect, test } from 'vitest';
import type { ActivitySketch, Walk } from '../../support/sessions.ts';
import { codeOf, enforcements, graph, walk } from '../../support/sessions.ts';

describe.each(enforcements)('an answer that replaces an earlier one: %s', (enforcement) => {
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

  test('resets the next activity', () => {
    const session = yesThenNo({ transitionTo: 'merge' });
    expect(session.state.expected).toBeUndefined();
    session.move();
    expect(session.state.current).toBe('fix');
  });

  test('resets the skipped activities', () => {
    expect(yesThenNo({ skipActivities: ['fix'] }).state.skipped).toEqual([]);
  });

  test('resets the values, which still belong to the checkpoint', () => {
    const session = yesThenNo({ setVariable: { approved: true } });
    expect(session.state).toMatchObject({
      variables: { approved: null },
      origins: { approved: { by: 'checkpoint', checkpoint: 'approve', answeredBy: 'human' } },
    });
    expect(codeOf(session.move(undefined, { variables: { approved: true } }))).toBe('VARIABLE_PROTECTED');
  });

  test('resets the values in a later visit too, but not in the iterations of a loop', () => {
    const effect = { setVariable: { seen: true } };
    const again = walk(graph(asking(effect)), { enforcement });
    const looping = walk(
      graph([
        {
          id: 'host',
          loops: [{ id: 'each', name: 'Each', type: 'forEach', over: 'items', activities: ['ask'] }],
        },
        ...asking(effect, { id: 'ask', transitions: [{ to: 'host' }] }),
      ]),
      { enforcement },
    );
    looping.move(undefined, { variables: { items: [1, 2] } });
    for (const session of [again, looping]) {
      for (const chosen of ['yes', 'no']) {
        if (session.state.visits['ask'] === 1) session.move();
        session.move('ask');
        session.yield('approve');
        session.choose(chosen, 'human');
      }
    }
    expect([again, looping].map(({ state }) => state.visits['ask'])).toEqual([2, 2]);
    expect(again.state.variables['seen']).toBe(null);
    expect(looping.state.variables['seen']).toBe(true);
  });

  test('does not reset the answers about other items of a loop over steps', () => {
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

  describe('about an item of a loop', () => {
    const once = { setVariable: { seen: true } };
    const over = { id: 'each', name: 'Each', type: 'forEach' as const, over: 'items', variable: 'item' };
    const answer = (session: Walk, ...chosen: readonly string[]) => {
      for (const one of chosen) {
        session.yield('approve');
        session.choose(one, 'human');
      }
    };
    function inLoop(items: readonly number[]) {
      const again = { to: 'ask', condition: 'redo == true' };
      const session = walk(
        graph([
          { id: 'host', loops: [{ ...over, activities: ['ask'] }], transitions: [{ to: 'close' }] },
          ...asking(once, { id: 'ask', transitions: [{ to: 'check' }] }).slice(0, 1),
          { id: 'check', transitions: [again, { to: 'host' }] },
          { id: 'close', transitions: [{ to: 'host' }] },
        ]),
        { enforcement },
      );
      session.move(undefined, { variables: { items: [...items] } });
      session.move('ask');
      return session;
    }
    const back = (session: Walk) => {
      session.move('check');
      session.move('ask', { variables: { redo: true } });
    };
    const on = (session: Walk, to: string) => {
      session.move('check');
      session.move('host', { variables: { redo: false } });
      session.move(to);
    };

    test('resets the answer in the same iteration of a loop over activities', () => {
      const session = inLoop([1]);
      answer(session, 'yes');
      back(session);
      answer(session, 'no');
      expect(session.state.variables['seen']).toBe(null);
    });

    test('keeps what an answer about another item set', () => {
      const session = inLoop([1, 2]);
      answer(session, 'yes');
      on(session, 'ask');
      answer(session, 'yes');
      back(session);
      answer(session, 'no', 'no');
      expect(session.state.visits['ask']).toBe(3);
      expect(session.state.variables['seen']).toBe(true);
    });

    test('resets what the answer about the second item set', () => {
      const session = inLoop([1, 2]);
      answer(session, 'no');
      on(session, 'ask');
      answer(session, 'yes');
      expect(session.state.variables['seen']).toBe(true);
      back(session);
      answer(session, 'no');
      expect(session.state.variables['seen']).toBe(null);
    });

    test('resets all answers if the loop is entered again', () => {
      const session = inLoop([1]);
      answer(session, 'yes');
      on(session, 'close');
      session.move('host');
      session.move('ask');
      answer(session, 'no');
      expect(session.state.visits['ask']).toBe(2);
      expect(session.state.variables['seen']).toBe(null);
    });

    test.each([
      { chosen: ['no', 'yes', 'no'], seen: null },
      { chosen: ['yes', 'yes', 'no'], seen: true },
      { chosen: ['yes', 'no', 'no'], seen: true },
    ])('resets the answer in the same iteration of a loop over steps: %o', ({ chosen, seen }) => {
      const loops = [{ ...over, steps: [{ id: 'sign', checkpoint: 'approve' }] }];
      const session = walk(graph(asking(once, { id: 'ask', loops })), { enforcement });
      session.move(undefined, { variables: { items: ['a', 'b'] } });
      answer(session, ...chosen);
      expect(session.state.variables['seen']).toBe(seen);
    });

    test('resets the activities that were skipped for the same item, but not those for another', () => {
      const loops = [{ ...over, steps: [{ id: 'sign', checkpoint: 'approve' }] }];
      const skip = { skipActivities: ['fix'] };
      for (const [first, skipped] of [
        ['no', []],
        ['yes', ['fix']],
      ] as const) {
        const session = walk(graph(asking(skip, { id: 'ask', loops })), { enforcement });
        session.move(undefined, { variables: { items: ['a', 'b'] } });
        answer(session, first, 'yes', 'no');
        expect(session.state.skipped).toEqual(skipped);
      }
    });
  });
});

test.each(enforcements)('An answer that leads elsewhere first does not end a freeze: %s', (enforcement) => {
  const checkpoint = (id: string, message: string, transitionTo: string) => ({
    id,
    name: id,
    message,
    approver: 'human' as const,
    options: [{ id: 'yes', label: 'Yes', effect: { transitionTo } }],
  });
  const checkpoints = [
    checkpoint('approve', 'Deploy to {env}?', 'deploy'),
    checkpoint('check', 'Look at it first?', 'look'),
  ];
  const session = walk(
    graph([
      { id: 'ask', checkpoints, transitions: [{ to: 'deploy' }] },
      { id: 'look', transitions: [{ to: 'deploy' }] },
      { id: 'deploy', transitions: [{ to: 'report' }] },
      { id: 'report' },
    ]),
    { enforcement },
  );
  session.move(undefined, { variables: { env: 'staging' } });
  for (const { id } of checkpoints) {
    session.yield(id);
    session.choose('yes', 'human');
  }
  const changed = { variables: { env: 'prod' } };
  for (const id of ['look', 'deploy', 'report']) {
    expect(codeOf(session.move(undefined, changed))).toBe('VARIABLE_PROTECTED');
    session.move();
    expect(session.state.current).toBe(id);
  }
  expect(session.move(undefined, changed).ok).toBe(true);
});
