import type { Checkpoint } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import type { Navigator } from '../../../src/navigation/navigator.ts';
import { codeOf, enforcements, graph, refusalOf, walk } from '../../support/sessions.ts';

/** Returns a workflow with a loop over `fix`, which asks about each item. After it comes `done`, which leads back while `again` is true. */
function circuit(checkpoint: Checkpoint): Navigator {
  const each = { id: 'each', name: 'Each', type: 'forEach', over: 'items', variable: 'item' } as const;
  return graph([
    { id: 'host', loops: [{ ...each, activities: ['fix'] }], transitions: [{ to: 'done' }] },
    { id: 'fix', checkpoints: [checkpoint] },
    { id: 'done', transitions: [{ to: 'host', condition: 'again == true' }] },
  ]);
}

test.each(enforcements)(
  'An answer freezes what its checkpoint showed while other items are asked about: %s',
  (enforcement) => {
    const approve = {
      id: 'ok',
      name: 'OK',
      message: 'Run {item} of {items} on {env}?',
      approver: 'human',
      options: [{ id: 'yes', label: 'Yes' }],
    } as const;
    const session = walk(circuit(approve), {
      enforcement,
      variables: { items: ['a', 'b'], env: 'staging' },
    });
    const again = { kind: 'yield', checkpointId: 'ok', variables: { env: 'production' } } as const;
    const refused = {
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'env', rule: 'frozen', reason: 'other-iteration' },
    };
    session.move();
    session.move();
    session.yield('ok');
    session.choose('yes', 'human');
    session.move('fix');
    expect(session.state.variables).toMatchObject({ item: 'b' });
    expect(refusalOf(session, again)).toMatchObject(refused);
    expect(session.do({ ...again, variables: { items: ['a', 'b', 'c'] } }).ok).toBe(true);
    session.choose('yes', 'human');
    // The answer about the first item still applies after the question about the second item is asked again.
    expect(refusalOf(session, again)).toMatchObject(refused);
  },
);

test('Entering a loop again asks again about what earlier checkpoints showed', () => {
  const approve = {
    id: 'ok',
    name: 'OK',
    message: 'Run {item} on {env}?',
    options: [{ id: 'yes', label: 'Yes' }],
  } as const;
  const session = walk(circuit(approve), {
    variables: { items: ['a'], env: 'staging', again: true },
  });
  const approveOn = (env: string): void => {
    while (session.state.current !== 'fix') session.move();
    expect(session.do({ kind: 'yield', checkpointId: 'ok', variables: { env } }).ok).toBe(true);
    session.choose('yes', 'human');
    session.move();
  };
  approveOn('staging');
  approveOn('production');
  expect(session.state.variables).toMatchObject({ env: 'production' });
});

test.each(enforcements)('A loop without a list asks again with the changed value: %s', (enforcement) => {
  const loop = {
    id: 'until',
    name: 'Until',
    type: 'while',
    condition: 'good != true',
    activities: ['ask'],
  } as const;
  const approve = {
    id: 'ok',
    name: 'OK',
    message: 'Is {draft} good?',
    approver: 'human',
    options: [{ id: 'no', label: 'No' }],
  } as const;
  const session = walk(
    graph([
      { id: 'host', loops: [loop], transitions: [{ to: 'done' }] },
      { id: 'ask', checkpoints: [approve] },
      { id: 'done' },
    ]),
    { enforcement, variables: { draft: 'one' } },
  );
  session.move();
  session.move();
  session.yield('ok');
  session.choose('no', 'human');
  session.move('ask');
  expect(session.state.visits).toMatchObject({ ask: 2 });
  expect(session.do({ kind: 'yield', checkpointId: 'ok', variables: { draft: 'two' } }).ok).toBe(true);
});

test.each(enforcements)(
  'The checkpoint about the next item may show other values, unless set_by names an activity before the loop: %s',
  (enforcement) => {
    const each = { id: 'each', name: 'Each', type: 'forEach', over: 'items', variable: 'item' } as const;
    const approve = {
      id: 'ok',
      name: 'OK',
      message: 'Run {item} on {env}?',
      approver: 'human',
      options: [{ id: 'yes', label: 'Yes' }],
    } as const;
    const activities = [
      { id: 'plan', transitions: [{ to: 'host' }] },
      { id: 'host', loops: [{ ...each, activities: ['prep', 'ask'] }], transitions: [{ to: 'deploy' }] },
      { id: 'prep' },
      { id: 'ask', checkpoints: [approve] },
      { id: 'deploy' },
    ];
    const items = { name: 'items', type: 'array', defaultValue: ['a', 'b'] } as const;
    const declared = [items, { name: 'item', type: 'string' }] as const;
    for (const setBy of [undefined, 'plan']) {
      const env = { name: 'env', type: 'string', ...(setBy === undefined ? {} : { set_by: setBy }) } as const;
      const session = walk(graph(activities, { variables: [...declared, env] }), { enforcement });
      session.move();
      session.move(undefined, { variables: { env: 'staging' } });
      for (const id of ['prep', 'ask']) session.move(id);
      session.yield('ok');
      session.choose('yes', 'human');
      const changed = { variables: { env: 'production' } };
      expect(codeOf(session.move('prep', changed))).toBe('VARIABLE_PROTECTED');
      session.move('prep');
      expect(session.state.variables).toMatchObject({ item: 'b', env: 'staging' });
      expect(codeOf(session.move('ask', changed))).toBe(
        setBy === undefined ? undefined : 'VARIABLE_PROTECTED',
      );
    }
  },
);

test.each(enforcements)(
  'A "no" about one item remains after a "yes" about another, even with an iteration of another loop between them: %s',
  (enforcement) => {
    const approve: Checkpoint = {
      id: 'ok',
      name: 'OK',
      message: 'Ship {file}?',
      approver: 'human',
      options: [
        { id: 'yes', label: 'Yes' },
        { id: 'no', label: 'No', effect: { setVariable: { blocked: true } } },
      ],
    };
    const loop = { name: 'Each', type: 'forEach' } as const;
    const host = {
      id: 'host',
      loops: [
        { ...loop, id: 'l2', over: 'tasks', variable: 'task', activities: ['note'] },
        { ...loop, id: 'l1', over: 'files', variable: 'file', activities: ['review'] },
      ],
      transitions: [{ to: 'fix', condition: 'blocked == true' }, { to: 'publish' }],
    };
    const review = { id: 'review', checkpoints: [approve] };
    const navigator = graph([host, review, { id: 'note' }, { id: 'fix' }, { id: 'publish' }]);
    const session = walk(navigator, {
      enforcement,
      variables: { files: ['a', 'b'], tasks: [1], blocked: false },
    });
    session.move();
    for (const [to, option] of [
      ['review', 'no'],
      ['note', undefined],
      ['review', 'yes'],
    ] as const) {
      expect(codeOf(session.move(to)) ?? session.state.current).toBe(to);
      if (option === undefined) continue;
      session.yield('ok');
      session.choose(option, 'human');
    }
    expect(session.state.variables).toMatchObject({ file: 'b', blocked: true });
    expect(codeOf(session.move('publish'))).toBeDefined();
  },
);
