import type { Json } from '@workflowlookup/schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLong } from '../../../../../test/support/is-long.ts';
import type { SessionCommand } from '../../../src/session/command.ts';
import type { Navigator } from '../../../src/navigation/navigator.ts';
import type { ActivitySketch, Walk } from '../../support/sessions.ts';
import { codeOf, enforcements, graph, manifest, refusalOf, walk } from '../../support/sessions.ts';

const each = { id: 'each', name: 'Each', type: 'forEach', over: 'items', variable: 'item' } as const;

/** Returns a workflow with a loop over `fix`. After it comes `done`, which leads back to the loop while `again` is true. */
function circuit(
  loop: object,
  members: readonly ActivitySketch[],
  more: object = {},
  checkpoints: readonly object[] = [],
): Navigator {
  return graph(
    [
      {
        id: 'host',
        checkpoints: [
          { id: 'ask', name: 'Ask', message: '?', options: [{ id: 'go', label: 'Go' }] },
          {
            id: 'jump',
            name: 'Jump',
            message: '?',
            options: [{ id: 'go', label: 'Go', effect: { transitionTo: 'fix' } }],
          },
          ...(checkpoints as NonNullable<ActivitySketch['checkpoints']>),
        ],
        loops: [{ ...each, activities: ['fix'], ...loop }],
        transitions: [{ to: 'done' }],
      },
      ...members,
      { id: 'done', transitions: [{ to: 'host', condition: 'again == true' }] },
    ],
    more,
  );
}

/** Follows the first legal transitions, and returns each activity with its item. */
function visited(session: Walk, last: string, names: readonly string[] = ['item']): readonly string[] {
  const seen: string[] = [];
  while (session.state.status === 'active' && seen.length < 60) {
    session.move();
    const { current, variables } = session.state;
    const items = names.map((name) => variables[name]).filter((item) => typeof item === 'string');
    seen.push([current ?? 'end', ...items].join(' '));
    if (current === last) break;
  }
  return seen;
}

const returning = [{ id: 'fix', transitions: [{ to: 'host' }] }];
const shapes: readonly (readonly [string, object, readonly ActivitySketch[], readonly string[]])[] = [
  ['that leads back to the host', {}, returning, ['fix']],
  ['without its own transitions', {}, [{ id: 'fix' }], ['fix']],
  ['with a second one', { activities: ['fix', 'check'] }, [{ id: 'fix' }, { id: 'check' }], ['fix', 'check']],
  [
    'that leads to one outside of the list',
    {},
    [
      { id: 'fix', transitions: [{ to: 'verify' }] },
      { id: 'verify', transitions: [{ to: 'host' }] },
    ],
    ['fix', 'verify'],
  ],
];

test.each(shapes)(
  'A loop has all iterations at each entry: an activity %s',
  (_, loop, members, iteration) => {
    const session = walk(circuit(loop, members), {
      enforcement: 'strict',
      variables: { items: ['x', 'y'], again: true },
    });
    const iterations = ['x', 'y'].flatMap((item) => iteration.map((id) => `${id} ${item}`));
    for (const entry of ['first', 'second', 'third']) {
      const seen = visited(session, 'done').filter((one) => !/^(host|done)/.test(one));
      expect(seen, entry).toEqual(iterations);
    }
  },
);

test('A list that changed outside of the loop is used when the loop is entered again', () => {
  const session = walk(circuit({}, returning), {
    enforcement: 'strict',
    variables: { items: ['x'], again: true },
  });
  visited(session, 'done');
  session.move('host', { variables: { items: ['p', 'q'], item: 'free' } });
  expect(visited(session, 'done')).toEqual(['fix p', 'host p', 'fix q', 'host q', 'done q']);
});

test('The maximum number of iterations counts each time the loop is entered, even if an activity leads out of it', () => {
  const session = walk(
    circuit({ type: 'while', condition: 'again == true', maxIterations: 2 }, [
      { id: 'fix', transitions: [{ to: 'done', condition: 'isFixed == true' }, { to: 'host' }] },
    ]),
    { enforcement: 'strict', variables: { again: true } },
  );
  expect(visited(session, 'done')).toEqual(['host', 'fix', 'host', 'fix', 'host', 'done']);
  session.move('host');
  session.move('fix');
  session.move('done', { variables: { isFixed: true } });
  session.move('host', { variables: { isFixed: false } });
  expect(visited(session, 'done')).toEqual(['fix', 'host', 'fix', 'host', 'done']);
});

test.each<[string, ActivitySketch['transitions']]>([
  ['with its own transitions', [{ to: 'rows' }]],
  ['without', undefined],
])('A nested loop starts again in each outer iteration: its host %s', (_, transitions) => {
  const nested = graph([
    {
      id: 'rows',
      loops: [
        {
          id: 'outer',
          name: 'Outer',
          type: 'forEach',
          over: 'rows',
          variable: 'row',
          activities: ['cells', 'sum'],
        },
      ],
      transitions: [{ to: 'done' }],
    },
    {
      id: 'cells',
      loops: [{ ...each, activities: ['fix'] }],
      ...(transitions === undefined ? {} : { transitions: [{ to: 'sum' }] }),
    },
    { id: 'fix' },
    { id: 'sum' },
    { id: 'done' },
  ]);
  const session = walk(nested, {
    enforcement: 'strict',
    variables: { rows: ['1', '2'], items: ['x', 'y'] },
  });
  const seen = visited(session, 'done', ['row', 'item']).filter((one) => /^(fix|sum)/.test(one));
  expect(seen).toEqual(['fix 1 x', 'fix 1 y', 'sum 1 y', 'fix 2 x', 'fix 2 y', 'sum 2 y']);
});

test('Work that is sent back within an iteration does not use up an item', () => {
  const checked = circuit({ activities: ['fix', 'check'] }, [
    { id: 'fix' },
    { id: 'check', transitions: [{ to: 'fix', condition: 'isBad == true' }, { to: 'host' }] },
  ]);
  const session = walk(checked, { enforcement: 'strict', variables: { items: ['x', 'y'] } });
  for (const target of ['host', 'fix', 'check']) session.move(target);
  session.move('fix', { variables: { isBad: true } });
  session.move('check', { variables: { isBad: false } });
  expect(visited(session, 'done')).toEqual(['host x', 'fix y', 'check y', 'host y', 'done y']);
});

test('An answer that leads into the loop begins its next iteration', () => {
  const session = walk(circuit({}, returning), { variables: { items: ['x', 'y'] } });
  session.move();
  for (const item of ['x', 'y']) {
    session.yield('jump');
    session.choose('go');
    session.move();
    expect(session.state).toMatchObject({ current: 'fix', variables: { item } });
    session.move();
  }
});

test('An activity that is in two loops continues in the one that the session is in', () => {
  const shared = graph([
    { id: 'first', loops: [{ ...each, id: 'one', activities: ['fix'] }], transitions: [{ to: 'second' }] },
    { id: 'second', loops: [{ ...each, id: 'two', activities: ['fix'] }], transitions: [{ to: 'done' }] },
    { id: 'fix' },
    { id: 'done' },
  ]);
  const session = walk(shared, { enforcement: 'strict', variables: { items: ['x', 'y'] } });
  expect(visited(session, 'done')).toEqual([
    'first',
    'fix x',
    'fix y',
    'second y',
    'fix x',
    'fix y',
    'done y',
  ]);
});

const changes: readonly (readonly [string, Record<string, Json>, string])[] = [
  ['fewer items', { items: ['x'] }, 'items'],
  ['no items', { items: [] }, 'items'],
  ['no list', { items: null }, 'items'],
  ['an item before the others', { items: ['n', 'x', 'y'] }, 'items'],
  ['another item', { items: ['x', 'z'] }, 'items'],
  ['another value of the item', { item: 'z' }, 'item'],
  ['a path into the item', { 'item.name': 'z' }, 'item'],
];

test.each(changes)('An agent in a loop over activities cannot set %s', (_, variables, variable) => {
  for (const enforcement of enforcements) {
    for (const [, loop, members] of shapes) {
      const session = walk(circuit(loop, members), {
        enforcement,
        variables: { items: ['x', 'y'], item: { name: 'o' } },
      });
      session.move();
      session.move();
      const refusal = refusalOf(session, { kind: 'move', variables });
      expect(refusal).toMatchObject({
        code: 'VARIABLE_PROTECTED',
        data: { variable, rule: 'loop', loop: 'each', activity_id: 'host' },
      });
    }
  }
});

test.each(changes)('A checkpoint in a loop over activities cannot be yielded with %s', (_, variables) => {
  const session = walk(circuit({}, returning), { variables: { items: ['x', 'y'] } });
  for (const target of ['host', 'fix', 'host']) session.move(target);
  const refusal = refusalOf(session, { kind: 'yield', checkpointId: 'ask', variables });
  expect(refusal).toMatchObject({ code: 'VARIABLE_PROTECTED', data: { rule: 'loop' } });
});

test('An agent can repeat the values, add items at the end, and change anything before and after the loop', () => {
  const session = walk(circuit({}, returning), { enforcement: 'strict', variables: { items: ['o'] } });
  session.move();
  expect(session.move('fix', { variables: { items: ['x', 'y'], item: 'free' } }).ok).toBe(true);
  expect(session.state.variables['item']).toBe('x');
  expect(session.move('host', { variables: { items: ['x', 'y'], item: 'x' } }).ok).toBe(true);
  expect(session.move('fix', { variables: { items: ['x', 'y', 'z'] } }).ok).toBe(true);
  expect(visited(session, 'done')).toEqual(['host y', 'fix z', 'host z', 'done z']);
  expect(session.move('end', { variables: { items: [], item: 'free' } }).ok).toBe(true);
});

describe('a variable whose name reads like a path into the item', () => {
  const signed = (isAsked: object) => {
    const question = { id: 'ask', name: 'Ask', message: 'Fix {item.name}?', approver: 'human' as const };
    const checkpoints = [{ ...question, ...isAsked, options: [{ id: 'go', label: 'Go' }] }];
    return circuit({}, [{ id: 'fix', steps: [{ id: 'stop', checkpoint: 'ask' }], checkpoints }]);
  };
  const items = [{ name: 'prod', isRisky: true }, { name: 'log' }];
  const before = {
    'item.isRisky': false,
    'item.name': 'tmp',
    'item.name.first': 't',
    'itemised.note': 'kept',
  };

  test.each(enforcements)('does not hide any value of the item: %s', (enforcement) => {
    const session = walk(signed({ condition: 'item.isRisky == true' }), { enforcement, variables: before });
    session.move();
    expect(session.move(undefined, { variables: { items } }).ok).toBe(true);
    expect(codeOf(session.move())).toBe('CHECKPOINT_OPEN');
    const seen = {
      'item.isRisky': true,
      'item.name': 'prod',
      'item.name.first': null,
      'itemised.note': 'kept',
    };
    expect(session.state.variables).toMatchObject(seen);
    session.yield('ask');
    session.choose('go', 'human');
    session.move(undefined, manifest('stop'));
    expect(session.state.variables).toMatchObject({ 'item.isRisky': null, 'item.name': 'log' });
    expect(session.move(undefined, manifest('stop')).ok).toBe(true);
  });

  test('cannot make a session larger than the limit', () => {
    const deep = (depth: number): Json => (depth === 0 ? 'x'.repeat(20_000) : { a: deep(depth - 1) });
    const paths = Array.from({ length: 90 }, (_, depth) => [`item${'.a'.repeat(depth + 1)}`, 1] as const);
    const session = walk(signed({}), { variables: Object.fromEntries(paths) });
    session.move(undefined, { variables: { items: [deep(100)] } });
    expect(codeOf(session.move())).toBe('INVALID_INPUT');
    expect(session.state.current).toBe('host');
  });
});

test('A missing list cannot be set during the loop', () => {
  const session = walk(circuit({ maxIterations: 2 }, returning));
  session.move();
  session.move('fix');
  expect(codeOf(session.move('host', { variables: { items: ['x'] } }))).toBe('VARIABLE_PROTECTED');
  expect(session.move('host', { variables: { items: 'none' } }).ok).toBe(true);
});

test('A mode that an agent turns on cannot replace the list of the loop', () => {
  const modes = [{ id: 'm', name: 'M', activationVariable: 'hurry', defaults: { items: [], item: 'z' } }];
  const variables = [
    { name: 'items', type: 'array', defaultValue: ['x', 'y'] },
    { name: 'item', type: 'string' },
    { name: 'hurry', type: 'boolean' },
  ] as const;
  const session = walk(circuit({}, returning, { modes, variables }), { enforcement: 'strict' });
  session.move();
  session.move('fix');
  expect(session.move('host', { variables: { hurry: true } }).ok).toBe(true);
  expect(session.state.variables).toMatchObject({ items: ['x', 'y'], item: 'x' });
});

test('An agent that moves without a transition stays in the loop with its list', () => {
  const session = walk(circuit({}, returning), { variables: { items: ['x', 'y', 'z'] } });
  session.move();
  session.move('fix');
  session.move('fix');
  expect(session.state).toMatchObject({ current: 'fix', variables: { item: 'x' } });
  expect(codeOf(session.move('host', { variables: { items: [] } }))).toBe('VARIABLE_PROTECTED');
  expect(visited(session, 'done').at(-1)).toBe('done z');
});

const names = ['x', 'y', 'z', 'n'];
const written = fc.record(
  {
    items: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 3 }),
    item: fc.constantFrom(...names, null),
    rows: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
    row: fc.constantFrom(...names, null),
    again: fc.boolean(),
    isBad: fc.boolean(),
  },
  { requiredKeys: [] },
);
const call: fc.Arbitrary<SessionCommand> = fc.oneof(
  fc.constant<SessionCommand>({ kind: 'move' }),
  fc
    .tuple(fc.constantFrom('', '', '', 'rows', 'host', 'fix', 'check', 'done', 'end'), written)
    .map(([activityId, variables]): SessionCommand => ({
      kind: 'move',
      ...(activityId === '' ? {} : { activityId }),
      variables,
    })),
  written.map((variables): SessionCommand => ({ kind: 'yield', checkpointId: 'ask', variables })),
);
const calls = fc.array(call, { maxLength: 60, size: 'max' });
const numRuns = isLong ? 20_000 : 150;
const ask = [{ id: 'ask', name: 'Ask', message: '?', options: [{ id: 'go', label: 'Go' }] }];
const isReturning = fc.record({ fix: fc.boolean(), check: fc.boolean(), host: fc.boolean() });

/** Returns a workflow with a loop over `items` inside a loop over `rows`. A transition after both leads back. */
function rowsAndItems({ fix, check, host }: { fix: boolean; check: boolean; host: boolean }): Navigator {
  return graph([
    {
      id: 'rows',
      checkpoints: ask,
      loops: [
        { id: 'outer', name: 'Outer', type: 'forEach', over: 'rows', variable: 'row', activities: ['host'] },
      ],
      transitions: [{ to: 'done' }],
    },
    {
      id: 'host',
      checkpoints: ask,
      loops: [{ ...each, activities: ['fix', 'check'] }],
      ...(host ? { transitions: [{ to: 'rows' }] } : {}),
    },
    { id: 'fix', checkpoints: ask, ...(fix ? { transitions: [{ to: 'check' }] } : {}) },
    {
      id: 'check',
      checkpoints: ask,
      ...(check ? { transitions: [{ to: 'fix', condition: 'isBad == true' }, { to: 'host' }] } : {}),
    },
    { id: 'done', checkpoints: ask, transitions: [{ to: 'rows', condition: 'again == true' }] },
  ]);
}

interface Seen {
  readonly current: string | undefined;
  readonly variables: Readonly<Record<string, Json>>;
}

/** Returns a function that compares, each time a loop is left, the items that were worked on with those in the list. */
function watchLoops(): (before: Seen, after: Seen) => readonly (readonly [unknown, unknown])[] {
  let [items, rows]: [Json[], Json[]] = [[], []];
  return ({ current = '', variables: before }, { current: to, variables }) => {
    const left: [unknown, unknown][] = [];
    const isInside = ['host', 'fix', 'check'].includes(current);
    const isNextRow = isInside && to === 'host' && variables['row'] !== before['row'];
    if (isInside && (isNextRow || to === 'rows' || to === 'done')) {
      left.push([items, variables['items']]);
      items = [];
    }
    if (to === 'fix' && (current === 'host' || variables['item'] !== before['item']))
      items.push(variables['item'] ?? null);
    if (to === 'host' && (current === 'rows' || isNextRow)) rows.push(variables['row'] ?? null);
    if (to === undefined) left.push([current, 'done']);
    if (to === 'done') {
      left.push([rows, variables['rows']]);
      rows = [];
    }
    return left;
  };
}

test('An agent cannot leave a loop of a strict session before all iterations are done in order, each with its item', () => {
  let loops = 0;
  fc.assert(
    fc.property(isReturning, calls, (shape, all) => {
      const session = walk(rowsAndItems(shape), {
        enforcement: 'strict',
        variables: { rows: ['x', 'y'], items: ['y', 'z'] },
      });
      const watch = watchLoops();
      for (const one of all) {
        const before = session.state;
        const isMove = session.do(one).ok && one.kind === 'move';
        if (session.state.gate !== undefined) session.choose('go');
        const left = isMove
          ? watch({ current: undefined, ...before }, { current: undefined, ...session.state })
          : [];
        for (const [found, expected] of left) expect(found).toEqual(expected);
        loops += left.length;
      }
    }),
    { numRuns },
  );
  expect(loops).toBeGreaterThan(numRuns / 2);
});

/** Returns a workflow with a loop in which a person signs each item. */
function signedItems(isBack: boolean, message: string): Navigator {
  return graph(
    [
      {
        id: 'host',
        checkpoints: ask,
        loops: [{ ...each, activities: ['fix', 'check'] }],
        transitions: [{ to: 'done' }],
      },
      {
        id: 'fix',
        checkpoints: [
          { id: 'ask', name: 'Ask', message, approver: 'human', options: [{ id: 'go', label: 'Go' }] },
        ],
        ...(isBack ? { transitions: [{ to: 'check' }] } : {}),
      },
      { id: 'check', ...(isBack ? { transitions: [{ to: 'host' }] } : {}) },
      { id: 'done', transitions: [{ to: 'host', condition: 'again == true' }] },
    ],
    { variables: [{ name: 'items', type: 'array', defaultValue: ['x', 'y'], set_by: 'host' }] },
  );
}

test('A person signs each item of a loop before an agent of an advisory session can leave it', () => {
  let loops = 0;
  fc.assert(
    fc.property(fc.boolean(), fc.constantFrom('Sign?', 'Sign {item}?'), calls, (isBack, message, all) => {
      const session = walk(signedItems(isBack, message));
      const [due, signed] = [new Set<unknown>(), new Set<unknown>()];
      let isInIteration = false;
      for (const one of all) {
        const { current: from = 'done' } = session.state;
        const isTaken = session.do(one).ok;
        if (session.state.gate !== undefined) session.choose('go', 'human');
        const { current: to = 'done', variables } = session.state;
        if (isTaken && one.kind === 'yield') signed.add(variables['item'] ?? null);
        isInIteration ||= to === 'fix' && from !== 'done' && from !== to;
        if (isInIteration && ['fix', 'check'].includes(to))
          for (const item of variables['items'] as Json[]) due.add(item);
        if (to !== 'done' || from === 'done') continue;
        expect([...due].filter((item) => !signed.has(item))).toEqual([]);
        for (const set of [due, signed]) set.clear();
        [isInIteration, loops] = [false, loops + 1];
      }
    }),
    { numRuns },
  );
  expect(loops).toBeGreaterThan(numRuns / 20);
});

describe.each(enforcements)('a mode that is turned on by the item of a loop: %s', (enforcement) => {
  const jobs = [{ trivial: true }];
  function reviewed(defaultValue?: typeof jobs, nested: object = {}, checkpoints: object[] = []) {
    const review = {
      id: 'review',
      checkpoints: [
        {
          id: 'ok',
          name: 'OK',
          message: 'Go?',
          approver: 'human' as const,
          options: [{ id: 'yes', label: 'Yes' }],
        },
      ],
    };
    const navigator = circuit(
      { over: 'jobs', variable: 'job', activities: ['work', 'review', 'push'], ...nested },
      [{ id: 'work' }, review, { id: 'push' }],
      {
        variables: [
          { name: 'jobs', type: 'array', ...(defaultValue === undefined ? {} : { defaultValue }) },
          { name: 'plan', type: 'object' },
        ],
        modes: [
          { id: 'quick', name: 'Quick', activationVariable: 'job.trivial', skipActivities: ['review'] },
        ],
      },
      checkpoints,
    );
    const session = walk(navigator, { enforcement });
    session.move();
    return session;
  }
  function next(session: Walk) {
    session.move();
    return { place: session.state.current, by: session.state.origins['job']?.by };
  }

  test('cannot skip a checkpoint that needs a person if an agent set the list', () => {
    const session = reviewed();
    session.move(undefined, { variables: { jobs } });
    expect(next(session)).toEqual({ place: 'review', by: 'agent' });
    const inPlan = reviewed(undefined, { over: 'plan.jobs' });
    inPlan.move(undefined, { variables: { plan: { jobs } } });
    expect(next(inPlan)).toEqual({ place: 'review', by: 'agent' });
    const more = reviewed(jobs);
    more.move(undefined, { variables: { jobs: [...jobs, { trivial: false }] } });
    expect(next(more)).toEqual({ place: 'review', by: 'agent' });
  });

  test.each([
    { by: 'agent', item: 'agent', place: 'review' },
    { by: 'human', item: 'action', place: 'push' },
  ] as const)(
    'can skip it only if the answer that set the list was given by a person: $by',
    ({ by, item, place }) => {
      const options = [{ id: 'light', label: 'Light', effect: { setVariable: { jobs } } }];
      const session = reviewed(undefined, {}, [{ id: 'pick', name: 'Pick', message: '?', options }]);
      session.yield('pick');
      expect(codeOf(session.choose('light', by))).toBeUndefined();
      expect(session.state.origins['jobs']).toMatchObject({ by: 'checkpoint', answeredBy: by });
      session.move();
      expect(next(session).place).toBe(place);
      expect(session.state.origins['job']).toMatchObject({ by: item });
    },
  );

  test('can skip it if the workflow set the list', () => {
    const session = reviewed(jobs);
    session.move();
    expect(next(session)).toEqual({ place: 'push', by: 'action' });
  });
});

describe('a variable that was shown by the checkpoint of a loop over activities', () => {
  const asking = (more: object = {}): ActivitySketch => ({
    id: 'ask',
    steps: [{ id: 'stop', checkpoint: 'ok', ...more }],
    checkpoints: [
      {
        id: 'ok',
        name: 'OK',
        message: 'Push to {env}?',
        approver: 'human',
        options: [{ id: 'yes', label: 'Yes', effect: { setVariable: { approved: true } } }],
      },
    ],
  });
  const plain = [{ id: 'prepare' }, { id: 'push' }];
  const linked = [
    { id: 'prepare', transitions: [{ to: 'push' }] },
    { id: 'push', transitions: [{ to: 'host' }] },
  ];
  const host = (more: Partial<ActivitySketch> = {}): ActivitySketch => ({
    id: 'host',
    loops: [{ ...each, activities: ['ask', 'prepare', 'push'] }],
    transitions: [{ to: 'done' }],
    ...more,
  });
  const done = { id: 'done', transitions: [{ to: 'end' }] };
  /** Returns a session in an iteration, counted from 1, at the activity that the answer opened. */
  function inIteration(count: number, all: readonly ActivitySketch[], more: object = {}): Walk {
    const session = walk(graph(all), { variables: { items: ['x', 'y'], env: 'staging', ...more } });
    for (let asked = 0; asked < count;) {
      session.move(undefined, session.state.current === 'ask' ? manifest('stop') : {});
      if (session.state.current !== 'ask') continue;
      asked += 1;
      session.yield('ok');
      session.choose('yes', 'human');
    }
    session.move(undefined, manifest('stop'));
    expect(session.state.current).toBe('prepare');
    return session;
  }
  const toProd = { kind: 'move', variables: { env: 'prod' } } as const;
  const frozen = { code: 'VARIABLE_PROTECTED', data: { variable: 'env', rule: 'frozen' } };

  describe.each([
    ['without transitions', plain],
    ['with transitions', linked],
  ])('activities %s', (_, members) => {
    test('stays frozen if no iteration is left', () => {
      const session = inIteration(2, [host(), asking(), ...members, done]);
      expect(refusalOf(session, toProd)).toMatchObject(frozen);
      expect(codeOf(session.move())).toBeUndefined();
      expect(codeOf(session.do(toProd))).toBeUndefined();
    });

    test('can be changed before another iteration, which asks again', () => {
      expect(refusalOf(inIteration(1, [host(), asking(), ...members, done]), toProd)).toBeUndefined();
    });

    test('can be changed if an outer loop has an iteration left', () => {
      const outer = { id: 'outer', loops: [{ ...each, id: 'all', over: 'areas', activities: ['host'] }] };
      const all = [outer, host({ transitions: [] }), asking(), ...members];
      expect(refusalOf(inIteration(2, all, { areas: [1, 2] }), toProd)).toBeUndefined();
      expect(refusalOf(inIteration(4, all, { areas: [1, 2] }), toProd)).toMatchObject(frozen);
    });

    test('can be changed if the loop can be entered again', () => {
      const back = { id: 'done', transitions: [{ to: 'host', condition: 'again == true' }] };
      expect(refusalOf(inIteration(2, [host(), asking(), ...members, back]), toProd)).toBeUndefined();
    });

    test('stays frozen if the list can get more items and the answer keeps the checkpoint from being asked again', () => {
      const once = asking({ when: 'approved != true' });
      const session = inIteration(1, [host(), once, ...members, done], { items: ['x'] });
      expect(refusalOf(session, toProd)).toMatchObject(frozen);
      session.move();
      const more = { ...toProd, variables: { items: ['x', 'y'] } };
      expect(refusalOf(session, more)).toBeUndefined();
      if (session.state.current === 'host') session.move();
      expect(session.state.current).toBe('ask');
      expect(refusalOf(session, toProd)).toMatchObject(frozen);
    });
  });
});
