import { describe, expect, it } from 'vitest';
import { workflow } from '../fixtures.ts';
import type { ActivitySketch, Walk } from './fixtures.ts';
import { codeOf, enforcements, graph, manifest, refusalOf, sequence, walk } from './fixtures.ts';

const approve = (more: object = {}) =>
  ({
    id: 'approve',
    name: 'Approve',
    message: 'Approve?',
    approver: 'human',
    options: [{ id: 'yes', label: 'Yes' }],
    ...more,
  }) as const;

const passing = {
  code: 'ILLEGAL_TRANSITION',
  data: { checkpoint_id: 'approve', activity_id: 'review', reason: 'needs-person' },
};

describe.each(enforcements)(
  'no move leaves out what decides whether a person is asked: %s',
  (enforcement) => {
    const actions = [{ action: 'set', target: 'risk', value: 'high' }] as const;
    const triage = approve({
      id: 'triage',
      approver: 'any',
      options: [{ id: 'high', label: 'High', effect: { setVariable: { risk: 'high' } } }],
    });
    const each = { id: 'each', name: 'Each', type: 'forEach', over: 'risk', variable: 'one' } as const;
    const stop = { id: 'ask', checkpoint: 'approve' };
    const isHigh = 'risk == "high"';
    const sets = {
      'an exit action': { exitActions: actions },
      'the action of a step': { steps: [{ id: 'look', actions }] },
      'an answer': { checkpoints: [triage] },
    };
    const asks = {
      'the checkpoint': { checkpoints: [approve({ condition: isHigh })], steps: [stop] },
      'its step': { checkpoints: [approve()], steps: [{ ...stop, condition: isHigh }] },
      'the loop around its step': { checkpoints: [approve()], loops: [{ ...each, steps: [stop] }] },
    };
    /** plan → build → docs → review → deploy; `build` decides whether `review` asks. */
    const risky = (build: object, review: object) => {
      const all = [
        { id: 'plan', transitions: [{ to: 'build' }] },
        { id: 'build', transitions: [{ to: 'docs' }], ...build },
        { id: 'docs', transitions: [{ to: 'review' }] },
        { id: 'review', required: true, transitions: [{ to: 'deploy' }], ...review },
        { id: 'deploy', transitions: [{ to: 'end' }] },
      ] as ActivitySketch[];
      const variables = [
        { name: 'risk', type: 'any', set_by: 'checkpoint', defaultValue: [] },
        { name: 'one', type: 'any' },
      ];
      const session = walk(graph(all, { variables } as object), { enforcement });
      session.move();
      return session;
    };

    it.each(Object.entries(sets))('set by %s', (_, build) => {
      for (const activityId of ['review', 'docs']) {
        const session = risky(build, asks['the checkpoint']);
        expect(refusalOf(session, { kind: 'move', activityId })).toMatchObject(passing);
      }
    });

    it.each(Object.entries(asks))('read by %s', (_, review) => {
      for (const activityId of ['review', 'docs']) {
        const session = risky(sets['an exit action'], review);
        expect(refusalOf(session, { kind: 'move', activityId })).toMatchObject(passing);
      }
    });

    it('from an activity that does not lead there', () => {
      const aside = { id: 'aside', transitions: [{ to: 'end' }] };
      const session = walk(
        graph([
          { id: 'choose', transitions: [{ to: 'build', condition: 'big == true' }, { to: 'aside' }] },
          aside,
          { id: 'build', ...sets['an exit action'], transitions: [{ to: 'review' }] },
          { id: 'review', ...asks['the checkpoint'], transitions: [{ to: 'deploy' }] },
          { id: 'deploy' },
        ]),
        { enforcement },
      );
      session.move();
      session.move('aside');
      expect(refusalOf(session, { kind: 'move', activityId: 'review' })).toMatchObject(passing);
    });

    it('but one that leaves out nothing of the kind is only warned about', () => {
      const isWarned = enforcement === 'advisory';
      const certain = { checkpoints: [approve()], steps: [stop] };
      expect(risky(sets['an exit action'], certain).move('review').ok).toBe(isWarned);
      expect(risky({}, asks['the checkpoint']).move('review').ok).toBe(isWarned);
      const done = risky(sets['an exit action'], asks['the checkpoint']);
      done.move('build');
      expect(done.move('review').ok).toBe(isWarned);
      expect(codeOf(done.move('deploy'))).toBe(isWarned ? 'CHECKPOINT_OPEN' : 'ILLEGAL_TRANSITION');
    });
  },
);

describe('no move without a transition leads to work that takes away a question to a person', () => {
  const answers = (effect: object, more: object = {}) => ({
    checkpoints: [
      approve({ id: 'how', approver: 'any', options: [{ id: 'quick', label: 'Quick', effect }], ...more }),
    ],
  });
  const lower = { setVariable: { risk: 'low' } };
  const actions = [{ action: 'set', target: 'risk', value: 'low' }] as const;
  const modes = [{ id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['review'] }];
  const variables = [
    { name: 'risk', type: 'string', set_by: 'checkpoint', defaultValue: 'high' },
    { name: 'fast', type: 'boolean', set_by: 'checkpoint', defaultValue: false },
    { name: 'small', type: 'boolean', defaultValue: false },
  ];
  const asked = { checkpoints: [approve({ condition: 'risk == "high"' })] };
  const cases: Readonly<Record<string, readonly [express: object, review?: object]>> = {
    'an answer that skips it': [answers({ skipActivities: ['review'] })],
    'an answer that turns on a mode': [answers({ setVariable: { fast: true } })],
    'an answer that sets what its condition reads': [answers(lower), asked],
    'an action that sets what its condition reads': [{ exitActions: actions }, asked],
  };
  /** plan → build → review → deploy; `express` leads to `review` as well. */
  const session = (
    [express, review = { checkpoints: [approve()] }]: readonly [express: object, review?: object],
    { plan = [{ to: 'build' }] as object[], isSkippable = false, initialActivity = 'plan' } = {},
  ): Walk => {
    const all = [
      { id: 'plan', transitions: plan },
      { id: 'express', ...express, transitions: [{ to: 'review' }] },
      { id: 'build', transitions: [{ to: 'review' }] },
      { id: 'review', ...review, transitions: [{ to: 'deploy' }] },
      { id: 'deploy', transitions: [{ to: 'end' }] },
    ] as ActivitySketch[];
    const more = { variables, initialActivity, ...(isSkippable ? { modes } : {}) };
    const begun = walk(graph(all, more as object), { enforcement: 'advisory' });
    begun.move();
    return begun;
  };

  describe.each(Object.entries(cases))('by %s', (name, sketch) => {
    const isSkippable = name.includes('mode');

    it.each([
      ['that nothing leads to', [{ to: 'build' }]],
      ['whose branch is not open', [{ to: 'express', condition: 'small == true' }, { to: 'build' }]],
    ])('in an activity %s', (_, plan) => {
      const begun = session(sketch, { plan, isSkippable });
      expect(refusalOf(begun, { kind: 'move', activityId: 'express' })).toMatchObject(passing);
      expect(begun.move('build').ok).toBe(true);
    });

    it('but the author may lead there', () => {
      const plan = [{ to: 'express', condition: 'small == true' }, { to: 'build' }];
      const begun = session(sketch, { plan, isSkippable });
      expect(begun.move('express', { variables: { small: true } })).toMatchObject({ ok: true, warnings: [] });
    });
  });

  it('but one that the session must come by is only warned about, and one that it was in', () => {
    const all = [
      { id: 'plan', transitions: [{ to: 'build' }] },
      { id: 'build', transitions: [{ to: 'express' }] },
      { id: 'express', ...answers({ skipActivities: ['review'] }), transitions: [{ to: 'review' }] },
      { id: 'review', checkpoints: [approve()], transitions: [{ to: 'deploy' }] },
      { id: 'deploy' },
    ] as ActivitySketch[];
    const begun = walk(graph(all), { enforcement: 'advisory' });
    begun.move();
    for (const id of ['express', 'express', 'build', 'express']) expect(begun.move(id).ok).toBe(true);
    begun.yield('how');
    begun.choose('quick');
    expect(begun.move('express').ok).toBe(true);
    expect(begun.move()).toMatchObject({ ok: true, warnings: [] });
    expect(begun.state.current).toBe('deploy');
  });
});

describe('no move without a transition takes away a question in several steps', () => {
  type Sketches = readonly { readonly id: string; readonly [key: string]: unknown }[];
  const stop = { checkpoints: [approve()] };
  const asked = { checkpoints: [approve({ condition: 'risk == "high"' })] };
  const how = (effect: object, more: object = {}) => ({
    checkpoints: [
      approve({ id: 'how', approver: 'any', options: [{ id: 'quick', label: 'Quick', effect }], ...more }),
    ],
  });
  const skips = { skipActivities: ['review'] };
  const sets = (target: string, value: unknown) => ({ exitActions: [{ action: 'set', target, value }] });
  const to = (id: string, more: object = {}) => ({ to: id, ...more });
  const after: Sketches = [
    { id: 'deploy', transitions: [to('end')] },
    { id: 'stopped', transitions: [to('end')] },
  ];
  const begin = (
    all: Sketches,
    variables: readonly object[] = [],
    more: object = { initialActivity: 'plan' },
  ) =>
    walk(graph([...all, ...after] as ActivitySketch[], { variables, ...more } as object), {
      enforcement: 'advisory',
    });
  const answersOnly = { set_by: 'checkpoint' };

  it('by an answer that skips the activity which sets what the condition reads', () => {
    const session = begin(
      [
        { id: 'plan', transitions: [to('express', { condition: 'small == true' }), to('weigh')] },
        { id: 'express', ...how({ skipActivities: ['weigh'] }), transitions: [to('weigh')] },
        { id: 'weigh', ...sets('risk', 'high'), transitions: [to('review')] },
        { id: 'review', ...asked, transitions: [to('deploy')] },
      ],
      [
        { name: 'risk', type: 'string', ...answersOnly },
        { name: 'small', type: 'boolean' },
      ],
    );
    session.move();
    expect(refusalOf(session, { kind: 'move', activityId: 'express' })).toMatchObject(passing);
    expect(session.move('express', { variables: { small: true } })).toMatchObject({ ok: true, warnings: [] });
  });

  it('by leaving out the activity that keeps an answer from skipping it', () => {
    const session = begin(
      [
        { id: 'plan', transitions: [to('weigh')] },
        { id: 'weigh', ...sets('size', 'large'), transitions: [to('express')] },
        { id: 'express', ...how(skips, { condition: 'size == "small"' }), transitions: [to('review')] },
        { id: 'review', ...stop, transitions: [to('deploy')] },
      ],
      [{ name: 'size', type: 'string', defaultValue: 'small', ...answersOnly }],
    );
    session.move();
    expect(refusalOf(session, { kind: 'move', activityId: 'express' })).toMatchObject(passing);
    session.move();
    expect(session.move('express')).toMatchObject({ ok: true, warnings: [] });
  });

  it('by an activity that lets an answer skip it', () => {
    const session = begin(
      [
        { id: 'plan', transitions: [to('express')] },
        { id: 'shrink', ...sets('size', 'small'), transitions: [to('express')] },
        { id: 'express', ...how(skips, { condition: 'size == "small"' }), transitions: [to('review')] },
        { id: 'review', ...stop, transitions: [to('deploy')] },
      ],
      [{ name: 'size', type: 'string', defaultValue: 'large', ...answersOnly }],
    );
    session.move();
    expect(refusalOf(session, { kind: 'move', activityId: 'shrink' })).toMatchObject(passing);
  });

  it.each([
    ['an agent', {}],
    ['an output', { steps: [{ id: 'look', fields: [{ id: 'found' }], sets: { risk: 'found' } }] }],
  ])('by an activity in which %s may set what its condition reads', (_, express) => {
    const session = begin(
      [
        { id: 'plan', transitions: [to('express', { condition: 'small == true' }), to('review')] },
        { id: 'express', ...express, transitions: [to('review')] },
        { id: 'review', ...asked, transitions: [to('deploy')] },
      ],
      [
        { name: 'risk', type: 'string', defaultValue: 'high', set_by: ['express'] },
        { name: 'small', type: 'boolean', set_by: 'checkpoint' },
      ],
    );
    session.move();
    expect(refusalOf(session, { kind: 'move', activityId: 'express' })).toMatchObject(passing);
  });

  const decide = (transitionTo: string) =>
    approve({
      options: [
        { id: 'yes', label: 'Yes' },
        { id: 'no', label: 'No', effect: { transitionTo } },
      ],
    });
  const choices: Sketches = [
    { id: 'plan', ...how(skips), transitions: [to('build')] },
    { id: 'build', transitions: [to('review')] },
  ];

  it('by going back, after a person said no, to an answer that skips the person', () => {
    const review = { id: 'review', checkpoints: [decide('build')], transitions: [to('deploy')] };
    const session = begin([...choices, review]);
    for (const id of ['plan', 'build', 'review']) session.move(id);
    session.yield('approve');
    session.choose('no', 'human');
    expect(session.move().ok).toBe(true);
    expect(session.state.current).toBe('build');
    expect(refusalOf(session, { kind: 'move', activityId: 'plan' })).toMatchObject(passing);
    expect(session.move('review')).toMatchObject({ ok: true, warnings: [] });
  });

  const branch = { id: 'plan', transitions: [to('deploy', { condition: 'small == true' }), to('build')] };

  it.each([
    ['to an answer that skips the person', choices],
    ['to a branch around the person', [branch, ...choices.slice(1)]],
  ])('by going back, after a person ended the work, %s', (_, all) => {
    const review = { id: 'review', checkpoints: [decide('stopped')], transitions: [to('deploy')] };
    const session = begin([...all, review], [{ name: 'small', type: 'boolean' }]);
    for (const id of ['plan', 'build', 'review']) session.move(id);
    session.yield('approve');
    session.choose('no', 'human');
    session.move();
    expect(session.state.current).toBe('stopped');
    expect(refusalOf(session, { kind: 'move', activityId: 'plan' })).toMatchObject(passing);
    expect(session.move('build').ok).toBe(true);
  });

  it('but a session that nobody had to be asked in may go back', () => {
    const session = begin(
      [branch, ...choices.slice(1), { id: 'review', ...stop, transitions: [to('deploy')] }],
      [{ name: 'small', type: 'boolean' }],
    );
    session.move();
    session.move('deploy', { variables: { small: true } });
    expect(session.move('plan').ok).toBe(true);
  });

  it('but a session may begin at any part of the workflow, and take each of its paths', () => {
    const session = begin(
      [
        { id: 'plan', transitions: [to('end')] },
        { id: 'other', transitions: [to('weigh', { condition: 'big == true' }), to('review')] },
        { id: 'weigh', ...sets('risk', 'high'), transitions: [to('review')] },
        { id: 'review', ...asked, transitions: [to('deploy')] },
      ],
      [
        { name: 'risk', type: 'string', ...answersOnly },
        { name: 'big', type: 'boolean' },
      ],
      {},
    );
    expect(session.move('other')).toMatchObject({ ok: true, warnings: [] });
  });
});

describe('no move out of order leads to a step in which an agent may decide whether a person is asked', () => {
  const asking = (more: object) => ({
    id: 'sign',
    requireConfirmation: true,
    approver: 'human' as const,
    ...more,
  });
  const each = (more: object) =>
    ({ id: 'each', title: 'Each', type: 'loop', body: [step(asking({}))], ...more }) as const;
  const step = (one: object) => ({ title: 'Do it', prompt: 'Do it.', ...one });
  const isHigh = 'risk == "high"';
  const counted = { loop: { type: 'for', count: 'risk', maxIterations: 3 } };

  it.each([
    ['runs', asking({ runCondition: isHigh })],
    ['is confirmed', asking({ requireConfirmation: isHigh })],
    ['is in a loop that runs', each({ ...counted, runCondition: isHigh })],
    ['is in a loop that it counts', each(counted)],
  ])('by what says if a step %s', (_, sign) => {
    const steps = ['plan', { id: 'weigh', runCondition: 'isSmall == true' }, sign, 'deploy'];
    const begin = (setBy: string): Walk => {
      const variables = [
        { name: 'risk', type: 'any', default: 2, set_by: [setBy, 'deploy'] },
        { name: 'isSmall', type: 'boolean' },
      ];
      const session = walk(sequence(workflow(steps as never, { variables } as never)));
      session.move();
      return session;
    };
    const stray = { kind: 'move', activityId: 'weigh', ...manifest('plan') } as const;
    expect(refusalOf(begin('weigh'), stray)).toMatchObject({
      code: 'ILLEGAL_TRANSITION',
      data: { activity_id: 'sign', reason: 'needs-person' },
    });
    for (const setBy of ['plan', 'agent']) expect(refusalOf(begin(setBy), stray)).toBeUndefined();
    const isSmall = { ...manifest('plan'), variables: { isSmall: true } };
    expect(begin('weigh').move('weigh', isSmall)).toMatchObject({ ok: true, warnings: [] });
  });
});

describe('an answer skips a person as the author allows it', () => {
  const effect = { transitionTo: 'review', skipActivities: ['review'] };
  const all = [
    {
      id: 'plan',
      checkpoints: [
        approve({
          id: 'how',
          approver: 'any',
          options: [{ id: 'quick', label: 'Quick', effect }],
          autoAdvanceMs: 4000,
          defaultOption: 'quick',
          blocking: false,
        }),
      ],
      transitions: [{ to: 'review' }],
    },
    { id: 'review', checkpoints: [approve()] },
  ] as ActivitySketch[];

  it.each([
    ['an option', 'option', []],
    ['a timer', 'auto-advance', []],
    ['an option, before the activity is entered again', 'option', ['plan']],
    ['a timer, before the activity is entered again', 'auto-advance', ['plan']],
  ] as const)('by %s', (_, kind, again) => {
    const session = walk(graph(all), { enforcement: 'advisory' });
    session.move();
    session.yield('how');
    session.nowMs += 4000;
    const mode = kind === 'option' ? ({ kind, option: 'quick' } as const) : ({ kind } as const);
    expect(session.do({ kind: 'answer', mode, by: 'agent' }).ok).toBe(true);
    for (const id of again) expect(session.move(id).ok).toBe(true);
    expect(session.move().ok).toBe(true);
    expect(session.state.status).toBe('completed');
  });

  it('but without that answer, the session enters it', () => {
    const session = walk(graph(all), { enforcement: 'advisory' });
    session.move();
    session.move('plan');
    expect(refusalOf(session, { kind: 'move', activityId: 'end' })).toMatchObject(passing);
    session.move();
    expect(session.state.current).toBe('review');
  });
});
