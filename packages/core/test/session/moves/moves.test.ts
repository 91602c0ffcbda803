import { expect, test } from 'vitest';
import { messages, transitionTexts } from '../../../src/messages/sessions.ts';
import { codeOf, graph, manifest, said, walk } from '../../support/sessions.ts';

const fork = graph([
  {
    id: 'start',
    transitions: [
      { to: 'left', condition: 'side == "left"' },
      { to: 'right', isDefault: true },
    ],
  },
  { id: 'left', transitions: [{ to: 'end' }] },
  { id: 'right', transitions: [{ to: 'end' }] },
  { id: 'apart' },
]);

test('The first move enters the initial activity', () => {
  const session = walk(fork);
  expect(session.move().ok).toBe(true);
  expect(session.state).toMatchObject({ current: 'start', revision: 2, visits: { start: 1 }, completed: [] });
});

test.each([
  ['the first transition whose condition is true', { side: 'left' }, 'left'],
  ['the default when none is', { side: 'up' }, 'right'],
])('A move that names no activity takes %s', (_, variables, target) => {
  const session = walk(fork);
  session.move();
  session.move(undefined, { variables });
  expect(session.state).toMatchObject({ current: target, completed: ['start'] });
});

test.each([
  ['an activity no transition leads to', ['start'], 'apart', ['apart', 'start', 'left', 'right']],
  ['a transition whose condition is false', ['start'], 'left', ['left', 'side == "left"']],
])('%s is a warning, or refused with the legal transition if strict', (_, path, target, words) => {
  const advisory = walk(fork);
  const strict = walk(fork, { enforcement: 'strict' });
  for (const session of [advisory, strict]) for (const id of path) session.move(id);
  const [warning] = said(advisory.move(target));
  for (const word of words) expect(warning).toContain(word);
  expect(advisory.state.current).toBe(target);
  expect(strict.move(target)).toMatchObject({
    code: 'ILLEGAL_TRANSITION',
    data: { activities: ['right'] },
  });
  expect(strict.state.current).toBe(path.at(-1));
});

test('Starting at another activity is a warning only if the workflow names the first one', () => {
  const fixed = graph([{ id: 'start' }, { id: 'left' }], { initialActivity: 'start' });
  const [warning] = said(walk(fixed).move('left'));
  for (const word of ['left', 'start']) expect(warning).toContain(word);
  const free = walk(fork);
  expect(said(free.move('left'))).toEqual([]);
  expect(free.state).toMatchObject({ current: 'left', completed: [] });
  for (const navigator of [fixed, fork]) {
    const strict = walk(navigator, { enforcement: 'strict' });
    expect(strict.move('left')).toMatchObject({
      code: 'ILLEGAL_TRANSITION',
      data: { activities: ['start'] },
    });
  }
});

test('A free choice of the first activity cannot bypass a checkpoint that needs a person', () => {
  const checkpoint = {
    id: 'permit',
    name: 'Permit',
    message: 'May it?',
    approver: 'human' as const,
    options: [{ id: 'yes', label: 'Yes' }],
  };
  const guarded = graph([
    { id: 'ask', checkpoints: [checkpoint], transitions: [{ to: 'merge' }] },
    { id: 'merge' },
  ]);
  const session = walk(guarded);
  expect(codeOf(session.move('merge'))).toBe('ILLEGAL_TRANSITION');
  expect(session.state.revision).toBe(1);
});

test('The default transition is not legal while another transition is open', () => {
  const strict = walk(fork, { enforcement: 'strict', variables: { side: 'left' } });
  strict.move();
  expect(codeOf(strict.move('right'))).toBe('ILLEGAL_TRANSITION');
  expect(strict.move('left').ok).toBe(true);
});

test.each(['advisory', 'strict'] as const)(
  'A move to an unknown activity is refused in %s sessions',
  (enforcement) => {
    const session = walk(fork, { enforcement });
    expect(session.move('orchid')).toMatchObject({
      code: 'ACTIVITY_NOT_FOUND',
      data: { activity_id: 'orchid' },
    });
    expect(session.state.revision).toBe(1);
  },
);

test('A move to an activity whose file is broken is refused with the problem', () => {
  const whole = graph([{ id: 'start' }]);
  const why = transitionTexts.broken('torn', 'activities/02-torn.yaml', 'no name');
  const possible = transitionTexts.to('start', transitionTexts.initial());
  expect(walk({ ...whole, absence: () => why }).move('torn')).toMatchObject({
    code: 'ACTIVITY_NOT_FOUND',
    message: messages.activityNotFound(why, possible),
  });
});

const decided = graph([
  {
    id: 'weigh',
    decisions: [
      {
        id: 'route',
        name: 'Route',
        branches: [
          { id: 'heavy', label: 'Heavy', condition: 'crates >= 20', transitionTo: 'press' },
          { id: 'light', label: 'Light', isDefault: true },
        ],
      },
    ],
    transitions: [{ to: 'sort', condition: 'ripe == true' }, { to: 'press' }],
  },
  { id: 'sort' },
  { id: 'press' },
]);

test.each([
  ['a branch with a target comes before the transitions', { crates: 20, ripe: true }, 'press'],
  ['a branch without one leaves the choice to the transitions', { crates: 2, ripe: true }, 'sort'],
])('%s', (_, variables, target) => {
  const session = walk(decided, { enforcement: 'strict', variables });
  session.move();
  session.move();
  expect(session.state.current).toBe(target);
});

test.each([
  ['sort', 'crates == 9', ['sort', 'ripe == true', 'crates == 9']],
  ['sort', 'default', ['sort', 'ripe == true', 'default']],
  ['press', 'ripe == false', ['press', 'default', 'ripe == false']],
])(
  'A condition claimed for %s that differs from the definition is a warning: %s',
  (target, condition, words) => {
    const session = walk(decided, target === 'sort' ? { variables: { ripe: true } } : {});
    session.move();
    const warnings = said(session.move(target, { condition }));
    expect(warnings).toHaveLength(1);
    for (const word of words) expect(warnings[0]).toContain(word);
  },
);

test.each([
  ['sort', 'ripe == true'],
  ['sort', 'ripe==true'],
  ['press', 'Default'],
  ['press', ' '],
])(
  'A condition claimed for %s that matches the definition is accepted without a warning: %s',
  (target, condition) => {
    const session = walk(decided, {
      enforcement: 'strict',
      ...(target === 'sort' ? { variables: { ripe: true } } : {}),
    });
    session.move();
    expect(said(session.move(target, { condition }))).toEqual([]);
  },
);

test('An activity manifest only causes warnings, even in a strict session', () => {
  const session = walk(fork, { enforcement: 'strict' });
  const activityManifest = [
    { activity_id: 'bakery', outcome: 'bread' },
    { activity_id: 'start', outcome: ' ' },
  ];
  const decision = session.move('start', { activityManifest });
  expect(decision.ok).toBe(true);
  expect(said(decision)).toEqual([
    messages.unknownInActivityManifest('bakery'),
    messages.emptyOutcome('start'),
  ]);
});

test('A refused move changes nothing', () => {
  const session = walk(fork, { enforcement: 'strict' });
  const before = session.state;
  session.move('right', { variables: { side: 'left' }, ...manifest('x') });
  expect(session.state).toBe(before);
});
