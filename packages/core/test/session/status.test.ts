import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messages } from '../../src/messages/sessions.ts';
import { workflow } from '../support/step-workflows.ts';
import { parentLink, startSession } from '../../src/session/decide.ts';
import { statusOf } from '../../src/session/status.ts';
import { graph, manifest, sequence, walk } from '../support/sessions.ts';

const options = [{ id: 'yes', label: 'Yes' }];
const checkpoints = [{ id: 'ask', name: 'Ask', message: 'Go?', options }];
const press = graph(
  [
    {
      id: 'press',
      steps: [{ id: 'squeeze', checkpoint: 'ask' }],
      checkpoints,
      transitions: [{ to: 'bottle', condition: 'fruit == "quince"' }, { to: 'label' }],
    },
    { id: 'bottle' },
    { id: 'label' },
  ],
  { variables: [{ name: 'fruit', type: 'string', defaultValue: 'plum' }] },
);

test('A new session can enter its first activity, and has no history', () => {
  expect(statusOf(walk(press).state, press)).toEqual({
    status: 'active',
    completed: [],
    skipped: [],
    workflow: { id: 'graph', version: '1.0.0', title: 'Graph' },
    children: [],
    variables: {},
    next: [{ kind: 'move', activity: 'press', steps: [] }],
  });
});

test('An active session can read its activity, yield open checkpoints and take legal transitions, with the required steps', () => {
  const session = walk(press);
  session.move(undefined, { variables: { fruit: 'quince' } });
  expect(statusOf(session.state, press)).toMatchObject({
    current: 'press',
    variables: { fruit: 'quince' },
    next: [
      { kind: 'read-activity', activity: 'press' },
      { kind: 'yield', checkpoint: 'ask' },
      { kind: 'move', activity: 'bottle', steps: ['squeeze'] },
    ],
  });
});

test.each([
  ['declared', 'any'],
  ['human', 'human'],
] as const)(
  'A blocked session can present and answer its checkpoint, with the gates %s by %s',
  (gates, by) => {
    const session = walk(press);
    session.move();
    session.yield('ask');
    expect(statusOf(session.state, press, { gates })).toMatchObject({
      status: 'blocked',
      next: [
        { kind: 'present', checkpoint: 'ask' },
        { kind: 'answer', checkpoint: 'ask', options: ['yes'], by },
      ],
    });
  },
);

test('The status names the unset variable that decides the transition, and not the end', () => {
  const transitions = [
    { to: 'bottle', condition: 'ripe == true' },
    { to: 'label', condition: 'ripe == false' },
  ];
  const fork = graph([{ id: 'press', transitions }, { id: 'bottle' }, { id: 'label' }]);
  const session = walk(fork);
  session.move();
  expect(statusOf(session.state, fork).next.at(-1)).toEqual({
    kind: 'move',
    steps: [],
    undecided: ['ripe'],
  });
});

test('The status names the transition to a required activity instead of the end until the activity was visited', () => {
  const transitions = [{ to: 'label', condition: 'ripe == true' }];
  const fork = graph(
    [
      { id: 'press', transitions },
      { id: 'label', required: true },
    ],
    {
      variables: [{ name: 'ripe', type: 'boolean', defaultValue: false }],
    },
  );
  const session = walk(fork, { enforcement: 'strict' });
  session.move();
  const { next, obstacle } = statusOf(session.state, fork);
  expect(next.at(-1)).toEqual({ kind: 'move', steps: [] });
  expect(obstacle).toBe(`${messages.notVisited(['label'])} ${messages.possible('label (ripe == true)')}`);
  const ripe = walk(fork, { enforcement: 'strict', variables: { ripe: true } });
  ripe.move();
  const open = statusOf(ripe.state, fork);
  expect(open.next.at(-1)).toEqual({ kind: 'move', activity: 'label', steps: [] });
  expect(open.obstacle).toBeUndefined();
  expect(session.move(undefined, { variables: { ripe: true } }).ok).toBe(true);
});

test('A session at its last activity can name the end, and a completed one has no calls', () => {
  const session = walk(press);
  session.move('bottle');
  expect(statusOf(session.state, press).next.at(-1)).toEqual({ kind: 'move', activity: 'end', steps: [] });
  session.move('end');
  expect(statusOf(session.state, press)).toMatchObject({
    status: 'completed',
    completed: ['bottle'],
    next: [],
  });
});

test('The status has the last answer, the parent and the children', () => {
  const parent = walk(press);
  parent.move();
  const session = walk(press, { parent: parentLink(parent.state) });
  session.move();
  session.yield('ask');
  session.choose('yes');
  const children = [{ sid: 'c', workflowId: 'cider', status: 'blocked' }] as const;
  expect(statusOf(session.state, press, { children })).toMatchObject({
    lastAnswer: {
      checkpoint: 'ask',
      activity: 'press',
      answer: { option: 'yes' },
      at: '1970-01-01T00:00:03.000Z',
    },
    parent: { sid: 'sid', workflowId: 'graph', activity: 'press', version: '1.0.0' },
    children,
  });
});

test('The status of a long session has the newest activities and the short variables, and counts the others', () => {
  const names = Array.from({ length: 300 }, (_, at) => `an-activity-with-a-long-name-${at}`);
  const long = sequence(workflow(names));
  const session = walk(long);
  for (const [at] of names.entries()) {
    const variables = at > 2 ? {} : { [`value-${at}`]: at === 1 ? 'x'.repeat(5000) : at };
    session.move(undefined, { variables, ...manifest(session.state.current ?? '') });
  }
  const status = statusOf(session.state, long);
  expect(JSON.stringify(status).length).toBeLessThanOrEqual(2800);
  expect(status.completed.at(-1)).toBe(names.at(-2));
  expect(status.completed.length + (status.omitted?.completed ?? 0)).toBe(299);
  expect(status.variables).toEqual({ 'value-0': 0, 'value-2': 2 });
  expect(status.omitted).toMatchObject({ variables: 1 });
});

test('A status stays short, whatever the variables and the children are', () => {
  const child = fc.record({
    sid: fc.string(),
    workflowId: fc.string(),
    status: fc.constant('active' as const),
  });
  const values = fc.dictionary(fc.string(), fc.json({ maxDepth: 3 }), { maxKeys: 200, size: 'max' });
  fc.assert(
    fc.property(values, fc.array(child, { maxLength: 200, size: 'max' }), (variables, children) => {
      const { state } = walk(press, { variables });
      expect(JSON.stringify(statusOf(state, press, { children })).length).toBeLessThanOrEqual(2800);
    }),
  );
});

test.each([
  [undefined, 'advisory', 'advisory'],
  ['strict', 'advisory', 'strict'],
  ['advisory', 'strict', 'strict'],
] as const)(
  'A server that asks for %s and a workflow that is %s make a session %s',
  (asked, own, expected) => {
    const navigator = graph([], { enforcement: own });
    expect(startSession(navigator, asked === undefined ? {} : { enforcement: asked }).enforcement).toBe(
      expected,
    );
  },
);
