import { expect, test } from 'vitest';
import type { AnswerMode } from '../../../src/session/command.ts';
import { statusOf } from '../../../src/session/status.ts';
import { refuseResume } from '../../../src/session/command.ts';
import type { Walk } from '../../support/sessions.ts';
import { codeOf, enforcements, graph, manifest, said, walk } from '../../support/sessions.ts';
import { messages, transitionTexts } from '../../../src/messages/sessions.ts';

const options = [{ id: 'yes', label: 'Yes' }];
const checkpointOf = (id: string, more: object = {}) => ({ id, name: id, message: 'Go?', options, ...more });
const timed = { defaultOption: 'yes', autoAdvanceMs: 2000 };

const asides = ['drift', 'when-ripe', 'stubborn', 'timeless', 'signed'].map((checkpoint) => ({
  id: `aside-${checkpoint}`,
  checkpoint,
  required: false,
  // A checkpoint for a person blocks the session as soon as its step is reached, so its step has a condition.
  ...(checkpoint === 'signed' ? { when: 'isToBeSigned == true' } : {}),
}));
const survey = graph([
  {
    id: 'survey',
    steps: [{ id: 'look' }, { id: 'decide', checkpoint: 'go-ahead' }, ...asides],
    checkpoints: [
      checkpointOf('go-ahead', {
        blocking: true,
        options: [
          { id: 'start', label: 'Start', effect: { setVariable: { ripe: true } } },
          { id: 'leap', label: 'Leap', effect: { transitionTo: 'press', skipActivities: ['sort'] } },
          { id: 'keep', label: 'Keep' },
          { id: 'change', label: 'Change', note: 'required' },
        ],
      }),
      checkpointOf('drift', timed),
      checkpointOf('when-ripe', { condition: 'ripe == true' }),
      checkpointOf('stubborn', { ...timed, blocking: true }),
      checkpointOf('timeless', { defaultOption: 'yes' }),
      checkpointOf('signed', { approver: 'human', ...timed }),
    ],
    transitions: [{ to: 'sort', condition: 'ripe == true' }, { to: 'label' }],
  },
  { id: 'sort', transitions: [{ to: 'label' }] },
  { id: 'press' },
  { id: 'label' },
]);
const work = manifest('look', 'decide');

function at(checkpoint?: string, more: Parameters<typeof walk>[1] = {}): Walk {
  const session = walk(survey, more);
  session.move();
  if (checkpoint !== undefined) session.yield(checkpoint);
  return session;
}

function answer(session: Walk, mode: AnswerMode, after = 0, by: 'agent' | 'human' = 'agent') {
  session.nowMs += after;
  return session.do({ kind: 'answer', mode, by });
}

test('A yielded checkpoint blocks all moves and other yields, and the error names it', () => {
  const session = at('go-ahead');
  for (const decision of [session.move('sort', work), session.move('end'), session.yield('drift')]) {
    expect(decision).toMatchObject({ code: 'CHECKPOINT_OPEN', data: { checkpoint_id: 'go-ahead' } });
  }
  expect(session.state.revision).toBe(3);
});

test.each([
  ['before any activity', () => walk(survey), 'go-ahead', 'INVALID_STATE'],
  ['of another name', () => at(), 'bell', 'CHECKPOINT_NOT_FOUND'],
])('A checkpoint %s cannot be yielded', (_, start, checkpoint, code) => {
  expect(codeOf(start().yield(checkpoint))).toBe(code);
});

test('An answer sets variables, the expected activity and the skipped activities', () => {
  const session = at();
  session.do({ kind: 'yield', checkpointId: 'go-ahead', variables: { ripe: true } });
  const decision = session.choose('leap');
  expect(decision).toMatchObject({ event: { effect: { transitionTo: 'press', skipActivities: ['sort'] } } });
  expect(session.state).toMatchObject({ expected: 'press', skipped: ['sort'], revision: 4 });
  expect(session.state.gate).toBeUndefined();
  session.move(undefined, work);
  expect(session.state).toMatchObject({ current: 'press', skipped: ['sort'], answered: [] });
  expect(session.state.expected).toBeUndefined();
});

test.each(enforcements)(
  'A move to another activity than the answer leads to is refused: %s',
  (enforcement) => {
    const session = at('go-ahead', { enforcement });
    session.choose('leap');
    const press = transitionTexts.to('press', transitionTexts.answered());
    expect(session.move('label', work)).toMatchObject({
      code: 'ILLEGAL_TRANSITION',
      data: {
        problems: expect.arrayContaining([messages.answerLeadsElsewhere(press, 'label')]),
        activities: ['press'],
      },
    });
  },
);

test.each(enforcements)(
  'Ending the session instead of entering the activity that the answer leads to is a warning, or refused if strict: %s',
  (enforcement) => {
    const session = at('go-ahead', { enforcement });
    session.choose('leap');
    const decision = session.move('end', work);
    expect(said(decision)[0]).toContain('press');
    expect(decision.ok).toBe(enforcement === 'advisory');
  },
);

test.each<[string, string, AnswerMode, number, string]>([
  [
    'an option it does not offer',
    'go-ahead',
    { kind: 'option', option: 'maybe' },
    9000,
    messages.optionNotFound('go-ahead', 'maybe', ['start', 'leap', 'keep', 'change']),
  ],
  [
    'an option before a person can have read it',
    'go-ahead',
    { kind: 'option', option: 'start' },
    2999,
    messages.answerTooSoon(1),
  ],
  [
    'auto-advance before the timer has run',
    'drift',
    { kind: 'auto-advance' },
    1999,
    messages.timerRunning('drift', 1),
  ],
  [
    'auto-advance without a timer',
    'timeless',
    { kind: 'auto-advance' },
    9000,
    messages.noTimer('timeless', ['yes']),
  ],
  [
    'auto-advance where it blocks',
    'stubborn',
    { kind: 'auto-advance' },
    9000,
    messages.blocking('stubborn', ['yes']),
  ],
  [
    'dismissal without a condition',
    'drift',
    { kind: 'condition-not-met' },
    9000,
    messages.noCondition('drift', ['yes']),
  ],
  [
    'an agent where a human signs',
    'signed',
    { kind: 'option', option: 'yes' },
    9000,
    messages.needsPerson('signed'),
  ],
  ['a timer where a human signs', 'signed', { kind: 'auto-advance' }, 9000, messages.needsPerson('signed')],
])('A checkpoint refuses %s, and keeps waiting', (_, checkpoint, mode, after, message) => {
  const session = at(checkpoint);
  expect(said(answer(session, mode, after))).toEqual([message]);
  expect(session.state.gate?.checkpoint).toBe(checkpoint);
});

test.each<[string, string, AnswerMode, number, 'agent' | 'human']>([
  ['the default option once the whole timer has run', 'drift', { kind: 'auto-advance' }, 2000, 'agent'],
  ['dismissal when its condition is false', 'when-ripe', { kind: 'condition-not-met' }, 0, 'agent'],
  [
    'an option after the minimum response time',
    'go-ahead',
    { kind: 'option', option: 'keep' },
    3000,
    'agent',
  ],
  ['a human who signs, at any time', 'signed', { kind: 'option', option: 'yes' }, 0, 'human'],
])('A checkpoint accepts %s', (_, checkpoint, mode, after, by) => {
  const session = at(checkpoint);
  expect(answer(session, mode, after, by).ok).toBe(true);
  expect(session.state.lastAnswer).toMatchObject({ checkpoint, activity: 'survey' });
});

const asked = graph([
  {
    id: 'survey',
    steps: [
      { id: 'look', actions: [{ action: 'set', target: 'isLooked', value: true }] },
      { id: 'decide', checkpoint: 'when-looked' },
      { id: 'aside', checkpoint: 'when-ripe', required: false },
    ],
    loops: [
      {
        id: 'each',
        name: 'Each',
        type: 'forEach',
        over: 'files',
        variable: 'file',
        steps: [{ id: 'read', checkpoint: 'when-risky' }],
      },
    ],
    checkpoints: [
      checkpointOf('when-ripe', { condition: 'ripe == true', ...timed }),
      checkpointOf('when-looked', { condition: 'isLooked == true', ...timed }),
      checkpointOf('when-risky', { condition: 'file.risky == true', ...timed }),
    ].map((one) => ({
      ...one,
      options: [{ id: 'yes', label: 'Yes', effect: { setVariable: { approved: true } } }],
    })),
  },
]);
const safe = { name: 'safe.ts', risky: false };
const risky = { name: 'risky.ts', risky: true };

test.each<[string, 'taken' | 'refused', string, object, 'agent' | 'human']>([
  ['whose condition is false', 'refused', 'when-ripe', {}, 'agent'],
  ['whose condition is true', 'taken', 'when-ripe', { ripe: true }, 'agent'],
  ['whose condition is true once the work is done', 'taken', 'when-looked', {}, 'agent'],
  ['of an item that it is not asked about', 'refused', 'when-risky', { files: [safe] }, 'agent'],
  ['of an item after others', 'taken', 'when-risky', { files: [safe, risky] }, 'agent'],
  ['whose condition is false, from a person', 'taken', 'when-ripe', {}, 'human'],
])('An answer to a checkpoint %s is %s', (_, verdict, checkpoint, variables, by) => {
  for (const mode of [{ kind: 'option', option: 'yes' }, { kind: 'auto-advance' }] as const) {
    const session = walk(asked, { variables: { files: [], ...variables } });
    session.move();
    session.yield(checkpoint);
    const { next } = statusOf(session.state, asked);
    const isRefused = verdict === 'refused' || by === 'human';
    expect(next.at(-1)).toEqual(expect.objectContaining(isRefused ? { isIdle: true } : { options: ['yes'] }));
    const decision = answer(session, mode, 3000, by);
    expect(codeOf(decision)).toBe(verdict === 'taken' ? undefined : 'INVALID_STATE');
    expect(session.state.variables['approved']).toBe(verdict === 'taken' ? true : undefined);
    if (decision.ok) continue;
    expect(decision.data).toEqual({ checkpoint_id: checkpoint, reason: 'condition-not-met' });
    expect(answer(session, { kind: 'condition-not-met' }).ok).toBe(true);
  }
});

test('A checkpoint whose condition is true cannot be dismissed', () => {
  const session = at('when-ripe', { variables: { ripe: true } });
  expect(said(answer(session, { kind: 'condition-not-met' }))).toEqual([
    messages.conditionMet('when-ripe', ['yes']),
  ]);
});

test.each(['agent', 'human'] as const)(
  'A checkpoint whose condition is true once the step is done cannot be dismissed: %s',
  (by) => {
    const session = walk(asked, { variables: { files: [] } });
    session.move();
    session.yield('when-looked');
    expect(codeOf(answer(session, { kind: 'condition-not-met' }, 0, by))).toBe('INVALID_STATE');
    expect(answer(session, { kind: 'option', option: 'yes' }, 3000, by).ok).toBe(true);
  },
);

test.each([
  ['any', 'advisory', undefined],
  ['any', 'strict', 'CHECKPOINT_OPEN'],
  ['human', 'advisory', 'CHECKPOINT_OPEN'],
  ['human', 'strict', 'CHECKPOINT_OPEN'],
] as const)(
  'A dismissed checkpoint whose condition becomes true is open again: %s, %s',
  (approver, enforcement, code) => {
    const ask = checkpointOf('ask', { condition: 'ripe == true', approver });
    const navigator = graph([
      {
        id: 'survey',
        steps: [
          { id: 'note', required: false, actions: [{ action: 'set', target: 'ripe', value: true }] },
          { id: 'decide', checkpoint: 'ask' },
        ],
        checkpoints: [ask],
        transitions: [{ to: 'press' }],
      },
      { id: 'press' },
    ]);
    const by = approver === 'human' ? 'human' : 'agent';
    const session = walk(navigator, { enforcement });
    session.move();
    session.yield('ask');
    expect(answer(session, { kind: 'condition-not-met' }, 0, by).ok).toBe(true);
    expect(statusOf(session.state, navigator).next.filter(({ kind }) => kind === 'yield')).toEqual([]);
    const ripe = { variables: { ripe: true } };
    for (const done of [manifest('note', 'decide'), { ...manifest('decide'), ...ripe }]) {
      const decision = walk(navigator, { enforcement }, session.state).move(undefined, done);
      expect(codeOf(decision)).toBe(code);
      expect(said(decision)[0]).toContain("'ask'");
    }
    session.do({ kind: 'yield', checkpointId: 'ask', ...ripe });
    session.choose('yes', by);
    expect(said(session.move(undefined, manifest('note', 'decide')))).toEqual([]);
  },
);

test('An answer without an open checkpoint is refused, and the error shows the last answer', () => {
  const session = at('go-ahead');
  session.choose('keep');
  expect(said(session.choose('start'))).toEqual([messages.noCheckpointOpen('go-ahead')]);
});

test('An agent cannot answer any checkpoint if the server requires people', () => {
  const session = at('go-ahead', { gates: 'human' });
  expect(codeOf(session.choose('start'))).toBe('HUMAN_REQUIRED');
  expect(session.choose('start', 'human').ok).toBe(true);
});

test.each(enforcements)(
  'A checkpoint of a step that was not yielded is a warning, or refused if strict: %s',
  (enforcement) => {
    const session = at(undefined, { enforcement });
    const decision = session.move(undefined, work);
    expect(said(decision)[0]).toContain(messages.notYielded('go-ahead', 'survey'));
    expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'CHECKPOINT_OPEN' : undefined);
  },
);

test('A checkpoint that no step refers to may be yielded, and may be left out', () => {
  const one = {
    id: 'one',
    steps: [{ id: 'do' }],
    checkpoints: [checkpointOf('ask', { blocking: true }), checkpointOf('perhaps', { condition: 'a == 1' })],
  };
  const navigator = graph([one]);
  const session = walk(navigator, { enforcement: 'strict' });
  session.move();
  const yields = statusOf(session.state, navigator).next.filter(({ kind }) => kind === 'yield');
  expect(yields).toEqual([{ kind: 'yield', checkpoint: 'ask' }]);
  expect(said(session.do({ kind: 'move', ...manifest('do') }))).toEqual([]);
});

test('A checkpoint for a person that no step refers to cannot be passed', () => {
  const signed = graph([{ id: 'one', checkpoints: [checkpointOf('ask', { approver: 'human' })] }]);
  const session = walk(signed);
  session.move();
  expect(codeOf(session.move())).toBe('CHECKPOINT_OPEN');
  const yields = statusOf(session.state, signed).next.filter(({ kind }) => kind === 'yield');
  expect(yields).toEqual([{ kind: 'yield', checkpoint: 'ask' }]);
});

test.each(enforcements)(
  'A checkpoint that no step refers to cannot be passed if the server requires people: %s',
  (enforcement) => {
    const two = { id: 'two', checkpoints: [checkpointOf('ask')], transitions: [{ to: 'three' }] };
    const navigator = graph([{ id: 'one', transitions: [{ to: 'two' }] }, two, { id: 'three' }]);
    const session = walk(navigator, { enforcement, gates: 'human' });
    session.move();
    expect(session.do({ kind: 'move', activityId: 'three' })).toMatchObject({
      code: 'ILLEGAL_TRANSITION',
      data: { checkpoint_id: 'ask', activity_id: 'two' },
    });
    session.move();
    expect(session.do({ kind: 'move' })).toMatchObject({
      code: 'CHECKPOINT_OPEN',
      data: { checkpoint_id: 'ask' },
    });
    const { next } = statusOf(session.state, navigator, { gates: 'human' });
    expect(next.filter(({ kind }) => kind === 'yield')).toEqual([{ kind: 'yield', checkpoint: 'ask' }]);
    session.yield('ask');
    session.choose('yes', 'human');
    expect(session.move().ok).toBe(true);
  },
);

test('The answer to a checkpoint leaves the other checkpoints of its activity open', () => {
  const steps = ['ask', 'sign'].map((checkpoint) => ({ id: `step-${checkpoint}`, checkpoint }));
  const session = walk(
    graph([{ id: 'one', steps, checkpoints: [checkpointOf('ask'), checkpointOf('sign')] }]),
    {
      enforcement: 'strict',
    },
  );
  session.move();
  session.yield('ask');
  session.choose('yes');
  expect(said(session.move(undefined, manifest('step-ask', 'step-sign')))[0]).toContain(
    messages.notYielded('sign', 'one'),
  );
});

test('An answer counts for one visit of the activity', () => {
  const again = graph([
    {
      id: 'one',
      steps: [{ id: 'decide', checkpoint: 'ask' }],
      checkpoints: [checkpointOf('ask')],
      transitions: [{ to: 'one' }],
    },
  ]);
  const session = walk(again, { enforcement: 'strict' });
  session.move();
  session.yield('ask');
  session.choose('yes');
  expect(session.move(undefined, manifest('decide')).ok).toBe(true);
  expect(codeOf(session.move(undefined, manifest('decide')))).toBe('CHECKPOINT_OPEN');
});

test.each([
  ['the condition of the checkpoint is false', {}, { condition: 'a == 1' }, ['may']],
  ['the step is passed over', { when: 'a == 1' }, {}, ['may']],
  ['the step was left out', { required: false }, {}, []],
])('A checkpoint is not required when %s', (_, step, fields, ids) => {
  const one = {
    id: 'one',
    steps: [{ id: 'may', checkpoint: 'ask', ...step }],
    checkpoints: [checkpointOf('ask', fields)],
  };
  const session = walk(graph([one]), { enforcement: 'strict', variables: { a: 2 } });
  session.move();
  expect(said(session.move(undefined, manifest(...ids)))).toEqual([]);
});

test.each([
  ['a step that may be left out', { steps: [{ id: 'may', checkpoint: 'ask', required: false }] }],
  [
    'a step of a loop',
    {
      loops: [
        {
          id: 'rows',
          name: 'R',
          type: 'while',
          condition: 'a == 1',
          steps: [{ id: 'may', checkpoint: 'ask' }],
        },
      ],
    },
  ],
] as const)('The checkpoint of %s is required once the step is done', (_, fields) => {
  const session = walk(graph([{ id: 'one', ...fields, checkpoints: [checkpointOf('ask')] }]), {
    enforcement: 'strict',
  });
  session.move();
  expect(codeOf(session.move(undefined, manifest('may')))).toBe('CHECKPOINT_OPEN');
});

test.each([
  ['a forEach loop with an item', { type: 'forEach', over: 'items' }, 'CHECKPOINT_OPEN'],
  ['a forEach loop without any', { type: 'forEach', over: 'none' }, undefined],
  ['a doWhile loop', { type: 'doWhile' }, 'CHECKPOINT_OPEN'],
  ['a while loop that goes on', { type: 'while' }, 'CHECKPOINT_OPEN'],
  ['a while loop whose condition is false', { type: 'while', condition: 'a == 1' }, undefined],
  [
    'a forEach loop for an item it skips',
    { type: 'forEach', over: 'items', variable: 'it', when: 'it == 9' },
    undefined,
  ],
  [
    'a forEach loop for an item it does',
    { type: 'forEach', over: 'items', variable: 'it', when: 'it == 2' },
    'CHECKPOINT_OPEN',
  ],
] as const)('A checkpoint for a person in the steps of %s is required if a step runs', (_, fields, code) => {
  const { when, ...loop } = { when: 'true', ...fields };
  const loops = [{ id: 'rows', name: 'R', ...loop, steps: [{ id: 'merge', checkpoint: 'ask', when }] }];
  const one = { id: 'one', loops, checkpoints: [checkpointOf('ask', { approver: 'human' })] };
  const session = walk(graph([one]), { variables: { items: [1, 2], none: [] } });
  session.move();
  expect(codeOf(session.move('end', manifest()))).toBe(code);
});

test.each([
  ['its author', { approver: 'human' }, 'declared'],
  ['the server', {}, 'human'],
] as const)(
  'A checkpoint that needs a person because of %s cannot be passed, even in an advisory session',
  (_, more, gates) => {
    const one = {
      id: 'one',
      steps: [{ id: 'merge', checkpoint: 'ask' }],
      checkpoints: [checkpointOf('ask', more)],
    };
    const session = walk(graph([one]), { gates });
    session.move();
    expect(session.move('end', manifest('merge'))).toMatchObject({
      code: 'CHECKPOINT_OPEN',
      message: messages.personBeforeMove('ask', 'one'),
    });
    session.yield('ask');
    session.choose('yes', 'human');
    expect(session.move('end', manifest('merge')).ok).toBe(true);
  },
);

test('An option called revise is like any other option in an activity workflow', () => {
  const revisable = { options: [{ id: 'revise', label: 'Revise' }] };
  const one = {
    id: 'one',
    steps: [{ id: 'do', checkpoint: 'ask' }],
    checkpoints: [checkpointOf('ask', revisable)],
  };
  const session = walk(graph([one]), { enforcement: 'strict' });
  session.move();
  session.yield('ask');
  session.choose('revise');
  expect(session.move(undefined, manifest('do')).ok).toBe(true);
});

test('A worker can resume only after an answer in its activity', () => {
  const session = at();
  expect(refuseResume(session.state)).toMatchObject({
    code: 'INVALID_STATE',
    message: messages.nothingToResume(),
  });
  session.yield('go-ahead');
  expect(refuseResume(session.state)).toMatchObject({
    code: 'CHECKPOINT_OPEN',
    data: { checkpoint_id: 'go-ahead' },
  });
  session.choose('keep');
  expect(refuseResume(session.state)).toBeUndefined();
  session.move(undefined, work);
  expect(refuseResume(session.state)).toBeDefined();
});

test.each(['agent', 'human'] as const)(
  'An option that requires a note is refused to %s without one',
  (by) => {
    const session = at('go-ahead');
    session.nowMs += 3000;
    const mode = { kind: 'option', option: 'change' } as const;
    for (const note of [undefined, '', ' \n'])
      expect(session.do({ kind: 'answer', mode, by, ...(note === undefined ? {} : { note }) })).toMatchObject(
        {
          code: 'NOTE_REQUIRED',
          data: { checkpoint_id: 'go-ahead', option_id: 'change' },
        },
      );
    expect(session.state.gate?.checkpoint).toBe('go-ahead');
    expect(codeOf(session.do({ kind: 'answer', mode, by, note: 'Smaller steps' }))).toBeUndefined();
  },
);

test.each(['agent', 'human'] as const)('A note of %s is refused if it is too long', (by) => {
  const session = at('go-ahead');
  session.nowMs += 3000;
  const mode = { kind: 'option', option: 'change' } as const;
  const refused = session.do({ kind: 'answer', mode, by, note: 'x'.repeat(2001) });
  expect(refused).toMatchObject({ code: 'INVALID_INPUT', data: { field: 'note' } });
  expect(session.state.gate?.checkpoint).toBe('go-ahead');
  expect(codeOf(session.do({ kind: 'answer', mode, by, note: 'x'.repeat(2000) }))).toBeUndefined();
});

test('Only the words of a person are recorded as the note of a person', () => {
  const mode = { kind: 'option', option: 'keep' } as const;
  const noteBy = (by: 'agent' | 'human') => {
    const session = at('go-ahead');
    session.nowMs += 3000;
    session.do({ kind: 'answer', mode, by, note: 'Do it' });
    return session.state.lastAnswer?.note;
  };
  expect(noteBy('human')).toBe('Do it');
  expect(noteBy('agent')).toBeUndefined();
});
