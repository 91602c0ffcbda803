import { describe, expect, test } from 'vitest';
import type { ActivityWorkflowDefinition, Json } from '@workflowlookup/schema';
import { begin, evolve } from '../../../src/session/evolve.ts';
import { isAnswerTo } from '../../../src/session/open-checkpoints.ts';
import type { ActivitySketch } from '../../support/sessions.ts';
import { codeOf, enforcements, graph, manifest, refusalOf, walk } from '../../support/sessions.ts';
import { audit, option, scope, variables } from '../../support/permit-workflow.ts';

describe('a variable that a checkpoint showed', () => {
  const merge = [
    {
      id: 'approve',
      checkpoints: [
        {
          id: 'merge',
          name: 'Merge',
          message: 'Merge {head}?',
          options: [option('yes', {}, 'merge'), option('fix', {}, 'fix'), option('go')],
        },
      ],
      transitions: [{ to: 'fix' }],
    },
    { id: 'merge', transitions: [{ to: 'close' }] },
    { id: 'fix', transitions: [{ to: 'approve' }] },
    { id: 'close', transitions: [{ to: 'archive' }] },
    { id: 'archive' },
  ];
  function approved(
    chosen: string,
    enforcement: 'advisory' | 'strict' = 'strict',
    activities: readonly ActivitySketch[] = merge,
  ) {
    const session = walk(graph(activities), { enforcement });
    session.move(undefined, { variables: { head: 'a' } });
    session.yield('merge');
    session.choose(chosen, 'human');
    return session;
  }
  const head = (value: Json) => ({ variables: { head: value } });

  test.each(enforcements)(
    'is frozen until the session leaves the activity that the answer opened: %s',
    (enforcement) => {
      const session = approved('yes', enforcement);
      const refusal = refusalOf(session, { kind: 'move', ...head('b') });
      expect(refusal).toMatchObject({
        code: 'VARIABLE_PROTECTED',
        data: { variable: 'head', rule: 'frozen', checkpoint_id: 'merge' },
      });
      expect(codeOf(session.move('merge', head('a')))).toBeUndefined();
      expect(codeOf(session.move('close', head('b')))).toBe('VARIABLE_PROTECTED');
      session.move('close');
      expect(codeOf(session.move('archive', head('b')))).toBeUndefined();
    },
  );

  test('can be changed by the call that leads back to the checkpoint', () => {
    const [approve, ...others] = merge;
    const checkpoints = (approve?.checkpoints ?? []).map((one) => ({ ...one, approver: 'human' as const }));
    const session = approved('fix', 'strict', [{ ...approve, id: 'approve', checkpoints }, ...others]);
    expect(codeOf(session.move('fix', head('b')))).toBe('VARIABLE_PROTECTED');
    session.move('fix');
    expect(codeOf(session.move('approve', head('b')))).toBeUndefined();
    expect(session.state.frozen).toEqual([]);
  });

  test('stays frozen on the way back to a checkpoint that does not need to be answered', () => {
    const session = approved('fix');
    session.move('fix');
    expect(codeOf(session.move('approve', head('b')))).toBe('VARIABLE_PROTECTED');
  });

  test('is asked about again with the new value, and the new answer counts', () => {
    const session = approved('go');
    expect(codeOf(session.do({ kind: 'yield', checkpointId: 'merge', ...head('b') }))).toBeUndefined();
    expect(session.state).toMatchObject({ variables: { head: 'b' }, origins: { head: { by: 'agent' } } });
    session.choose('yes', 'human');
    expect(codeOf(session.move('merge', head('c')))).toBe('VARIABLE_PROTECTED');
    expect(codeOf(session.move('merge', head('b')))).toBeUndefined();
  });

  test('stays frozen for an agent that moves without a transition', () => {
    const session = approved('yes', 'advisory');
    expect(codeOf(session.move('close'))).toBeUndefined();
    expect(codeOf(session.move('archive', head('b')))).toBe('VARIABLE_PROTECTED');
    session.move('archive');
    expect(codeOf(session.move('merge', head('b')))).toBe('VARIABLE_PROTECTED');
    expect(codeOf(session.move('merge'))).toBeUndefined();
    expect(codeOf(session.move('close', head('b')))).toBe('VARIABLE_PROTECTED');
  });

  describe('if the checkpoint has a condition', () => {
    const asked = graph([
      {
        id: 'approve',
        checkpoints: [
          {
            id: 'merge',
            name: 'Merge',
            message: 'Merge {head}?',
            condition: 'isRisky == true',
            options: [option('yes', { approved: true })],
          },
        ],
        transitions: [{ to: 'merge' }],
      },
      { id: 'merge' },
    ]);
    function again(values: Record<string, Json>, enforcement: 'advisory' | 'strict') {
      const session = walk(asked, { enforcement });
      session.move(undefined, { variables: { head: 'a', isRisky: true } });
      session.yield('merge');
      session.choose('yes', 'human');
      const refusal = refusalOf(session, { kind: 'yield', checkpointId: 'merge', variables: values });
      return { session, refusal };
    }
    const dismissal = { kind: 'answer', mode: { kind: 'condition-not-met' }, by: 'human' } as const;

    test.each(enforcements)(
      'cannot be changed by a call that makes the condition false: %s',
      (enforcement) => {
        const { session, refusal } = again({ head: 'b', isRisky: false }, enforcement);
        expect(refusal).toMatchObject({
          code: 'VARIABLE_PROTECTED',
          data: { variable: 'head', rule: 'frozen', checkpoint_id: 'merge', reason: 'condition-not-met' },
        });
        expect(session.state).toMatchObject({ revision: 4, variables: { head: 'a', isRisky: true } });
      },
    );

    test.each(enforcements)(
      'stays frozen after a dismissal, and so do the decided values: %s',
      (enforcement) => {
        const { session, refusal } = again({ isRisky: false }, enforcement);
        expect(refusal).toBeUndefined();
        expect(codeOf(session.do(dismissal))).toBeUndefined();
        expect(session.state.variables).toMatchObject({ head: 'a', approved: true });
        expect(codeOf(session.move('merge', head('b')))).toBe('VARIABLE_PROTECTED');
        expect(codeOf(session.do({ kind: 'yield', checkpointId: 'merge', ...head('b') }))).toBe(
          'VARIABLE_PROTECTED',
        );
        expect(codeOf(session.move('merge'))).toBeUndefined();
        expect(codeOf(session.move('end', head('b')))).toBe('VARIABLE_PROTECTED');
      },
    );

    test.each(enforcements)('can be changed by a call that leaves the condition true: %s', (enforcement) => {
      const { session, refusal } = again({ head: 'b' }, enforcement);
      expect(refusal).toBeUndefined();
      expect(codeOf(session.do(dismissal))).toBe('INVALID_STATE');
      session.choose('yes', 'human');
      expect(codeOf(session.move('merge', head('c')))).toBe('VARIABLE_PROTECTED');
    });

    test('can be changed after a dismissal in a journal of an older version', () => {
      const { session } = again({ isRisky: false }, 'advisory');
      session.do(dismissal);
      const [first, ...rest] = session.journal.map(({ at, event }) => {
        const { again: _again, ...older } = event as typeof event & { again?: unknown };
        return { at, event: older };
      });
      if (first?.event.type !== 'session-started')
        throw new Error('The journal must begin with session-started.');
      const state = rest.reduce(evolve, begin('sid', { at: first.at, event: first.event }));
      expect([state.frozen, session.state.frozen.length]).toEqual([[], 1]);
    });
  });

  describe.each(enforcements)('if it had no value: %s', (enforcement) => {
    function asked() {
      const session = walk(graph(merge), { enforcement });
      session.move();
      session.yield('merge');
      session.choose('yes', 'human');
      return session;
    }

    test('can be set by an agent only by yielding the checkpoint again', () => {
      const session = walk(graph(merge), { enforcement });
      session.move(undefined, head('a'));
      session.do({ kind: 'yield', checkpointId: 'merge', ...head(null) });
      session.choose('yes', 'human');
      expect(refusalOf(session, { kind: 'move', ...head('b') })).toMatchObject({
        code: 'VARIABLE_PROTECTED',
        data: { variable: 'head', rule: 'frozen', checkpoint_id: 'merge' },
      });
      expect(codeOf(session.do({ kind: 'yield', checkpointId: 'merge', ...head('b') }))).toBeUndefined();
      session.choose('yes', 'human');
      expect(codeOf(session.move('merge', head('c')))).toBe('VARIABLE_PROTECTED');
    });

    test('can be set by an agent that leaves the activity that the answer opened', () => {
      const session = asked();
      expect(codeOf(session.move('merge', head('b')))).toBe('VARIABLE_PROTECTED');
      session.move('merge');
      expect(codeOf(session.move('close', head('b')))).toBeUndefined();
      expect(session.state).toMatchObject({ current: 'close', variables: { head: 'b' } });
    });

    test('is recorded with the answer, which belongs to no question that showed less', () => {
      const [first, ...rest] = asked().journal;
      const { event: last } = rest.pop() ?? {};
      if (first?.event.type !== 'session-started' || last?.type !== 'checkpoint-answered')
        throw new Error('The journal must begin with session-started.');
      const before = rest.reduce(evolve, begin('sid', { at: first.at, event: first.event }));
      const decidedAs = (decided: NonNullable<typeof last.decided>) =>
        isAnswerTo({ ...last, decided }, before, graph(merge));
      const { decided = { digest: '', revision: 0, shown: [] } } = last;
      expect(decided).toMatchObject({ shown: [], unset: ['head'] });
      expect(decidedAs(decided)).toBe(true);
      expect(decidedAs({ digest: decided.digest, revision: 3, shown: [] })).toBe(false);
    });
  });
});

describe.each(enforcements)(
  'a variable shown by a checkpoint that its own answer keeps from being asked again: %s',
  (enforcement) => {
    const merge = {
      id: 'ok',
      name: 'OK',
      message: 'Merge {head}?',
      approver: 'human' as const,
      options: [option('yes', { approved: true }), option('no')],
    };
    const each = {
      id: 'each',
      name: 'Each',
      type: 'while' as const,
      condition: 'isFree != true',
      maxIterations: 3,
      steps: [{ id: 'stop', checkpoint: 'ok' }],
    };
    const asking: Record<string, Partial<ActivitySketch>> = {
      'its step has the condition': {
        steps: [{ id: 'stop', checkpoint: 'ok', when: 'approved != true' }],
        checkpoints: [merge],
      },
      'the step of a loop has it': {
        loops: [{ ...each, steps: [{ id: 'stop', checkpoint: 'ok', condition: 'approved != true' }] }],
        checkpoints: [merge],
      },
      'the loop has it': {
        loops: [{ ...each, condition: 'approved != true' }],
        checkpoints: [merge],
      },
      'the loop ends with it': {
        loops: [{ ...each, condition: 'again == true', breakCondition: 'approved == true' }],
        checkpoints: [merge],
      },
      'the checkpoint has it': {
        steps: [{ id: 'stop', checkpoint: 'ok', required: false }],
        checkpoints: [{ ...merge, condition: 'approved != true' }],
      },
    };
    const head = (value: string) => ({ variables: { head: value } });
    /** Starts a session in which a person approves `good`, and then moves it to `to`. */
    function approvedIn(activities: readonly ActivitySketch[], to: string) {
      const navigator = graph([
        ...activities,
        { id: 'merge', transitions: [{ to: 'close' }] },
        { id: 'close' },
      ]);
      const session = walk(navigator, { enforcement });
      session.move(undefined, head('good'));
      session.yield('ok');
      session.choose('yes', 'human');
      session.move(to, { ...manifest('stop'), variables: { again: true } });
      expect(session.state.current).toBe(to);
      return session;
    }
    function approved(ask: Partial<ActivitySketch>) {
      const transitions = [
        { to: 'prepare', condition: 'again == true' },
        { to: 'merge', condition: 'approved == true' },
      ];
      const detour = [
        { id: 'prepare', transitions: [{ to: 'check' }] },
        { id: 'check', transitions: [{ to: 'ask' }] },
      ];
      return approvedIn([{ id: 'ask', ...ask, transitions }, ...detour], 'prepare');
    }

    test.each(Object.entries(asking))(
      'stays frozen wherever the session goes until the approved work is done: %s',
      (_, ask) => {
        const session = approved(ask);
        for (const to of ['check', 'ask', 'merge']) {
          expect(codeOf(session.move(to, head('evil')))).toBe('VARIABLE_PROTECTED');
          session.move(to, { variables: { again: false } });
          expect(session.state.current).toBe(to);
        }
        expect(codeOf(session.move('close', head('evil')))).toBe('VARIABLE_PROTECTED');
        expect(codeOf(session.move('close'))).toBeUndefined();
        expect(session.state.frozen).toEqual([]);
      },
    );

    test('can be changed on the way to a checkpoint that is always asked again', () => {
      const session = approved({ steps: [{ id: 'stop', checkpoint: 'ok' }], checkpoints: [merge] });
      expect(codeOf(session.move('check', head('better')))).toBeUndefined();
      expect(session.state.frozen).toEqual([]);
    });

    test('stays frozen if another variable decides whether the checkpoint is asked', () => {
      const session = approved({
        steps: [{ id: 'stop', checkpoint: 'ok', when: 'isFree != true' }],
        checkpoints: [merge],
      });
      expect(codeOf(session.move('check', head('evil')))).toBe('VARIABLE_PROTECTED');
    });

    test('stays frozen if a transition leads from an activity to itself', () => {
      const transitions = [{ to: 'ask', condition: 'again == true' }, { to: 'merge' }];
      const session = approvedIn(
        [{ id: 'ask', ...asking['its step has the condition'], transitions }],
        'ask',
      );
      expect(codeOf(session.move('merge', { variables: { again: false, head: 'evil' } }))).toBe(
        'VARIABLE_PROTECTED',
      );
      session.move('merge', { variables: { again: false } });
      expect(session.state.current).toBe('merge');
      expect(session.state.frozen).toMatchObject([{ variables: ['head'], opened: 'merge' }]);
    });

    test('is asked about again with a new value', () => {
      const session = approved(asking['its step has the condition'] ?? {});
      session.move('check');
      session.move('ask');
      expect(codeOf(session.do({ kind: 'yield', checkpointId: 'ok', ...head('better') }))).toBeUndefined();
      session.choose('yes', 'human');
      expect(session.state.variables).toMatchObject({ head: 'better' });
    });

    test('can be changed in a journal of an older version', () => {
      const session = approved(asking['its step has the condition'] ?? {});
      session.move('check');
      const [first, ...rest] = session.journal.map(({ at, event }) => {
        const { kept: _kept, ...older } = event as typeof event & { kept?: unknown };
        return { at, event: older };
      });
      if (first?.event.type !== 'session-started')
        throw new Error('The journal must begin with session-started.');
      const state = rest.reduce(evolve, begin('sid', { at: first.at, event: first.event }));
      expect([state.frozen, session.state.frozen.length]).toEqual([[], 1]);
    });
  },
);

describe.each(enforcements)(
  'a variable shown by a checkpoint that the workflow keeps from being asked again: %s',
  (enforcement) => {
    const head = (value: string) => ({ variables: { head: value } });
    const set = (target: string, condition?: string) => ({
      action: 'set' as const,
      target,
      value: true,
      ...(condition === undefined ? {} : { condition }),
    });
    const flag = (name: string) => ({
      name,
      type: 'boolean' as const,
      defaultValue: false,
      set_by: 'checkpoint',
    });
    const flags = ['approved', 'asked', 'visited', 'verdict', 'isQuick'].map(flag);
    const ok = {
      id: 'ok',
      name: 'OK',
      message: 'Merge {head}?',
      approver: 'human' as const,
      options: [option('yes', { approved: true }), option('no', { approved: false })],
    };
    const stop = { id: 'stop', checkpoint: 'ok' };
    const asksOnce = { checkpoints: [ok], steps: [{ ...stop, when: 'asked != true' }] };
    const merge: ActivitySketch = { id: 'merge', transitions: [{ to: 'close' }] };
    const close: ActivitySketch = { id: 'close' };
    const gatehouse = (condition: string): ActivitySketch => ({
      id: 'gatehouse',
      transitions: [{ to: 'ask', condition }, { to: 'merge' }],
    });
    const around: readonly ActivitySketch[] = [
      { id: 'ask', checkpoints: [ok], steps: [stop], transitions: [{ to: 'prepare' }] },
      { id: 'prepare', transitions: [{ to: 'gatehouse' }] },
    ];
    const past: readonly ActivitySketch[] = [
      {
        id: 'prepare',
        exitActions: [set('visited')],
        transitions: [{ to: 'ask' }],
      },
      merge,
      close,
    ];
    const onceVisited = [{ to: 'merge', condition: 'visited == true' }, { to: 'prepare' }];
    type Kept = readonly [activities: readonly ActivitySketch[], back: string];
    const workflows: Record<string, Kept> = {
      'a transition reads what the answer set': [
        [...around, gatehouse('approved != true'), merge, close],
        'gatehouse',
      ],
      'a decision reads what the answer set': [
        [
          ...around,
          {
            id: 'gatehouse',
            decisions: [
              {
                id: 'which',
                name: 'Which',
                branches: [
                  { id: 'again', label: 'Again', condition: 'approved != true', transitionTo: 'ask' },
                  { id: 'go', label: 'Go', isDefault: true, transitionTo: 'merge' },
                ],
              },
            ],
          },
          merge,
          close,
        ],
        'gatehouse',
      ],
      'a loop reads what the answer set': [
        [
          ...around,
          {
            id: 'gatehouse',
            loops: [
              {
                id: 'again',
                name: 'Again',
                type: 'while',
                condition: 'approved != true',
                maxIterations: 3,
                activities: ['ask'],
              },
            ],
            transitions: [{ to: 'merge' }],
          },
          merge,
          close,
        ],
        'gatehouse',
      ],
      'a later transition leads back to the start': [
        [
          ...around,
          gatehouse('approved != true'),
          { ...merge, transitions: [{ to: 'close' }, { to: 'ask' }] },
          close,
        ],
        'gatehouse',
      ],
      'an action sets what its step reads': [
        [{ id: 'ask', ...asksOnce, exitActions: [set('asked')], transitions: onceVisited }, ...past],
        'ask',
      ],
      'an action sets it if the answer was yes': [
        [
          {
            id: 'ask',
            ...asksOnce,
            exitActions: [set('asked', 'approved == true')],
            transitions: onceVisited,
          },
          ...past,
        ],
        'ask',
      ],
    };
    function answered(
      activities: readonly ActivitySketch[],
      { answer = 'yes', ...more }: Partial<ActivityWorkflowDefinition> & { readonly answer?: string } = {},
    ) {
      const texts = [
        { name: 'head', type: 'string' as const },
        { name: 'isFree', type: 'boolean' as const },
      ];
      const session = walk(graph(activities, { variables: [...texts, ...flags], ...more }), {
        enforcement,
      });
      session.move(undefined, head('good'));
      session.yield('ok');
      session.choose(answer, 'human');
      session.move('prepare', manifest('stop'));
      expect(session.state.current).toBe('prepare');
      return session;
    }

    test.each(Object.entries(workflows))(
      'stays frozen until the approved work is done: %s',
      (_, [activities, back]) => {
        const session = answered(activities);
        for (const to of [back, 'merge']) {
          expect(codeOf(session.move(to, head('evil')))).toBe('VARIABLE_PROTECTED');
          expect(codeOf(session.move(to))).toBeUndefined();
          expect(session.state).toMatchObject({ current: to, variables: { head: 'good' } });
        }
      },
    );

    test('stays frozen if an answer skips the activity of the checkpoint', () => {
      const options = [{ id: 'yes', label: 'Yes', effect: { skipActivities: ['ask'] } }];
      const session = answered([
        {
          id: 'ask',
          checkpoints: [{ ...ok, options }],
          steps: [stop],
          transitions: [{ to: 'prepare' }, { to: 'merge', condition: 'visited == true' }],
        },
        { id: 'prepare', transitions: [{ to: 'gatehouse' }] },
        { id: 'gatehouse', exitActions: [set('visited')], transitions: [{ to: 'ask' }] },
        merge,
        close,
      ]);
      for (const to of ['gatehouse', 'merge'])
        for (const value of ['evil', 'good'])
          expect([to, codeOf(session.move(to, head(value)))]).toEqual([
            to,
            value === 'evil' ? 'VARIABLE_PROTECTED' : undefined,
          ]);
    });

    test('stays frozen if a mode that the answer turns on skips the activity of the checkpoint', () => {
      const options = [option('yes', { approved: true, isQuick: true })];
      const quick = { id: 'quick', name: 'Quick', activationVariable: 'isQuick', skipActivities: ['ask'] };
      const session = answered(
        [
          { ...around[0], id: 'ask', checkpoints: [{ ...ok, options }] },
          { id: 'prepare', transitions: [{ to: 'gatehouse' }] },
          gatehouse('isFree != true'),
          merge,
          close,
        ],
        { modes: [quick] },
      );
      expect(codeOf(session.move('gatehouse', head('evil')))).toBe('VARIABLE_PROTECTED');
    });

    test('can be changed if the answer lets the checkpoint be asked again', () => {
      const [activities] = workflows['an action sets it if the answer was yes'] ?? [[]];
      const session = answered(activities, { answer: 'no' });
      expect(codeOf(session.move('ask', head('better')))).toBeUndefined();
      expect(session.state).toMatchObject({ variables: { head: 'better' }, frozen: [] });
      expect(codeOf(session.move('merge'))).toBe('CHECKPOINT_OPEN');
    });

    test('stays frozen if an agent could change what lets the checkpoint be asked again', () => {
      const when = 'approved != true or isFree == true';
      const session = answered([
        { ...around[0], id: 'ask', checkpoints: [ok], steps: [{ ...stop, when }] },
        ...past,
      ]);
      const values = { head: 'evil', isFree: true };
      expect(codeOf(session.move('ask', { variables: values }))).toBe('VARIABLE_PROTECTED');
    });

    test.each([
      ['an agent decides', 'isFree != true'],
      ['another answer decides', 'verdict != true'],
    ])('can be changed on the way to a checkpoint if %s whether it is asked again', (_, condition) => {
      const decide = { ...ok, id: 'second', message: 'Redo?', options: [option('redo', { verdict: true })] };
      const session = answered([...around, { ...gatehouse(condition), checkpoints: [decide] }, merge, close]);
      expect(codeOf(session.move('gatehouse', head('better')))).toBeUndefined();
    });
  },
);

describe('the digest of a checkpoint', () => {
  function digestAfter(more: { readonly target?: string; readonly label?: string } = {}) {
    const { target = 'staging', label = 'Now' } = more;
    const checkpoint = { ...scope.checkpoints?.[0], options: [{ ...option('now'), label }] };
    const navigator = graph([{ ...scope, checkpoints: [checkpoint as never] }]);
    const session = walk(navigator);
    session.move(undefined, { variables: { target } });
    session.yield('permit');
    session.choose('now', 'human');
    const event = session.journal.at(-1)?.event;
    return event?.type === 'checkpoint-answered' ? event.decided : undefined;
  }

  test('covers what was shown, and comes with the names of the variables', () => {
    expect(digestAfter()).toEqual(digestAfter());
    expect(digestAfter()).toMatchObject({ revision: 3, shown: ['target'] });
    const others = [digestAfter({ target: 'production' }), digestAfter({ label: 'Later' })];
    expect(new Set([digestAfter(), ...others].map((one) => one?.digest)).size).toBe(3);
  });
});

test('matches only the answer to its own checkpoint', () => {
  const navigator = graph(audit, { variables });
  const session = walk(navigator);
  session.move();
  session.yield('permit');
  const before = session.state;
  session.choose('read-only', 'human');
  const event = session.journal.at(-1)?.event;
  if (event?.type !== 'checkpoint-answered' || event.decided === undefined)
    throw new Error('The checkpoint was not answered');
  const reworded = graph(
    [{ ...scope, checkpoints: [{ ...scope.checkpoints?.[0], message: 'May it be read?' } as never] }],
    { variables },
  );
  const other = { ...before, variables: { ...before.variables, target: 'production' } };
  const digest = `sha256:${'0'.repeat(64)}`;
  expect(isAnswerTo(event, before, navigator)).toBe(true);
  expect(isAnswerTo(event, before, reworded)).toBe(false);
  expect(isAnswerTo(event, other, navigator)).toBe(false);
  expect(isAnswerTo(event, session.state, navigator)).toBe(false);
  expect(isAnswerTo({ ...event, decided: { ...event.decided, digest } }, before, navigator)).toBe(false);
  expect(isAnswerTo({ ...event, decided: { ...event.decided, shown: [] } }, before, navigator)).toBe(false);
});
