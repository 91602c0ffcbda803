import { expect, test } from 'vitest';
import { transitionTexts } from '../../../src/messages/sessions.ts';
import type { ActivitySketch, Walk } from '../../support/sessions.ts';
import { graph, walk } from '../../support/sessions.ts';

const again = { id: 'again', name: 'Again', type: 'while', activities: ['fix'] } as const;

const cycle = (loop: object, more: readonly ActivitySketch[] = []) =>
  graph([
    {
      id: 'host',
      loops: [{ ...again, ...loop }],
      transitions: [{ to: 'done' }],
    },
    { id: 'fix', transitions: [{ to: 'host' }] },
    { id: 'done' },
    ...more,
  ]);

function path(session: Walk, moves: number): readonly (string | undefined)[] {
  return Array.from({ length: moves }, () => {
    session.move();
    return session.state.current;
  });
}

test.each([
  ['a while loop never, where its condition is false', { condition: 'a == 1' }, ['host', 'done']],
  ['a doWhile loop at least once', { type: 'doWhile', condition: 'a == 1' }, ['host', 'fix', 'host', 'done']],
  ['as often as its bound', { condition: 'a == 2', maxIterations: 1 }, ['host', 'fix', 'host', 'done']],
  [
    'a forEach loop once for each item',
    { type: 'forEach', over: 'items' },
    ['host', 'fix', 'host', 'fix', 'host', 'done'],
  ],
  ['not once its break condition holds', { breakCondition: 'a == 2' }, ['host', 'done']],
])('The activities of a loop are entered again: %s', (_, loop, expected) => {
  const session = walk(cycle(loop), { enforcement: 'strict', variables: { a: 2, items: ['x', 'y'] } });
  expect(path(session, expected.length)).toEqual(expected);
});

test('The default transition cannot leave a loop that has iterations left', () => {
  const session = walk(cycle({ condition: 'a == 2' }), { enforcement: 'strict', variables: { a: 2 } });
  session.move();
  const { anotherIteration, by, loop, to } = transitionTexts;
  expect(session.move('done')).toMatchObject({
    code: 'ILLEGAL_TRANSITION',
    message: expect.stringContaining(to('fix', by(loop('again'), anotherIteration()))),
    data: { activities: ['fix'] },
  });
});

test('The variable of a loop has the item of the iteration', () => {
  const session = walk(cycle({ type: 'forEach', over: 'items', variable: 'item' }), {
    variables: { items: ['x', 'y'] },
  });
  session.move();
  const items = [0, 1].map(() => {
    session.move('fix');
    const { item } = session.state.variables;
    session.move('host');
    return item;
  });
  expect(items).toEqual(['x', 'y']);
});

test('An activity without transitions continues in its loop, and the last one continues where the loop began', () => {
  const chain = graph([
    {
      id: 'host',
      loops: [{ id: 'again', name: 'R', type: 'forEach', over: 'items', activities: ['fix', 'check'] }],
      transitions: [{ to: 'done' }],
    },
    { id: 'fix' },
    { id: 'check' },
    { id: 'done' },
  ]);
  const session = walk(chain, { enforcement: 'strict', variables: { items: [1, 2] } });
  expect(path(session, 6)).toEqual(['host', 'fix', 'check', 'fix', 'check', 'done']);
});

test('A loop does not begin with a skipped activity', () => {
  const modes = [{ id: 'm', name: 'M', activationVariable: 'hurry', skipActivities: ['fix'] }];
  const host = {
    id: 'host',
    loops: [{ id: 'again', name: 'R', type: 'while', activities: ['fix'] }],
    transitions: [{ to: 'done' }],
  } as const;
  const session = walk(
    graph([host, { id: 'fix', transitions: [{ to: 'host' }] }, { id: 'done' }], { modes }),
    {
      enforcement: 'strict',
      variables: { hurry: true },
    },
  );
  expect(path(session, 2)).toEqual(['host', 'done']);
});

test('A skipped activity is left out of the iteration', () => {
  const modes = [{ id: 'm', name: 'M', activationVariable: 'hurry', skipActivities: ['check'] }];
  const host = {
    id: 'host',
    loops: [
      { id: 'again', name: 'R', type: 'while', activities: ['fix', 'check', 'show'], maxIterations: 1 },
    ],
    transitions: [{ to: 'done' }],
  } as const;
  const chain = graph([host, { id: 'fix' }, { id: 'check' }, { id: 'show' }, { id: 'done' }], { modes });
  const session = walk(chain, { enforcement: 'strict', variables: { hurry: true } });
  expect(path(session, 4)).toEqual(['host', 'fix', 'show', 'done']);
});

test('A loop over activities leads to another activity, but a loop over steps does not', () => {
  const own = {
    id: 'rows',
    name: 'Rows',
    type: 'while',
    condition: 'a == 1',
    steps: [{ id: 'prune' }],
  } as const;
  const chain = graph([
    { id: 'host', loops: [{ ...again, maxIterations: 1 }] },
    { id: 'fix', loops: [own] },
    { id: 'other' },
  ]);
  const session = walk(chain, { enforcement: 'strict' });
  expect(path(session, 2)).toEqual(['host', 'fix']);
  expect(session.move().ok).toBe(true);
  expect(session.state.status).toBe('completed');
});

test('An activity that was visited more often than its loop has iterations no longer belongs to the loop', () => {
  const chain = graph([
    { id: 'fix' },
    { id: 'host', loops: [{ ...again, maxIterations: 1 }], transitions: [{ to: 'fix' }] },
  ]);
  const session = walk(chain, { enforcement: 'strict' });
  // First as the initial activity, then in the iteration of the loop, and then by the transition that leads back to it.
  expect(path(session, 3)).toEqual(['fix', 'fix', 'fix']);
  session.move();
  expect(session.state.status).toBe('completed');
});

test('An activity outside of loops has no transitions from the loops of other activities', () => {
  const chain = graph([
    { id: 'alone' },
    { id: 'host', loops: [again], transitions: [{ to: 'alone' }] },
    { id: 'fix' },
  ]);
  const session = walk(chain, { enforcement: 'strict' });
  session.move();
  session.move();
  expect(session.state.status).toBe('completed');
});

test.each([
  ['that is not a forEach loop', { over: 'items', variable: 'item', maxIterations: 2 }],
  ['without a list', { type: 'forEach', variable: 'item', maxIterations: 2 }],
  ['over a value that is not a list', { type: 'forEach', over: 'size', variable: 'item', maxIterations: 2 }],
])('A loop %s has its iterations, and sets no variable', (_, loop) => {
  const variables = { items: ['x'], size: 'large' };
  const session = walk(cycle(loop), { enforcement: 'strict', variables });
  expect(path(session, 6)).toEqual(['host', 'fix', 'host', 'fix', 'host', 'done']);
  expect(session.state.variables).toEqual(variables);
});

test('An iteration without an item leaves the last item in the variable of the loop', () => {
  const session = walk(cycle({ type: 'forEach', over: 'items', variable: 'item' }), {
    variables: { items: ['x'] },
  });
  session.move();
  session.move('fix');
  session.move('host');
  session.move('fix');
  expect(session.state.variables['item']).toBe('x');
});
