import { expect, test } from 'vitest';
import { messages } from '../../../src/messages/sessions.ts';
import { codeOf, enforcements, graph, manifest, said, walk } from '../../support/sessions.ts';

const variables = [
  { name: 'ripe', type: 'boolean', defaultValue: false },
  { name: 'crates', type: 'number', defaultValue: 0 },
  { name: 'note', type: 'string' },
] as const;

test('A session starts with the defaults of the variables', () => {
  expect(walk(graph([], { variables })).state.variables).toEqual({ ripe: false, crates: 0 });
});

test.each([
  ['a name nobody declared', { colour: 'red' }, messages.notDeclared('colour')],
  ['a wrong type', { crates: '3' }, messages.wrongType('crates', 'number', 'string')],
  ['a list for a text', { note: ['x'] }, messages.wrongType('note', 'string', 'array')],
])('%s is a warning, or refused if strict', (_, given, problem) => {
  for (const enforcement of enforcements) {
    const session = walk(graph([{ id: 'one' }], { variables }), { enforcement });
    const decision = session.move('one', { variables: given });
    expect(said(decision)[0]).toContain(problem);
    expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'INVALID_INPUT' : undefined);
    expect(session.state.variables).toMatchObject(enforcement === 'strict' ? {} : given);
  }
});

test.each([
  ['a workflow that declares none', [], { anything: 1 }],
  ['null', variables, { crates: null }],
])('%s accepts any value', (_, declared, given) => {
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
    expect(decision).toMatchObject({ data: { limit } });
  }
});

test('All variables of a session together have a size limit', () => {
  const session = walk(graph([{ id: 'one', transitions: [{ to: 'one' }] }], {}));
  const given = (at: number) => ({ variables: { [`v${at}`]: 'x'.repeat(60_000) } });
  const codes = Array.from({ length: 20 }, (_, at) => codeOf(session.move('one', given(at))));
  expect(codes.indexOf('INVALID_INPUT')).toBe(17);
});

test('A message lists the first problems and counts the others', () => {
  const session = walk(graph([{ id: 'one' }], { variables }));
  expect(said(session.move('one', { variables: names(1_000) }))).toHaveLength(11);
});

test('Entry actions, the actions of done steps and exit actions set variables in this order', () => {
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
  ['without a manifest for the required steps', undefined, { wet: true, dry: true }],
  ['with a manifest for the required steps, named or not', ['wash'], { wet: true, dry: true }],
  [
    'with a manifest also for the optional steps that it names',
    ['wash', 'hang', 'fold'],
    { wet: true, dry: true, flat: true },
  ],
])('Actions run %s', (_, ids, expected) => {
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

test('Names that every object has can be the names of variables and activities', () => {
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

test('A mode sets unset variables to its defaults, and skips its activities along their own transitions', () => {
  const session = walk(rush, { enforcement: 'strict' });
  session.move();
  session.move(undefined, { variables: { hurry: true } });
  expect(session.state).toMatchObject({ current: 'press', variables: { crates: 3 } });
});

test('A mode does not replace values that were set', () => {
  const session = walk(rush);
  session.move(undefined, { variables: { crates: 7 } });
  session.move(undefined, { variables: { hurry: true } });
  expect(session.state).toMatchObject({ current: 'label', variables: { crates: 7 } });
});

test('A mode that an answer turns on sets its defaults immediately', () => {
  const session = walk(rush);
  session.move();
  session.yield('ask');
  session.choose('yes');
  expect(session.state.variables).toEqual({ hurry: true, crates: 3 });
});

test('A mode is on only while its variable is true', () => {
  const session = walk(rush, { enforcement: 'strict', variables: { hurry: true } });
  expect(session.state.variables).toEqual({ hurry: true, crates: 3 });
  session.move();
  session.move(undefined, { variables: { hurry: false } });
  expect(session.state.current).toBe('sort');
});

test('A default can turn on another mode', () => {
  const modes = [
    { id: 'one', name: 'One', activationVariable: 'a', defaults: { b: true } },
    { id: 'two', name: 'Two', activationVariable: 'b', defaults: { c: 5 } },
  ];
  const session = walk(graph([{ id: 'start' }], { modes }));
  session.move(undefined, { variables: { a: true } });
  expect(session.state.variables).toEqual({ a: true, b: true, c: 5 });
});

test.each(enforcements)(
  'A move to a skipped activity is a warning, or refused if strict: %s',
  (enforcement) => {
    const session = walk(rush, { enforcement, variables: { hurry: true } });
    session.move();
    const decision = session.move('sort');
    expect(said(decision)[0]).toContain(messages.activitySkipped('sort'));
    expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'ILLEGAL_TRANSITION' : undefined);
  },
);

test.each([
  ['one after the other', ['sort', 'press'], 'label'],
  ['to the end where nothing is left', ['sort', 'press', 'label'], undefined],
])('Several skipped activities are skipped %s', (_, skipActivities, target) => {
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

test('Skipped activities that lead to each other lead to the end', () => {
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
