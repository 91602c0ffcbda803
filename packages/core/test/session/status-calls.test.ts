import { expect, test } from 'vitest';
import { statusOf } from '../../src/session/status.ts';
import { graph, walk } from '../support/sessions.ts';
import { transitionTexts } from '../../src/messages/sessions.ts';

const checkpoint = (id: string, options = [{ id: 'yes', label: 'Yes' }]) => ({
  id,
  name: id,
  message: 'Go?',
  options,
});

test('A session with a waiting checkpoint and a completed session have no obstacle', () => {
  const transitions = [{ to: 'label', condition: 'ripe == true' }];
  const fork = graph(
    [
      { id: 'press', transitions, checkpoints: [checkpoint('ask')] },
      { id: 'label', required: true },
    ],
    { variables: [{ name: 'ripe', type: 'boolean', defaultValue: false }] },
  );
  const session = walk(fork);
  session.move();
  expect(statusOf(session.state, fork).obstacle).toContain('label');
  session.yield('ask');
  expect(statusOf(session.state, fork)).not.toHaveProperty('obstacle');
  session.do({ kind: 'abandon' });
  expect(statusOf(session.state, fork)).not.toHaveProperty('obstacle');
});

test('The status of a session with an obstacle offers only a move, with its steps', () => {
  const none = graph([]);
  expect(statusOf(walk(none).state, none)).toMatchObject({
    obstacle: transitionTexts.noActivity(),
    next: [{ kind: 'move', steps: [] }],
  });
});

test('The calls include the end among the other transitions, and no undecided ones if a transition is open', () => {
  const fork = graph([
    {
      id: 'one',
      transitions: [
        { to: 'end', condition: 'a == 1' },
        { to: 'two', condition: 'a == 1' },
        { to: 'two', condition: 'b == 1' },
      ],
    },
    { id: 'two' },
  ]);
  const session = walk(fork, { variables: { a: 1 } });
  session.move();
  expect(statusOf(session.state, fork).next).toStrictEqual([
    { kind: 'read-activity', activity: 'one' },
    { kind: 'move', activity: 'end', steps: [] },
    { kind: 'move', activity: 'two', steps: [] },
  ]);
});

test('The calls do not include the end until all required activities were visited', () => {
  const navigator = graph([
    {
      id: 'one',
      transitions: [
        { to: 'end', condition: 'a == 1' },
        { to: 'two', condition: 'a == 1' },
      ],
    },
    { id: 'two', required: true, transitions: [{ to: 'one' }] },
  ]);
  const session = walk(navigator, { enforcement: 'strict', variables: { a: 1 } });
  const moves = (): readonly unknown[] =>
    statusOf(session.state, navigator).next.flatMap((call) => (call.kind === 'move' ? [call.activity] : []));
  session.move();
  expect(moves()).toEqual(['two']);
  session.move('two');
  session.move('one');
  expect(moves()).toEqual(['end', 'two']);
});

test('The call for the end names no activity if activities have all reserved words as ids', () => {
  const words = graph([{ id: 'end' }, { id: 'end-workflow' }, { id: 'complete' }]);
  const session = walk(words);
  session.move();
  const [, move] = statusOf(session.state, words).next;
  expect(move).toStrictEqual({ kind: 'move', steps: [] });
});

test('The steps, options and calls of a status are shortened, and the rest is counted', () => {
  const long = (index: number): string => `a-name-of-some-length-that-goes-on-and-on-${index}`;
  const ids = Array.from({ length: 200 }, (_, index) => long(index));
  const wide = graph([
    {
      id: 'one',
      steps: ids.map((id) => ({ id })),
      checkpoints: [
        checkpoint(
          'ask',
          ids.map((id) => ({ id, label: id })),
        ),
        ...ids.map((id) => checkpoint(id)),
      ],
    },
  ]);
  const session = walk(wide);
  session.move();
  const { next, omitted } = statusOf(session.state, wide);
  expect(next).toHaveLength(32);
  expect(omitted).toStrictEqual({ next: 171 });
  const stepped = graph([{ id: 'one', steps: ids.map((id) => ({ id })) }]);
  const other = walk(stepped);
  other.move();
  expect(statusOf(other.state, stepped).next.at(-1)).toStrictEqual({
    kind: 'move',
    activity: 'end',
    steps: ids.slice(0, 32),
    moreSteps: 168,
  });
  session.yield('ask');
  expect(statusOf(session.state, wide).next).toStrictEqual([
    { kind: 'present', checkpoint: 'ask' },
    { kind: 'answer', checkpoint: 'ask', options: ids.slice(0, 32), by: 'any' },
  ]);
});

test('Long lists keep the first skipped activities and the newest children', () => {
  const ids = Array.from({ length: 300 }, (_, index) => `activity-${index}`);
  const modes = [{ id: 'm', name: 'M', activationVariable: 'hurry', skipActivities: ids }];
  const hurried = graph([{ id: 'one' }], { modes });
  const { state } = walk(hurried, { variables: { hurry: true } });
  const children = ids.map((sid) => ({ sid, workflowId: 'cider', status: 'active' as const }));
  const status = statusOf(state, hurried, { children });
  const kept = status.children.length;
  expect(status.skipped).toEqual(ids.slice(0, kept));
  expect(status.children).toEqual(children.slice(-kept));
  expect(status.omitted).toStrictEqual({ skipped: 300 - kept, children: 300 - kept });
});
