import { expect, test } from 'vitest';
import { messages, transitionTexts } from '../../../src/messages/sessions.ts';
import { codeOf, enforcements, graph, said, walk } from '../../support/sessions.ts';

const pair = graph([{ id: 'one', transitions: [{ to: 'two' }] }, { id: 'two' }]);

test('A session is completed by a move from an activity without transitions', () => {
  const session = walk(pair, { enforcement: 'strict' });
  for (let move = 0; move < 3; move += 1) session.move();
  expect(session.state).toMatchObject({ status: 'completed', completed: ['one', 'two'], revision: 4 });
  expect(session.state.current).toBeUndefined();
  expect(session.journal.at(-1)?.event).toMatchObject({ type: 'session-completed', from: 'two' });
});

test.each(['end', 'end-workflow', 'complete'])('The reserved word %s completes the session', (word) => {
  const session = walk(pair, { enforcement: 'strict' });
  session.move('one');
  session.move('two');
  expect(said(session.move(word))).toEqual([]);
  expect(session.state.status).toBe('completed');
});

test('An activity can have a reserved word as its id', () => {
  const session = walk(graph([{ id: 'one', transitions: [{ to: 'complete' }] }, { id: 'complete' }]));
  session.move();
  session.move('complete');
  expect(session.state).toMatchObject({ status: 'active', current: 'complete' });
});

test.each(enforcements)(
  'Ending while a transition is open is a warning, or refused if strict: %s',
  (enforcement) => {
    const session = walk(pair, { enforcement });
    session.move();
    const decision = session.move('end');
    expect(said(decision)[0]).toContain(
      messages.continuesInstead('one', transitionTexts.to('two', 'default')),
    );
    expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'ILLEGAL_TRANSITION' : undefined);
  },
);

test.each(enforcements)(
  'Ending before a required activity was visited is a warning, or refused if strict: %s',
  (enforcement) => {
    const transitions = [{ to: 'must', condition: 'a == 1' }, { to: 'end' }];
    const session = walk(
      graph([
        { id: 'one', transitions },
        { id: 'must', required: true },
      ]),
      {
        enforcement,
        variables: { a: 2 },
      },
    );
    session.move();
    const decision = session.move();
    expect(said(decision)[0]).toContain(messages.notVisited(['must']));
    expect(decision.ok).toBe(enforcement === 'advisory');
  },
);

test('A move ends the session only on request if an unset variable decides the transition', () => {
  const session = walk(
    graph([{ id: 'one', transitions: [{ to: 'two', condition: 'a == 1' }] }, { id: 'two' }]),
    {
      enforcement: 'strict',
    },
  );
  session.move();
  expect(session.move()).toMatchObject({
    code: 'ILLEGAL_TRANSITION',
    data: { problems: [messages.transitionUndecided(['a'])] },
  });
  expect(session.move('end').ok).toBe(true);
});

test.each([
  ['a == 1', { a: null }],
  ['a.b == 1', { a: { b: null } }],
])('Setting a variable to null closes the transition with the condition %s', (condition, variables) => {
  const flow = graph([{ id: 'one', transitions: [{ to: 'two', condition }] }, { id: 'two' }]);
  const session = walk(flow, { enforcement: 'strict', variables });
  session.move();
  expect(codeOf(session.move())).toBe('ILLEGAL_TRANSITION');
  expect(session.move('end').ok).toBe(true);
});

test('A session can end if the conditions of all transitions are false', () => {
  const transitions = [{ to: 'two', condition: 'a == 1' }];
  const session = walk(graph([{ id: 'one', transitions }, { id: 'two' }]), {
    enforcement: 'strict',
    variables: { a: 2 },
  });
  session.move();
  expect(said(session.move())).toEqual([]);
  expect(session.state.status).toBe('completed');
});

test('The last manifest is checked', () => {
  const session = walk(graph([{ id: 'one', steps: [{ id: 'stick' }] }]));
  session.move();
  expect(said(session.move('end'))[0]).toBe(messages.noManifest('one', ['stick']));
});

test.each([
  ['move', { kind: 'move' }],
  ['yield', { kind: 'yield', checkpointId: 'ask' }],
  ['answer', { kind: 'answer', mode: { kind: 'auto-advance' }, by: 'human' }],
  ['abandon', { kind: 'abandon' }],
] as const)('A completed session refuses the command %s', (_, command) => {
  const session = walk(pair);
  session.move('end');
  expect(codeOf(session.do(command))).toBe('SESSION_COMPLETED');
});

test('An abandoned session stays at its activity without an open checkpoint, and does not complete the activity', () => {
  const options = [{ id: 'yes', label: 'Yes' }];
  const session = walk(
    graph([{ id: 'one', checkpoints: [{ id: 'ask', name: 'Ask', message: 'Go?', options }] }]),
  );
  session.move();
  session.yield('ask');
  session.do({ kind: 'abandon' });
  expect(session.state).toMatchObject({
    status: 'completed',
    outcome: 'abandoned',
    current: 'one',
    completed: [],
    revision: 4,
  });
  expect(session.state.gate).toBeUndefined();
});

test('A session cannot move or end if the workflow has no usable activity', () => {
  const session = walk(graph([]));
  expect(codeOf(session.move())).toBe('INVALID_STATE');
  expect(session.state.status).toBe('active');
});
