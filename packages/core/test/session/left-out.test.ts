import { describe, expect, it } from 'vitest';
import type { ActivitySketch, Walk } from './fixtures.ts';
import { codeOf, enforcements, graph, refusalOf, walk } from './fixtures.ts';

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
