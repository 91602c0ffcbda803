import { expect, test } from 'vitest';
import { codeOf, enforcements, graph, manifest, said, walk } from './fixtures.ts';

const variables = [
  { name: 'ripe', type: 'boolean', defaultValue: false },
  { name: 'crates', type: 'number', defaultValue: 0 },
  { name: 'note', type: 'string' },
] as const;

test('a session starts with the defaults', () => {
  expect(walk(graph([], { variables })).state.variables).toEqual({ ripe: false, crates: 0 });
});

test.each([
  ['a name nobody declared', { colour: 'red' }, ["'colour'"]],
  ['a wrong type', { crates: '3' }, ['crates', 'number', 'string']],
  ['a list for a text', { note: ['x'] }, ['note', 'string', 'array']],
])('%s is a warning, and in a strict session a refusal', (_, given, words) => {
  for (const enforcement of enforcements) {
    const session = walk(graph([{ id: 'one' }], { variables }), { enforcement });
    const decision = session.move('one', { variables: given });
    for (const word of words) expect(said(decision)[0]).toContain(word);
    expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'INVALID_INPUT' : undefined);
    expect(session.state.variables).toMatchObject(enforcement === 'strict' ? {} : given);
  }
});

test.each([
  ['a workflow that declares none', [], { anything: 1 }],
  ['null', variables, { crates: null }],
])('%s takes any value', (_, declared, given) => {
  const session = walk(graph([{ id: 'one' }], { variables: declared }), { enforcement: 'strict' });
  expect(said(session.move('one', { variables: given }))).toEqual([]);
});

const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`v${at}`, 1]));

test.each([
  ['more names than a call may set', names(1_001), 1_000],
  ['a value that is too long', { note: 'x'.repeat(70_000) }, 65_536],
])('%s is refused in every session', (_, given, limit) => {
  for (const enforcement of enforcements) {
    const session = walk(graph([{ id: 'one' }], { variables }), { enforcement });
    const decision = session.move('one', { variables: given });
    expect(codeOf(decision)).toBe('INVALID_INPUT');
    expect(decision).toMatchObject({ refusal: { data: { limit } } });
  }
});

test('all variables of a session together have a limit', () => {
  const session = walk(graph([{ id: 'one', transitions: [{ to: 'one' }] }], {}));
  const given = (at: number) => ({ variables: { [`v${at}`]: 'x'.repeat(60_000) } });
  const codes = Array.from({ length: 20 }, (_, at) => codeOf(session.move('one', given(at))));
  expect(codes.indexOf('INVALID_INPUT')).toBe(17);
});

test('a message lists the first problems and counts the others', () => {
  const session = walk(graph([{ id: 'one' }], { variables }));
  expect(said(session.move('one', { variables: names(1_000) }))).toHaveLength(11);
});

test('the actions of entering, of steps that were done and of leaving set variables, in this order', () => {
  const set = (value: string, condition?: string) => [
    { action: 'set', target: 'phase', value, ...(condition === undefined ? {} : { condition }) } as const,
  ];
  const session = walk(
    graph([
      {
        id: 'one',
        entryActions: set('entered'),
        steps: [
          { id: 'done', actions: set('stepped', 'phase == "given"') },
          { id: 'left-out', required: false, actions: set('never') },
        ],
        exitActions: set('left', 'phase == "stepped"'),
        transitions: [{ to: 'two', condition: 'phase == "left"' }],
      },
      { id: 'two' },
    ]),
    { enforcement: 'strict' },
  );
  session.move();
  expect(session.state.variables).toEqual({ phase: 'entered' });
  session.move(undefined, { variables: { phase: 'given' }, ...manifest('done') });
  expect(session.state).toMatchObject({ current: 'two', variables: { phase: 'left' } });
});

test.each([
  ['without a manifest those that are due', undefined, { wet: true, dry: true }],
  ['with one those that are due, named or not', ['wash'], { wet: true, dry: true }],
  ['with one those that it names beside', ['wash', 'hang', 'fold'], { wet: true, dry: true, flat: true }],
])('of steps only those that count as done set variables: %s', (_, ids, expected) => {
  const set = (target: string) => [{ action: 'set', target, value: true } as const];
  const steps = [
    { id: 'wash', actions: set('wet') },
    { id: 'hang', actions: set('dry') },
    { id: 'fold', required: false, actions: set('flat') },
  ];
  const session = walk(graph([{ id: 'one', steps }]));
  session.move();
  session.move(undefined, ids === undefined ? {} : manifest(...ids));
  expect(session.state.variables).toEqual(expected);
});

test('names that every object has are variables and activities like others', () => {
  const session = walk(
    graph([{ id: 'constructor', transitions: [{ to: '__proto__' }] }, { id: '__proto__' }]),
  );
  session.move(undefined, { variables: JSON.parse('{"__proto__": 1, "constructor": 2}') });
  session.move();
  expect(Object.entries(session.state.variables)).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
  ]);
  expect(Object.entries(session.state.visits)).toEqual([
    ['constructor', 1],
    ['__proto__', 1],
  ]);
});

const rush = graph(
  [
    {
      id: 'start',
      steps: [{ id: 'wonder', checkpoint: 'ask', required: false }],
      checkpoints: [
        {
          id: 'ask',
          name: 'Ask',
          message: 'Rush?',
          options: [{ id: 'yes', label: 'Yes', effect: { setVariable: { hurry: true } } }],
        },
      ],
      transitions: [{ to: 'sort' }],
    },
    { id: 'sort', transitions: [{ to: 'press', condition: 'crates == 3' }, { to: 'label' }] },
    { id: 'press' },
    { id: 'label' },
  ],
  {
    variables: [
      { name: 'hurry', type: 'boolean', defaultValue: false },
      { name: 'crates', type: 'number', defaultValue: 0 },
    ],
    modes: [
      {
        id: 'rush',
        name: 'Rush',
        activationVariable: 'hurry',
        skipActivities: ['sort'],
        defaults: { crates: 3 },
      },
    ],
  },
);

test('a mode fills variables nobody set and passes its activities over along their own transitions', () => {
  const session = walk(rush, { enforcement: 'strict' });
  session.move();
  session.move(undefined, { variables: { hurry: true } });
  expect(session.state).toMatchObject({ current: 'press', variables: { crates: 3 } });
});

test('a mode leaves alone what somebody set', () => {
  const session = walk(rush);
  session.move(undefined, { variables: { crates: 7 } });
  session.move(undefined, { variables: { hurry: true } });
  expect(session.state).toMatchObject({ current: 'label', variables: { crates: 7 } });
});

test('a mode that an answer brings into force fills its defaults there and then', () => {
  const session = walk(rush);
  session.move();
  session.yield('ask');
  session.choose('yes');
  expect(session.state.variables).toEqual({ hurry: true, crates: 3 });
});

test('a mode holds only while its variable is true', () => {
  const session = walk(rush, { enforcement: 'strict', variables: { hurry: true } });
  expect(session.state.variables).toEqual({ hurry: true, crates: 3 });
  session.move();
  session.move(undefined, { variables: { hurry: false } });
  expect(session.state.current).toBe('sort');
});

test('a default may bring another mode into force', () => {
  const modes = [
    { id: 'one', name: 'One', activationVariable: 'a', defaults: { b: true } },
    { id: 'two', name: 'Two', activationVariable: 'b', defaults: { c: 5 } },
  ];
  const session = walk(graph([{ id: 'start' }], { modes }));
  session.move(undefined, { variables: { a: true } });
  expect(session.state.variables).toEqual({ a: true, b: true, c: 5 });
});

test.each(enforcements)('a skipped activity that is named: %s', (enforcement) => {
  const session = walk(rush, { enforcement, variables: { hurry: true } });
  session.move();
  const decision = session.move('sort');
  expect(said(decision)[0]).toContain("'sort' is skipped");
  expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'ILLEGAL_TRANSITION' : undefined);
});

test.each([
  ['one after the other', ['sort', 'press'], 'label'],
  ['to the end where nothing is left', ['sort', 'press', 'label'], undefined],
])('skipped activities are passed over %s', (_, skipActivities, target) => {
  const modes = [{ id: 'm', name: 'M', activationVariable: 'hurry', skipActivities }];
  const chain = ['start', 'sort', 'press', 'label'].map((id, at, all) => ({
    id,
    transitions: [{ to: all[at + 1] ?? 'end' }],
  }));
  const session = walk(graph(chain, { modes }), { enforcement: 'strict', variables: { hurry: true } });
  session.move();
  session.move();
  expect(session.state.current).toBe(target);
});

test('skipped activities that lead round to one another lead to the end', () => {
  const modes = [{ id: 'm', name: 'M', activationVariable: 'hurry', skipActivities: ['one', 'two'] }];
  const keyRing = graph(
    [
      { id: 'start', transitions: [{ to: 'one' }] },
      { id: 'one', transitions: [{ to: 'two' }] },
      { id: 'two', transitions: [{ to: 'one' }] },
    ],
    { modes },
  );
  const session = walk(keyRing, { variables: { hurry: true } });
  session.move();
  session.move();
  expect(session.state.status).toBe('completed');
});
