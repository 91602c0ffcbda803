import { expect, test } from 'vitest';
import { parentLink, startSession } from '../../src/session/decide.ts';
import type { SessionEvent } from '../../src/session/session-event.ts';
import { statusOf } from '../../src/session/status.ts';
import type { Walk } from '../support/sessions.ts';
import { graph, manifest, walk } from '../support/sessions.ts';

// Events are sealed and kept forever, so each must contain exactly the fields that describe what happened.

const options = [
  { id: 'yes', label: 'Yes', effect: { setVariable: { hot: true }, skipActivities: ['three'] } },
  { id: 'no', label: 'No' },
];
const checkpointOf = (id: string, more: object = {}) => ({ id, name: id, message: 'Go?', options, ...more });
const bakery = graph([
  {
    id: 'one',
    checkpoints: [
      checkpointOf('ask'),
      checkpointOf('drift', { defaultOption: 'no', autoAdvanceMs: 0 }),
      checkpointOf('ripe', { condition: 'ripe == true' }),
    ],
    transitions: [{ to: 'two' }],
  },
  { id: 'two' },
  { id: 'three' },
]);

function last(session: Walk): SessionEvent | undefined {
  return session.journal.at(-1)?.event;
}

function at(checkpoint?: string): Walk {
  const session = walk(bakery);
  session.move();
  if (checkpoint !== undefined) session.yield(checkpoint);
  return session;
}

test('A start is recorded with its workflow and its parent', () => {
  const { workflow: served } = bakery;
  const started = {
    type: 'session-started',
    workflowId: 'graph',
    version: '1.0.0',
    digest: served.digest,
    enforcement: 'advisory',
    variables: {},
    assigned: [],
  };
  expect(startSession(bakery)).toStrictEqual(started);
  const before = walk(bakery);
  expect(parentLink(before.state)).toStrictEqual({ sid: 'sid', workflowId: 'graph', version: '1.0.0' });
  before.move();
  const parent = parentLink(before.state);
  expect(parent).toStrictEqual({ sid: 'sid', workflowId: 'graph', version: '1.0.0', activity: 'one' });
  expect(startSession(bakery, { parent, variables: { a: 1 } })).toStrictEqual({
    ...started,
    parent,
    variables: { a: 1 },
    assigned: ['a'],
    setBy: { a: 'trigger' },
  });
  const policy = { gates: 'human', trustElicitation: false, minResponseMs: 3000 } as const;
  expect(startSession(bakery, { policy, credential: 'k1', owned: {} })).toStrictEqual({
    ...started,
    policy,
    credential: 'k1',
  });
});

test('Entering an activity is recorded, with the activity that the session leaves', () => {
  const session = at();
  const entered = { type: 'activity-entered', warnings: [], variables: {}, condition: '', manifest: [] };
  expect(last(session)).toStrictEqual({ ...entered, activity: 'one' });
  session.move(undefined, { condition: 'default', variables: { a: 1 }, ...manifest('x') });
  expect(last(session)).toStrictEqual({
    ...entered,
    activity: 'two',
    from: 'one',
    condition: 'default',
    variables: { a: 1 },
    setBy: { a: 'agent' },
    manifest: [{ step_id: 'x', output: 'Did x' }],
    warnings: [expect.stringContaining('x')],
  });
});

test.each([
  ['declared', {}],
  ['human', { approver: 'human' }],
] as const)('Yielding a checkpoint is recorded, with gates %s', (gates, more) => {
  const session = walk(bakery, { gates });
  session.move();
  expect(session.yield('ask')).toStrictEqual({ ok: true, event: last(session), warnings: [] });
  expect(last(session)).toStrictEqual({
    type: 'checkpoint-yielded',
    activity: 'one',
    checkpoint: 'ask',
    ...more,
  });
  expect(session.state.gate).toStrictEqual({
    activity: 'one',
    checkpoint: 'ask',
    yieldedAt: '1970-01-01T00:00:00.000Z',
    revision: 3,
    ...more,
  });
});

test('A checkpoint that was yielded for a person needs a person, even if the policy changes later', () => {
  let gates: 'declared' | 'human' = 'human';
  const session = walk(bakery, {
    get gates() {
      return gates;
    },
  });
  session.move();
  session.yield('ask');
  gates = 'declared';
  const { next } = statusOf(session.state, bakery);
  expect(next.at(-1)).toStrictEqual({
    kind: 'answer',
    checkpoint: 'ask',
    options: ['yes', 'no'],
    by: 'human',
  });
});

const answered = { type: 'checkpoint-answered', activity: 'one', variables: {} };
const decided = { digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown, revision: 3, shown: [] };

test.each<[string, string, Parameters<Walk['do']>[0], object]>([
  [
    'an option and its effect',
    'ask',
    { kind: 'answer', mode: { kind: 'option', option: 'yes' }, by: 'human' },
    {
      answer: { kind: 'option', option: 'yes' },
      by: 'human',
      variables: { hot: true },
      setBy: { hot: 'checkpoint' },
      effect: { setVariable: { hot: true }, skipActivities: ['three'] },
      decided,
    },
  ],
  [
    'an option without an effect, by a person with a note',
    'ask',
    {
      kind: 'answer',
      mode: { kind: 'option', option: 'no' },
      by: 'human',
      person: 'ann',
      note: 'Not yet',
    },
    {
      answer: { kind: 'option', option: 'no' },
      by: 'human',
      person: 'ann',
      note: 'Not yet',
      owns: ['hot'],
      decided,
    },
  ],
  [
    'the timer, which takes the default option',
    'drift',
    { kind: 'answer', mode: { kind: 'auto-advance' }, by: 'agent' },
    { answer: { kind: 'auto-advance', option: 'no' }, by: 'agent', decided },
  ],
  [
    'the dismissal of what does not apply',
    'ripe',
    { kind: 'answer', mode: { kind: 'condition-not-met' }, by: 'agent' },
    { answer: { kind: 'dismissed' }, by: 'agent' },
  ],
])('An answer is recorded: %s', (_, checkpoint, command, more) => {
  const session = at(checkpoint);
  expect(session.do(command)).toStrictEqual({ ok: true, event: last(session), warnings: [] });
  expect(last(session)).toStrictEqual({ ...answered, checkpoint, ...more });
});

test('The end is recorded for completed and abandoned sessions', () => {
  const completed = {
    type: 'session-completed',
    condition: '',
    manifest: [],
    variables: {},
    warnings: [],
  };
  const session = at();
  session.move();
  session.move();
  expect(last(session)).toStrictEqual({ ...completed, from: 'two' });
  const empty = walk(bakery);
  empty.do({ kind: 'abandon' });
  expect(last(empty)).toStrictEqual({ ...completed, outcome: 'abandoned' });
  const left = at();
  expect(left.do({ kind: 'abandon', person: 'ann' })).toMatchObject({ warnings: [] });
  expect(last(left)).toStrictEqual({ ...completed, from: 'one', outcome: 'abandoned', person: 'ann' });
});

test('A new session has an empty history', () => {
  expect(walk(bakery).state).toStrictEqual({
    sid: 'sid',
    revision: 1,
    workflowId: 'graph',
    version: '1.0.0',
    digest: bakery.workflow.digest,
    enforcement: 'advisory',
    status: 'active',
    since: 1,
    completed: [],
    visits: {},
    skipped: [],
    variables: {},
    assigned: [],
    origins: {},
    owners: {},
    frozen: [],
    drivers: [],
    answered: [],
    lastCondition: '',
  });
});

test('An answer without effects skips nothing', () => {
  const session = at('ask');
  session.choose('no');
  expect(session.state.skipped).toEqual([]);
});

test('A status leaves out fields without a value', () => {
  const statusIn = (session: Walk) => statusOf(session.state, bakery);
  const common = {
    workflow: { id: 'graph', version: '1.0.0', title: 'Graph' },
    children: [],
    variables: {},
    skipped: [],
    completed: [],
  };
  const fresh = walk(bakery);
  expect(statusIn(fresh)).toStrictEqual({
    ...common,
    status: 'active',
    next: [{ kind: 'move', activity: 'one', steps: [] }],
  });
  const session = at();
  session.do({ kind: 'abandon' });
  expect(statusIn(session)).toStrictEqual({
    ...common,
    status: 'completed',
    outcome: 'abandoned',
    current: 'one',
    next: [],
  });
  const blocked = at('ask');
  expect(statusIn(blocked)).toStrictEqual({
    ...common,
    status: 'blocked',
    current: 'one',
    next: [
      { kind: 'present', checkpoint: 'ask' },
      { kind: 'answer', checkpoint: 'ask', options: ['yes', 'no'], by: 'any' },
    ],
  });
  blocked.choose('yes');
  expect(statusIn(blocked)).toMatchObject({ skipped: ['three'], variables: { hot: true } });
});
