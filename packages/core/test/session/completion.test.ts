import { expect, test } from 'vitest';
import { messages } from '../../src/messages/sessions.ts';
import { codeOf, enforcements, graph, said, walk } from './fixtures.ts';

const pair = graph([{ id: 'one', transitions: [{ to: 'two' }] }, { id: 'two' }]);

test('a session is completed by moving on from an activity without transitions', () => {
  const session = walk(pair, { enforcement: 'strict' });
  for (let move = 0; move < 3; move += 1) session.move();
  expect(session.state).toMatchObject({ status: 'completed', completed: ['one', 'two'], revision: 4 });
  expect(session.state.current).toBeUndefined();
  expect(session.journal.at(-1)?.event).toMatchObject({ type: 'session-completed', from: 'two' });
});

test.each(['end', 'end-workflow', 'complete'])('the reserved word %s completes it', (word) => {
  const session = walk(pair, { enforcement: 'strict' });
  session.move('one');
  session.move('two');
  expect(said(session.move(word))).toEqual([]);
  expect(session.state.status).toBe('completed');
});

test('an activity keeps a reserved word as its id', () => {
  const session = walk(graph([{ id: 'one', transitions: [{ to: 'complete' }] }, { id: 'complete' }]));
  session.move();
  session.move('complete');
  expect(session.state).toMatchObject({ status: 'active', current: 'complete' });
});

test.each(enforcements)('the end while a transition is legal: %s', (enforcement) => {
  const session = walk(pair, { enforcement });
  session.move();
  const decision = session.move('end');
  expect(said(decision)[0]).toContain("from 'one' it continues with two");
  expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'ILLEGAL_TRANSITION' : undefined);
});

test.each(enforcements)('the end before a required activity was visited: %s', (enforcement) => {
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
  expect(said(decision)[0]).toContain('must');
  expect(decision.ok).toBe(enforcement === 'advisory');
});

test('an end that comes only because nobody set a variable has to be asked for', () => {
  const session = walk(
    graph([{ id: 'one', transitions: [{ to: 'two', condition: 'a == 1' }] }, { id: 'two' }]),
    {
      enforcement: 'strict',
    },
  );
  session.move();
  expect(said(session.move())[0]).toContain('nobody set a');
  expect(session.move('end').ok).toBe(true);
});

test.each([
  ['a == 1', { a: null }],
  ['a.b == 1', { a: { b: null } }],
])('null unsets what would open a transition: %s', (condition, variables) => {
  const flow = graph([{ id: 'one', transitions: [{ to: 'two', condition }] }, { id: 'two' }]);
  const session = walk(flow, { enforcement: 'strict', variables });
  session.move();
  expect(codeOf(session.move())).toBe('ILLEGAL_TRANSITION');
  expect(session.move('end').ok).toBe(true);
});

test('a transition whose condition is settled as false leaves the end', () => {
  const transitions = [{ to: 'two', condition: 'a == 1' }];
  const session = walk(graph([{ id: 'one', transitions }, { id: 'two' }]), {
    enforcement: 'strict',
    variables: { a: 2 },
  });
  session.move();
  expect(said(session.move())).toEqual([]);
  expect(session.state.status).toBe('completed');
});

test('the last manifest is judged', () => {
  const session = walk(graph([{ id: 'one', steps: [{ id: 'stick' }] }]));
  session.move();
  expect(said(session.move('end'))[0]).toBe(messages.noManifest('one', 'stick'));
});

test.each([
  ['move', { kind: 'move' }],
  ['yield', { kind: 'yield', checkpointId: 'ask' }],
  ['answer', { kind: 'answer', mode: { kind: 'auto-advance' }, by: 'human' }],
  ['abandon', { kind: 'abandon' }],
] as const)('a completed session takes no %s', (_, command) => {
  const session = walk(pair);
  session.move('end');
  const decision = session.do(command);
  expect(codeOf(decision)).toBe('SESSION_COMPLETED');
  expect(said(decision)[0]).toContain('completed');
});

test('an abandoned session stays where it was, its gate is gone, and its activity is not completed', () => {
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

test('a workflow none of whose activities can be used is no end but an obstacle', () => {
  const session = walk(graph([]));
  expect(codeOf(session.move())).toBe('INVALID_STATE');
  expect(session.state.status).toBe('active');
});
