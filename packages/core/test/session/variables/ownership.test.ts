import { describe, expect, test } from 'vitest';
import type { CheckpointOption, Json } from '@workflowlookup/schema';
import { begin, evolve } from '../../../src/session/evolve.ts';
import { statusOf } from '../../../src/session/status.ts';
import type { ActivitySketch, Walk } from '../../support/sessions.ts';
import { codeOf, enforcements, graph, refusalOf, walk } from '../../support/sessions.ts';
import { answered, audit, option, scope, variables } from '../../support/permit-workflow.ts';

describe.each(enforcements)('a variable that an answer set: %s', (enforcement) => {
  test('cannot be set by an agent, and the refusal names the checkpoint that owns it', () => {
    const session = answered('read-only', { enforcement });
    const refusal = refusalOf(session, { kind: 'move', variables: { live: true } });
    expect(refusal).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'live', rule: 'owned', checkpoint_id: 'permit', activity_id: 'scope' },
    });
    // There is no remedy, because the same call without the variable would be accepted.
    expect(refusal?.data).not.toHaveProperty('remedy');
    expect(session.state).toMatchObject({ current: 'scope', variables: { live: false } });
    session.move();
    expect(codeOf(session.move('probe', { variables: { live: null } }))).toBe('VARIABLE_PROTECTED');
  });

  test('is refused without the advice to ask again if the session cannot return to the checkpoint', () => {
    const transitions = [{ to: 'work' }];
    const ask = { ...scope, id: 'ask', transitions };
    const session = walk(graph([ask, { id: 'work' }], { variables }), { enforcement });
    session.move();
    session.yield('permit');
    session.choose('read-only', 'human');
    session.move();
    expect(session.state.current).toBe('work');
    const { message = '' } = refusalOf(session, { kind: 'move', variables: { live: true } }) ?? {};
    expect(message).not.toContain("enter 'ask'");
  });

  test('may be sent again unchanged, and still belongs to its checkpoint', () => {
    const session = answered('read-only', { enforcement });
    expect(codeOf(session.move(undefined, { variables: { live: false, note: 'seen' } }))).toBeUndefined();
    expect(session.state.origins).toMatchObject({
      live: { by: 'checkpoint', checkpoint: 'permit', answeredBy: 'human', revision: 4 },
      note: { by: 'agent', revision: 5 },
      target: { by: 'default', revision: 1 },
    });
  });

  test('is replaced by the next answer, or returns to its default if that answer does not set it', () => {
    const session = answered('read-only', { enforcement });
    session.yield('permit');
    session.choose('attack', 'human');
    expect(session.state.variables).toMatchObject({ live: true });
    session.yield('permit');
    session.choose('later', 'human');
    expect(session.state.variables).toMatchObject({ live: false });
    expect(codeOf(session.move('review', { variables: { live: true } }))).toBe('VARIABLE_PROTECTED');
    expect(codeOf(session.move('review', { variables: { live: false } }))).toBeUndefined();
  });

  test('cannot be set by the call that yields its checkpoint again', () => {
    const session = answered('read-only', { enforcement });
    expect(codeOf(session.do({ kind: 'yield', checkpointId: 'permit', variables: { live: true } }))).toBe(
      'VARIABLE_PROTECTED',
    );
  });
});

test('An action of the definition may change a variable that an answer set, which still belongs to the checkpoint', () => {
  const reset = [{ action: 'set' as const, target: 'live', value: false }];
  const session = walk(
    graph([scope, { id: 'review', entryActions: reset, transitions: [{ to: 'scope' }] }], { variables }),
  );
  session.move();
  session.yield('permit');
  session.choose('attack', 'human');
  session.move();
  expect(session.state).toMatchObject({ variables: { live: false }, origins: { live: { by: 'action' } } });
  expect(codeOf(session.move(undefined, { variables: { live: true } }))).toBe('VARIABLE_PROTECTED');
});

describe('writes to variables with paths', () => {
  const asking = (set: Record<string, Json>): ActivitySketch[] => [
    {
      id: 'one',
      checkpoints: [{ id: 'ask', name: 'Ask', message: 'Go?', options: [option('yes', set)] }],
      transitions: [{ to: 'two' }],
    },
    { id: 'two' },
  ];
  function owning(set: Record<string, Json>) {
    const session = walk(graph(asking(set)));
    session.move();
    session.yield('ask');
    session.choose('yes', 'human');
    return session;
  }

  test.each<[string, Record<string, Json>, Record<string, Json>, boolean]>([
    ['a path into what is owned', { plan: { ok: false } }, { 'plan.ok': true }, false],
    ['the whole of what is owned', { plan: { ok: false } }, { plan: { ok: true } }, false],
    ['a path that is owned, as a name', { 'plan.ok': false }, { 'plan.ok': true }, false],
    ['what holds a path that is owned, which hides it', { 'plan.ok': false }, { plan: { ok: true } }, true],
    ['a name that only begins like it', { plan: true }, { planned: false }, true],
    ['the same list', { plan: [1, { a: 2 }] }, { plan: [1, { a: 2 }] }, true],
  ])('are accepted or refused as expected: %s', (_, set, write, isTaken) => {
    expect(codeOf(owning(set).move(undefined, { variables: write }))).toBe(
      isTaken ? undefined : 'VARIABLE_PROTECTED',
    );
  });

  test('are refused if an object gives a value to a path that only an answer may set', () => {
    const navigator = graph(asking({}), {
      variables: [
        { name: 'plan.ok', type: 'boolean', set_by: 'checkpoint' },
        { name: 'plan', type: 'object' },
      ],
    });
    const session = walk(navigator);
    expect(codeOf(session.move(undefined, { variables: { plan: { ok: true } } }))).toBe('VARIABLE_PROTECTED');
    expect(codeOf(session.move(undefined, { variables: { plan: { size: 1 } } }))).toBeUndefined();
  });
});

describe('a variable whose name reads like a path', () => {
  const deploy = (more: object = {}) =>
    graph(
      [
        {
          id: 'ask',
          checkpoints: [
            {
              id: 'where',
              name: 'Where',
              message: 'Deploy to {target}?',
              approver: 'human',
              options: [option('staging', { target: { env: 'staging' } })],
            },
          ],
          transitions: [{ to: 'prod', condition: 'target.env == "prod"' }, { to: 'test' }],
        },
        { id: 'prod' },
        { id: 'test' },
      ],
      more,
    );
  const path = { code: 'INVALID_INPUT', data: { variable: 'target.env' } };

  test.each(enforcements)('cannot be set by an agent: %s', (enforcement) => {
    for (const values of [{ 'target.env': 'prod' }, { target: { env: 'a' }, 'target.env': 'a' }]) {
      const session = walk(deploy(), { enforcement });
      session.move();
      expect(refusalOf(session, { kind: 'move', variables: values })).toMatchObject(path);
      const asks = { kind: 'yield', checkpointId: 'where', variables: values } as const;
      expect(refusalOf(session, asks)).toMatchObject(path);
      session.yield('where');
      session.choose('staging', 'human');
      expect(codeOf(session.move('prod', { variables: values }))).toBe('VARIABLE_PROTECTED');
      session.move();
      expect(session.state.current).toBe('test');
      expect(Object.keys(session.state.variables)).toEqual(['target']);
    }
  });

  test('can be set by an agent if the workflow declares it', () => {
    const declared = [{ name: 'notes.first', type: 'string' as const }];
    const session = walk(deploy({ variables: declared }), { enforcement: 'strict' });
    session.move();
    session.yield('where');
    session.choose('staging', 'human');
    expect(codeOf(session.move(undefined, { variables: { 'notes.first': 'x' } }))).toBeUndefined();
    expect(session.state.variables).toMatchObject({ 'notes.first': 'x' });
  });
});

describe.each(enforcements)(
  'a declared variable whose name reads like a path into an answer: %s',
  (enforcement) => {
    const asking = (more: object = {}) =>
      graph(
        [
          {
            id: 'ask',
            checkpoints: [
              {
                id: 'where',
                name: 'Where',
                message: 'Deploy?',
                approver: 'human',
                options: [
                  option('prod', { target: { env: 'prod' } }),
                  option('staging', { target: { env: 'staging' } }),
                  option('later'),
                  option('quick', { quick: true }),
                ],
              },
            ],
            transitions: [{ to: 'prod', condition: 'target.env == "prod"' }, { to: 'test' }],
          },
          { id: 'prod' },
          { id: 'test' },
        ],
        {
          variables: [
            { name: 'target', type: 'object' },
            { name: 'target.env', type: 'string' },
            { name: 'quick', type: 'boolean' },
          ],
          modes: [
            { id: 'm', name: 'M', activationVariable: 'quick', defaults: { target: { env: 'staging' } } },
          ],
          ...more,
        },
      );
    const answeredTo = (...options: readonly string[]) => {
      const session = walk(asking(), { enforcement });
      session.move();
      for (const chosen of options) {
        const given: Record<string, Json> = chosen === options[0] ? { 'target.env': 'prod' } : {};
        const asks = { kind: 'yield', checkpointId: 'where', variables: given } as const;
        expect(codeOf(session.do(asks))).toBeUndefined();
        session.choose(chosen, 'human');
      }
      return session;
    };

    test.each([
      ['an answer', ['staging'], 'staging'],
      ['a mode that an answer turned on', ['quick'], 'staging'],
      ['an answer that replaces another', ['prod', 'later'], null],
    ])('does not hide the value of %s', (_, options, value) => {
      const session = answeredTo(...options);
      expect(session.state.variables['target.env']).toBe(value);
      expect(codeOf(session.move(undefined, { variables: { 'target.env': 'prod' } }))).toBe(
        'VARIABLE_PROTECTED',
      );
      session.move();
      expect(session.state.current).toBe('test');
    });

    test('keeps the value of an answer that sets the same', () => {
      const session = answeredTo('prod');
      expect(session.state.origins['target.env']).toMatchObject({ by: 'checkpoint', checkpoint: 'where' });
      expect(session.state.owners['target.env']).toMatchObject({ checkpoint: 'where', activity: 'ask' });
      session.move();
      expect(session.state.current).toBe('prod');
    });
  },
);

describe.each(enforcements)('a decision of a person: %s', (enforcement) => {
  const quick = { id: 'quick', name: 'Quick', message: 'Go?' };
  const asking = (set_by?: readonly string[]) =>
    graph(
      [
        {
          id: 'review',
          checkpoints: [
            {
              id: 'approve',
              name: 'Approve',
              message: 'Go?',
              approver: 'human',
              options: [option('no', { live: false }), option('fix', {}, 'fix')],
            },
            { ...quick, options: [option('ok', { live: true }), option('go', {}, 'merge'), option('pass')] },
          ],
          transitions: [{ to: 'fix' }],
        },
        { id: 'fix', transitions: [{ to: 'merge' }] },
        { id: 'merge' },
      ],
      set_by === undefined ? {} : { variables: [{ ...variables[0], set_by }] },
    );
  function decided(chosen: string, set_by?: readonly string[]) {
    const session = walk(asking(set_by), { enforcement });
    session.move();
    session.yield('approve');
    session.choose(chosen, 'human');
    session.yield('quick');
    return session;
  }

  test.each([
    ['no', 'ok', 'VARIABLE_PROTECTED'],
    ['fix', 'go', 'HUMAN_REQUIRED'],
  ])('cannot be undone by an agent at another checkpoint: %s, then %s', (chosen, other, code) => {
    const session = decided(chosen);
    const before = session.state;
    expect(codeOf(session.choose(other))).toBe(code);
    expect(session.state).toBe(before);
    expect(codeOf(session.choose('pass'))).toBeUndefined();
    session.yield('quick');
    expect(codeOf(session.choose(other, 'human'))).toBeUndefined();
  });

  test('may be changed by an agent at a checkpoint that set_by names', () => {
    expect(codeOf(decided('no', ['approve', 'quick']).choose('ok'))).toBeUndefined();
    expect(codeOf(decided('no', ['checkpoint']).choose('ok'))).toBe('VARIABLE_PROTECTED');
  });
});

test('A status says who set the variables that it shows', () => {
  const session = answered('attack');
  session.move(undefined, { variables: { note: 'x' } });
  expect(statusOf(session.state, graph(audit, { variables }))).toMatchObject({
    variables: { live: true, note: 'x' },
    variablesSetBy: { live: 'checkpoint permit at 4', note: 'agent at 5' },
  });
});

describe.each(enforcements)('variables that only the other options set: %s', (enforcement) => {
  const ok = (options: CheckpointOption[], approver: 'human' | 'any' = 'human') => ({
    id: 'ok',
    name: 'OK',
    message: 'Deploy?',
    approver,
    options,
  });
  const pick = {
    id: 'pick',
    name: 'Pick',
    message: 'Which?',
    options: [option('sure', { approved: true }), option('unsure', { approved: false })],
  };
  const yesOrNo = [option('yes', { approved: true }), option('no')];
  function asked(checkpoints: ActivitySketch['checkpoints'], more: Parameters<typeof graph>[1] = {}) {
    const ask = { id: 'ask', checkpoints, transitions: [{ to: 'deploy' }] };
    const session = walk(graph([ask as ActivitySketch, { id: 'deploy' }], more), { enforcement });
    session.move();
    return session;
  }
  function says(session: Walk, checkpoint: string, chosen: string, by?: 'human') {
    session.yield(checkpoint);
    return codeOf(session.choose(chosen, by));
  }

  test('belong to the checkpoint as well, and keep their value', () => {
    const session = asked([ok(yesOrNo)]);
    says(session, 'ok', 'no', 'human');
    const refusal = refusalOf(session, { kind: 'move', variables: { approved: true } });
    expect(refusal).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'approved', rule: 'owned', checkpoint_id: 'ok', activity_id: 'ask' },
    });
    expect(session.state.variables).not.toHaveProperty('approved');
    expect(says(session, 'ok', 'yes', 'human')).toBeUndefined();
    expect(session.state.variables).toMatchObject({ approved: true });
  });

  test('cannot be set by an answer of an agent at another checkpoint', () => {
    const session = asked([ok(yesOrNo), pick]);
    says(session, 'pick', 'unsure');
    says(session, 'ok', 'no', 'human');
    expect(session.state.variables).toMatchObject({ approved: false });
    expect(says(session, 'pick', 'sure')).toBe('VARIABLE_PROTECTED');
  });

  test('stay with the person who decided them at another checkpoint', () => {
    const session = asked([ok(yesOrNo), { ...pick, id: 'other', options: yesOrNo }]);
    says(session, 'ok', 'yes', 'human');
    says(session, 'other', 'no');
    expect(session.state.owners).toMatchObject({ approved: { checkpoint: 'ok' } });
  });

  test('can still be set after the answer of an agent', () => {
    const session = asked([{ ...pick, id: 'other', options: yesOrNo }]);
    says(session, 'other', 'no');
    expect(session.state.owners).toEqual({});
    expect(codeOf(session.move(undefined, { variables: { approved: true } }))).toBeUndefined();
  });

  test('can still be set in a journal of an older version, and after a dismissal', () => {
    const session = asked([ok(yesOrNo)]);
    says(session, 'ok', 'no', 'human');
    const [first, ...rest] = session.journal.map(({ at, event }) => {
      const { owns: _owns, ...older } = event as typeof event & { owns?: unknown };
      return { at, event: older };
    });
    if (first?.event.type !== 'session-started')
      throw new Error('The journal must begin with session-started.');
    const state = rest.reduce(evolve, begin('sid', { at: first.at, event: first.event }));
    expect([state.owners, Object.keys(session.state.owners)]).toEqual([{}, ['approved']]);
    const idle = asked([{ ...ok(yesOrNo), condition: 'isRisky == true' }]);
    idle.yield('ok');
    idle.do({ kind: 'answer', mode: { kind: 'condition-not-met' }, by: 'human' });
    expect(idle.state.owners).toEqual({});
  });

  test('do not turn on a mode that an agent turned on before', () => {
    const quick = { id: 'quick', name: 'Quick', activationVariable: 'quick', skipActivities: ['deploy'] };
    const navigator = graph(
      [
        {
          id: 'ask',
          checkpoints: [ok([option('fast', { quick: true }), option('slow')])],
          transitions: [{ to: 'deploy' }],
        },
        { id: 'deploy', checkpoints: [ok([option('yes')])], transitions: [{ to: 'done' }] },
        { id: 'done' },
      ],
      { modes: [quick] },
    );
    const session = walk(navigator, { enforcement, variables: { quick: true } });
    session.move();
    says(session, 'ok', 'slow', 'human');
    session.move();
    expect(session.state).toMatchObject({ current: 'deploy', owners: { quick: { left: true } } });
  });

  describe('the defaults of a mode that the answer turns on', () => {
    const dry = { id: 'dry', name: 'Dry', activationVariable: 'dry', defaults: { target: 'staging' } };
    const options = [
      option('dry', { dry: true }),
      option('real', { dry: false, target: 'prod' }),
      option('no'),
    ];
    const chosen = (id: string) => {
      const session = asked([ok(options)], { modes: [dry] });
      says(session, 'ok', id, 'human');
      return session;
    };

    test('belong to the checkpoint', () => {
      const session = chosen('dry');
      expect(session.state.variables).toMatchObject({ dry: true, target: 'staging' });
      expect(codeOf(session.move(undefined, { variables: { target: 'prod' } }))).toBe('VARIABLE_PROTECTED');
      expect(codeOf(session.move(undefined, { variables: { target: 'staging' } }))).toBeUndefined();
    });

    test('are reset if the answer is replaced, and set again if it is repeated', () => {
      const session = chosen('dry');
      says(session, 'ok', 'no', 'human');
      expect(session.state.variables).toMatchObject({ dry: null, target: null });
      says(session, 'ok', 'dry', 'human');
      expect(session.state.variables).toMatchObject({ dry: true, target: 'staging' });
      says(session, 'ok', 'dry', 'human');
      expect(session.state.variables).toMatchObject({ dry: true, target: 'staging' });
    });
  });
});
