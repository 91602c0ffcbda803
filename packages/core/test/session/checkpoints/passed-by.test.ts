import { describe, expect, it } from 'vitest';
import { workflow } from '../../support/step-workflows.ts';
import { statusOf } from '../../../src/session/status.ts';
import type { ActivitySketch, Walk } from '../../support/sessions.ts';
import { codeOf, enforcements, graph, manifest, refusalOf, sequence, walk } from '../../support/sessions.ts';

const approve = (more: object = {}) =>
  ({
    id: 'approve',
    name: 'Approve',
    message: 'Approve?',
    approver: 'human',
    options: [
      { id: 'yes', label: 'Yes', effect: { setVariable: { approved: true } } },
      { id: 'no', label: 'No' },
    ],
    ...more,
  }) as const;

/** plan → build → review (a person approves) → deploy, or back to build. Small changes go through `trivial` instead. */
const release: readonly ActivitySketch[] = [
  { id: 'plan', transitions: [{ to: 'trivial', condition: 'size == "small"' }, { to: 'build' }] },
  { id: 'build', transitions: [{ to: 'review' }] },
  {
    id: 'review',
    steps: [{ id: 'ask', checkpoint: 'approve' }],
    checkpoints: [approve()],
    transitions: [{ to: 'deploy', condition: 'approved == true' }, { to: 'build' }],
  },
  { id: 'deploy', transitions: [{ to: 'end' }] },
  { id: 'trivial', transitions: [{ to: 'deploy' }] },
];

const start = (options: Parameters<typeof walk>[1] = {}, more: Parameters<typeof graph>[1] = {}): Walk =>
  walk(graph(release, more), options);

const passing = {
  code: 'ILLEGAL_TRANSITION',
  data: { checkpoint_id: 'approve', activity_id: 'review', reason: 'needs-person' },
};

describe('a checkpoint that needs a person', () => {
  it.each(enforcements)('cannot be bypassed by naming an activity after it: %s', (enforcement) => {
    const session = start({ enforcement });
    session.move();
    expect(refusalOf(session, { kind: 'move', activityId: 'deploy' })).toMatchObject(passing);
    session.move();
    expect(refusalOf(session, { kind: 'move', activityId: 'deploy' })).toMatchObject({
      ...passing,
      data: { activities: ['review'] },
    });
    expect(session.state.current).toBe('build');
  });

  it.each(enforcements)('cannot be bypassed by starting after it: %s', (enforcement) => {
    expect(refusalOf(start({ enforcement }), { kind: 'move', activityId: 'deploy' })).toMatchObject(passing);
  });

  describe.each(enforcements)(
    'a checkpoint in a part of the workflow that the first activity does not lead to: %s',
    (enforcement) => {
      const parts: readonly ActivitySketch[] = [
        { id: 'tidy', transitions: [{ to: 'note' }] },
        { id: 'note', transitions: [{ to: 'end' }] },
        ...release,
      ];
      const before = (session: Walk, moves: number): Walk => {
        for (let count = 0; count < moves; count += 1) session.move();
        return session;
      };

      it.each([0, 1, 2])('cannot be bypassed after %s moves', (moves) => {
        for (const more of [{}, { initialActivity: 'tidy' }]) {
          const session = before(walk(graph(parts, more), { enforcement }), moves);
          expect(refusalOf(session, { kind: 'move', activityId: 'deploy' })).toMatchObject(passing);
        }
      });

      it('can be bypassed only by starting where its own part begins, in an advisory session', () => {
        const session = walk(graph(parts), { enforcement });
        expect(session.move('plan').ok).toBe(enforcement === 'advisory');
      });

      it.each([0, 1])(
        'cannot be bypassed by leaving out what decides whether the person is asked, after %s moves',
        (moves) => {
          const decided = parts.map((one) => ({
            ...one,
            ...(one.id === 'build'
              ? {
                  steps: [
                    { id: 'rate', actions: [{ action: 'set' as const, target: 'risk', value: 'high' }] },
                  ],
                }
              : {}),
            ...(one.id === 'review' ? { checkpoints: [approve({ condition: 'risk == "high"' })] } : {}),
          }));
          const session = before(walk(graph(decided), { enforcement }), moves);
          expect(refusalOf(session, { kind: 'move', activityId: 'review' })).toMatchObject(passing);
        },
      );
    },
  );

  it.each(enforcements)('cannot be bypassed by ending the session: %s', (enforcement) => {
    for (const moves of [1, 2]) {
      const session = start({ enforcement });
      for (let count = 0; count < moves; count += 1) session.move();
      for (const activityId of ['end', 'complete', 'end-workflow']) {
        expect(refusalOf(session, { kind: 'move', activityId })).toMatchObject(passing);
      }
    }
  });

  it.each(enforcements)('cannot be bypassed by a branch that is not open: %s', (enforcement) => {
    const session = start({ enforcement, variables: { size: 'large' } });
    session.move();
    expect(refusalOf(session, { kind: 'move', activityId: 'trivial' })).toMatchObject(passing);
    const small = start({ enforcement, variables: { size: 'small' } });
    small.move();
    expect(small.move('trivial').ok).toBe(true);
    expect(small.move('deploy').ok).toBe(true);
  });

  it.each(enforcements)(
    'cannot be bypassed by a closed transition to the approved work once that is done: %s',
    (enforcement) => {
      const shows = approve({ message: 'Deploy to {env}?' });
      const ask = { id: 'ask', steps: [{ id: 'sign', checkpoint: 'approve' }], checkpoints: [shows] };
      const deploying = [
        { ...ask, transitions: [{ to: 'deploy' }] },
        { id: 'deploy', transitions: [{ to: 'report' }] },
        { id: 'report', transitions: [{ to: 'end' }] },
        { id: 'hotfix', transitions: [{ to: 'deploy' }] },
      ];
      const urgent = { to: 'hotfix', condition: 'urgent == true' };
      const plans = [[], [{ id: 'plan', transitions: [urgent, { to: 'ask' }] }]];
      for (const plan of plans) {
        const session = walk(graph([...plan, ...deploying]), { enforcement });
        for (const { id } of plan) session.move(id);
        session.move('ask', { variables: { env: 'staging' } });
        session.yield('approve');
        session.choose('yes', 'human');
        session.move('deploy', manifest('sign'));
        expect(session.move('report').ok).toBe(true);
        const changed = { activityId: 'hotfix', variables: { env: 'prod' } };
        expect(refusalOf(session, { kind: 'move', ...changed })).toMatchObject({
          code: 'ILLEGAL_TRANSITION',
          data: { checkpoint_id: 'approve', activity_id: 'ask', reason: 'needs-person' },
        });
      }
    },
  );

  it.each(enforcements)('cannot be bypassed by a move that contradicts the answer: %s', (enforcement) => {
    const session = start({ enforcement });
    for (const activity of ['plan', 'build', 'review']) session.move(activity);
    session.yield('approve');
    session.choose('no', 'human');
    expect(refusalOf(session, { kind: 'move', activityId: 'deploy', ...manifest('ask') })).toMatchObject(
      passing,
    );
    expect(refusalOf(session, { kind: 'move', activityId: 'end', ...manifest('ask') })).toMatchObject(
      passing,
    );
    expect(session.move('build', manifest('ask')).ok).toBe(true);
    expect(codeOf(session.move('deploy'))).toBe('ILLEGAL_TRANSITION');
  });

  it('cannot be bypassed if only the server requires a person', () => {
    const declared = release.map((one) =>
      one.id === 'review' ? { ...one, checkpoints: [approve({ approver: 'any' })] } : one,
    );
    const free = walk(graph(declared));
    const bound = walk(graph(declared), { gates: 'human' });
    for (const session of [free, bound]) session.move();
    expect(codeOf(free.move('deploy'))).toBeUndefined();
    expect(refusalOf(bound, { kind: 'move', activityId: 'deploy' })).toMatchObject(passing);
  });

  it.each(enforcements)(
    'cannot be bypassed by leaving out the step whose action leads to it: %s',
    (enforcement) => {
      const steps = [{ id: 'look', actions: [{ action: 'set', target: 'risky', value: true }] }] as const;
      const session = walk(
        graph([
          {
            id: 'plan',
            steps,
            transitions: [{ to: 'review', condition: 'risky == true' }, { to: 'deploy' }],
          },
          ...release.slice(2, 4),
        ]),
        { enforcement },
      );
      session.move();
      expect(session.move('deploy', manifest()).ok).toBe(false);
      expect(codeOf(session.move('review', manifest('look')))).toBeUndefined();
    },
  );

  it.each(enforcements)(
    'cannot be bypassed by a mode that an agent turned on, although others may skip it: %s',
    (enforcement) => {
      const skipping = (fields: object) => ({
        modes: [{ id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['review'] }],
        variables: [{ name: 'fast', type: 'boolean', ...fields }],
      });
      const path = (
        more: object,
        variables: Parameters<Walk['move']>[1],
      ): readonly (string | undefined)[] => {
        const session = walk(
          graph(
            release.map((one) => (one.id === 'review' ? { ...one, transitions: [{ to: 'deploy' }] } : one)),
            more,
          ),
          { enforcement },
        );
        return [session.move(undefined, variables), session.move(), session.move()].map(
          () => session.state.current,
        );
      };
      expect(path(skipping({ defaultValue: true }), {}).at(-1)).toBe('deploy');
      expect(path(skipping({}), { variables: { fast: true } }).at(-1)).toBe('review');
      expect(path(skipping({ defaultValue: true }), { variables: { fast: true } }).at(-1)).toBe('review');
    },
  );

  it.each(enforcements)(
    'cannot be bypassed by ending while the variable that leads to it is unset: %s',
    (enforcement) => {
      const session = walk(
        graph([
          {
            id: 'classify',
            transitions: [
              { to: 'review', condition: 'risk == "high"' },
              { to: 'deploy', condition: 'risk == "low"' },
            ],
          },
          ...release.slice(2, 4),
        ]),
        { enforcement },
      );
      session.move();
      for (const variables of [{}, { risk: null }])
        expect(refusalOf(session, { kind: 'move', activityId: 'end', variables })).toMatchObject(passing);
      expect(session.move('deploy', { variables: { risk: 'low' } }).ok).toBe(true);
    },
  );

  it.each(enforcements)(
    'cannot be bypassed by a mode of an agent that skips what leads to it: %s',
    (enforcement) => {
      const steps = [{ id: 'flag', actions: [{ action: 'set', target: 'risky', value: true }] }] as const;
      const transitions = [{ to: 'review', condition: 'risky == true' }, { to: 'deploy' }];
      const again = { id: 'again', name: 'Again', type: 'doWhile', condition: 'more == true' } as const;
      const { transitions: _, ...review } = release[2] ?? { id: 'review' };
      const hosts = [
        [
          { id: 'host', steps, transitions },
          { ...review, transitions: [{ to: 'deploy' }] },
        ],
        [
          { id: 'host', loops: [{ ...again, activities: ['review'] }], transitions: [{ to: 'deploy' }] },
          review,
        ],
        [
          { id: 'host', transitions },
          { ...review, transitions: [{ to: 'deploy' }] },
        ],
      ] as const;
      const reached = hosts.map((host) => {
        const modes = [{ id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['host'] }];
        const all = [{ id: 'plan', transitions: [{ to: 'host' }] }, ...host, { id: 'deploy' }];
        const session = walk(graph(all, { modes }), { enforcement });
        session.move();
        session.move(undefined, { variables: { fast: true } });
        return session.state.current;
      });
      // In the last case, `host` only has transitions and decides nothing, so the mode may skip it.
      expect(reached).toEqual(['host', 'host', 'deploy']);
    },
  );

  describe.each(enforcements)(
    'cannot be bypassed by a mode of an agent that skips what decides whether the person is asked: %s',
    (enforcement) => {
      const set = (target: string, more: object = {}) => ({ action: 'set', target, value: true, ...more });
      const acts = { steps: [{ id: 'look', actions: [set('risky')] }] } as const;
      const answers = (effect: object) => ({
        steps: [{ id: 'look', checkpoint: 'tell' }],
        checkpoints: [approve({ id: 'tell', approver: 'any', options: [{ id: 'ok', label: 'OK', effect }] })],
      });
      const ask = (more: object = {}) => ({
        id: 'sign',
        steps: [{ id: 'ask', checkpoint: 'approve' }],
        checkpoints: [approve()],
        transitions: [{ to: 'deploy' }],
        ...more,
      });
      const fork = {
        id: 'fork',
        transitions: [{ to: 'sign', condition: 'risky == true' }, { to: 'deploy' }],
      };
      const each = { id: 'each', name: 'Each', type: 'doWhile', condition: 'more == true' } as const;
      /** Returns the activity that a session enters after `plan`, if a mode of the agent skips `host`. */
      const entered = (host: object, others: readonly object[], more: object = {}) => {
        const all = [
          { id: 'plan', transitions: [{ to: 'host' }] },
          { id: 'host', transitions: [{ to: 'sign' }], ...host },
          ...others,
          { id: 'deploy', transitions: [{ to: 'end' }] },
        ] as ActivitySketch[];
        const modes = [{ id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['host'] }];
        const session = walk(graph(all, { modes, ...more }), { enforcement });
        session.move();
        session.move(undefined, { variables: { fast: true } });
        return session.state.current;
      };
      const loop = { loops: [{ ...each, activities: ['work'] }], transitions: [{ to: 'deploy' }] };
      const work = (more: object) => ({ id: 'work', ...more });
      const toFork = { transitions: [{ to: 'fork' }] };

      it.each([
        [
          'a loop whose activity leads there',
          loop,
          [work({ transitions: [{ to: 'sign' }] }), ask({ transitions: [{ to: 'host' }] })],
        ],
        ['a loop whose activity sets it', { ...loop, ...toFork }, [work(acts), fork, ask()]],
        [
          'an action that its condition reads',
          acts,
          [ask({ checkpoints: [approve({ condition: 'risky == true' })] })],
        ],
        [
          'an action that the condition of its step reads',
          acts,
          [ask({ steps: [{ id: 'ask', checkpoint: 'approve', when: 'risky == true' }] })],
        ],
        [
          'an action that the loop around its step reads',
          acts,
          [
            ask({
              steps: [],
              loops: [
                {
                  id: 'each',
                  name: 'Each',
                  type: 'while',
                  condition: 'risky == true',
                  steps: [{ id: 'ask', checkpoint: 'approve' }],
                },
              ],
            }),
          ],
        ],
        [
          'an action that another action reads',
          { entryActions: [set('raw')], transitions: [{ to: 'derive' }] },
          [
            { id: 'derive', entryActions: [set('risky', { condition: 'raw == true' })], ...toFork },
            fork,
            ask(),
          ],
        ],
        [
          'an action that a step with an action reads',
          { entryActions: [set('raw')], transitions: [{ to: 'derive' }] },
          [
            { id: 'derive', steps: [{ id: 'set', when: 'raw == true', actions: [set('risky')] }], ...toFork },
            fork,
            ask(),
          ],
        ],
        [
          'an answer that a transition reads',
          { ...answers({ setVariable: { risky: true } }), ...toFork },
          [fork, ask()],
        ],
        [
          'an answer that leads there',
          { ...answers({ transitionTo: 'sign' }), transitions: [{ to: 'deploy' }] },
          [ask()],
        ],
      ] as const)('the activity is not skipped if it has %s', (_, host, others) => {
        expect(entered(host, others)).toBe('host');
      });

      it('the activity is not skipped if an action in it turns on a mode with defaults', () => {
        const fast = { id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['host'] };
        const careful = {
          id: 'careful',
          name: 'Careful',
          activationVariable: 'careful',
          defaults: { risky: true },
        };
        const host = { entryActions: [set('careful')], ...toFork };
        expect(entered(host, [fork, ask()], { modes: [fast, careful] })).toBe('host');
      });

      /** An answer at `express` bypasses the checkpoint of `sign`. */
      const express = {
        id: 'express',
        ...answers({ transitionTo: 'deploy' }),
        transitions: [{ to: 'sign' }],
      };

      it('the activity is not skipped if an action in it turns on a mode that removes a short cut', () => {
        const fast = { id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['host'] };
        const careful = {
          id: 'careful',
          name: 'Careful',
          activationVariable: 'careful',
          skipActivities: ['express'],
        };
        const host = { entryActions: [set('careful')], transitions: [{ to: 'express' }] };
        expect(entered(host, [express, ask()], { modes: [fast, careful] })).toBe('host');
      });

      it('the activity is not skipped if an answer in it skips a short cut', () => {
        const host = { ...answers({ skipActivities: ['express'] }), transitions: [{ to: 'express' }] };
        expect(entered(host, [express, ask()])).toBe('host');
      });

      it.each([
        ['message', approve({ message: 'The risk is {risky}. Go?' })],
        ['options', approve({ options: [{ id: 'yes', label: 'Yes', description: '{risky.level}' }] })],
      ])(
        'the activity is not skipped if an action in it sets what the checkpoint shows: %s',
        (_, checkpoint) => {
          expect(entered(acts, [ask({ checkpoints: [checkpoint] })])).toBe('host');
        },
      );

      it.each([
        [
          "an action that sets what an agent's question shows",
          acts,
          [
            ask({
              steps: [
                { id: 'tell', checkpoint: 'tell' },
                { id: 'ask', checkpoint: 'approve' },
              ],
              checkpoints: [approve({ id: 'tell', approver: 'any', message: '{risky}?' }), approve()],
            }),
          ],
          'sign',
        ],
        [
          'an answer that skips what leads to no person',
          { ...answers({ skipActivities: ['deploy'] }) },
          [ask()],
          'sign',
        ],
        [
          'an action that only other steps read',
          { ...acts, transitions: [{ to: 'other' }] },
          [
            { id: 'other', steps: [{ id: 'more', when: 'risky == true' }], transitions: [{ to: 'sign' }] },
            ask(),
          ],
          'other',
        ],
        [
          'an answer that leads where the session goes anyway',
          { ...answers({ transitionTo: 'other' }), transitions: [{ to: 'sign' }] },
          [{ id: 'other', transitions: [{ to: 'sign' }] }, ask()],
          'sign',
        ],
        [
          'a loop whose activities lead back',
          { loops: [{ ...each, activities: ['work'] }] },
          [work({}), ask()],
          'sign',
        ],
      ] as const)('the activity is skipped if it has %s', (_, host, others, next) => {
        expect(entered(host, others)).toBe(next);
      });

      it('the activity in a loop is not skipped if it leads to the checkpoint', () => {
        const all = [
          { id: 'host', loops: [{ ...each, activities: ['work'] }], transitions: [{ to: 'deploy' }] },
          { id: 'work', transitions: [{ to: 'sign' }] },
          ask({ transitions: [{ to: 'host' }] }),
          { id: 'deploy' },
        ] as ActivitySketch[];
        const modes = [{ id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['work'] }];
        const session = walk(graph(all, { modes }), { enforcement });
        session.move();
        session.move(undefined, { variables: { fast: true } });
        expect(session.state.current).toBe('work');
      });
    },
  );

  it.each(enforcements)(
    'cannot be bypassed by a mode of an agent that skips an activity if every path leads to the checkpoint: %s',
    (enforcement) => {
      const sign = { ...release[2], id: 'sign', transitions: [{ to: 'deploy' }] };
      const each = { id: 'each', name: 'Each', type: 'doWhile', condition: 'more == true' } as const;
      const cases: readonly (readonly ActivitySketch[])[] = [
        [{ id: 'triage', transitions: [{ to: 'sign', condition: 'risk == "high"' }] }, sign],
        [
          { id: 'triage' },
          { id: 'host', loops: [{ ...each, activities: ['triage'] }], transitions: [{ to: 'sign' }] },
          sign,
        ],
        [
          { id: 'triage', transitions: [{ to: 'again' }] },
          { id: 'again', transitions: [{ to: 'sign', condition: 'good == true' }, { to: 'triage' }] },
          sign,
        ],
        [{ id: 'triage', transitions: [{ to: 'deploy', condition: 'risk == "low"' }] }],
      ];
      const reached = cases.map((others) => {
        const modes = [
          { id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['triage', 'again'] },
        ];
        const all = [{ id: 'plan', transitions: [{ to: 'triage' }] }, ...others, { id: 'deploy' }];
        const session = walk(graph(all, { modes }), { enforcement });
        session.move();
        session.move(undefined, { variables: { fast: true } });
        return session.state.current ?? session.state.status;
      });
      // In the last case, the skipped activity does not lead to a person.
      expect(reached).toEqual(['triage', 'triage', 'triage', 'completed']);
    },
  );

  it.each(enforcements)('cannot be bypassed by a loop that has no iterations left: %s', (enforcement) => {
    const each = { id: 'each', name: 'Each', type: 'doWhile', maxIterations: 1 } as const;
    const navigator = graph([
      { id: 'host', loops: [{ ...each, activities: ['work'] }], transitions: [{ to: 'check' }] },
      { id: 'work' },
      { id: 'check', transitions: [{ to: 'work', condition: 'findings > 0' }, { to: 'review' }] },
      ...release.slice(2, 4),
    ]);
    const session = walk(navigator, { enforcement, variables: { findings: 1 } });
    for (const _ of ['host', 'work', 'check', 'work']) session.move();
    expect(session.state.current).toBe('work');
    for (const activityId of [undefined, 'end'])
      expect(
        refusalOf(session, { kind: 'move', ...(activityId === undefined ? {} : { activityId }) }),
      ).toMatchObject(passing);
    const { next, obstacle } = statusOf(session.state, navigator);
    expect(next.at(-1)).toEqual({ kind: 'move', steps: [] });
    expect(obstacle).toContain('approve');
  });

  it.each(enforcements)(
    'cannot be bypassed by completing the session without the required activity that has it: %s',
    (enforcement) => {
      const apart = [
        { id: 'plan', transitions: [{ to: 'deploy' }] },
        { id: 'deploy', transitions: [{ to: 'end' }] },
        {
          id: 'sign',
          required: true,
          steps: [{ id: 'ask', checkpoint: 'approve' }],
          checkpoints: [approve()],
        },
      ] as const;
      const session = walk(graph(apart), { enforcement });
      session.move();
      session.move();
      expect(refusalOf(session, { kind: 'move', activityId: 'end' })).toMatchObject({
        code: 'ILLEGAL_TRANSITION',
        data: { checkpoint_id: 'approve', activity_id: 'sign' },
      });
    },
  );
});

describe('a checkpoint that needs a person in a step workflow', () => {
  const steps = [
    { id: 'draft' },
    { id: 'sign', requireConfirmation: true, approver: 'human' },
    { id: 'send' },
    { id: 'file' },
  ] as const;

  it('blocks later steps and the end until the person confirms', () => {
    const session = walk(sequence(workflow(steps)));
    session.move();
    for (const activityId of ['send', 'file', 'end']) {
      expect(refusalOf(session, { kind: 'move', activityId })).toMatchObject({
        code: 'ILLEGAL_TRANSITION',
        data: { checkpoint_id: 'confirm', activity_id: 'sign' },
      });
    }
    session.move('sign');
    session.yield('confirm');
    session.choose('confirm', 'human');
    expect(codeOf(session.move('file', manifest('sign')))).toBe('ILLEGAL_TRANSITION');
    expect(session.move('send', manifest('sign')).ok).toBe(true);
  });

  it('blocks the end of a loop until the person confirms each iteration', () => {
    const prompts = [{ id: 'work' }, { id: 'sign', requireConfirmation: true, approver: 'human' }] as const;
    const body = prompts.map((one) => ({ title: one.id, prompt: one.id, ...one }));
    const loop = { type: 'for', count: 2, maxIterations: 2 } as const;
    const session = walk(
      sequence(workflow([{ id: 'each', title: 'Each', type: 'loop', loop, body }, { id: 'send' }])),
    );
    session.move();
    for (const activityId of ['each@1::work', 'each@1::sign', 'send', 'end']) {
      expect(codeOf(session.move(activityId))).toBe('ILLEGAL_TRANSITION');
    }
    expect(session.move('each@0::sign').ok).toBe(true);
  });
});
