import { describe, expect, test } from 'vitest';
import type { Json } from '@workflowlookup/schema';
import { handedOn } from '../../src/session-engine/handed-on.ts';
import { graphNavigator } from '../../src/session/graph-navigator.ts';
import { isAnswerTo } from '../../src/session/question.ts';
import { statusOf } from '../../src/session/status.ts';
import type { ActivitySketch } from './fixtures.ts';
import { activityWorkflow, codeOf, enforcements, graph, refusalOf, walk } from './fixtures.ts';

/** An option that sets variables and may name the next activity. */
const option = (id: string, setVariable: Record<string, Json> = {}, transitionTo?: string) => ({
  id,
  label: `Label of ${id}`,
  effect: { setVariable, ...(transitionTo === undefined ? {} : { transitionTo }) },
});

const scope: ActivitySketch = {
  id: 'scope',
  checkpoints: [
    {
      id: 'permit',
      name: 'Permit',
      message: 'May {target} be tested?',
      approver: 'human',
      options: [option('read-only', { live: false }), option('attack', { live: true }), option('later')],
    },
  ],
  transitions: [{ to: 'review' }],
};
const audit = [
  scope,
  { id: 'review', transitions: [{ to: 'probe', condition: 'live == true' }, { to: 'report' }] },
  { id: 'probe', transitions: [{ to: 'report' }] },
  { id: 'report' },
];
const variables = [
  { name: 'live', type: 'boolean', defaultValue: false },
  { name: 'target', type: 'string', defaultValue: 'staging' },
  { name: 'note', type: 'string' },
] as const;

function answered(chosen: string, more: Parameters<typeof walk>[1] = {}) {
  const session = walk(graph(audit, { variables }), more);
  session.move();
  session.yield('permit');
  session.choose(chosen, 'human');
  return session;
}

describe.each(enforcements)('a variable that an answer set: %s', (enforcement) => {
  test('is not written by an agent, and the refusal says which checkpoint owns it', () => {
    const session = answered('read-only', { enforcement });
    const refusal = refusalOf(session, { kind: 'move', variables: { live: true } });
    expect(refusal).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: {
        variable: 'live',
        rule: 'owned',
        checkpoint_id: 'permit',
        activity_id: 'scope',
        remedy: 'yield',
      },
    });
    expect(session.state).toMatchObject({ current: 'scope', variables: { live: false } });
    session.move();
    expect(refusalOf(session, { kind: 'move', variables: { live: true } })?.data).not.toHaveProperty(
      'remedy',
    );
    expect(codeOf(session.move('probe', { variables: { live: null } }))).toBe('VARIABLE_PROTECTED');
  });

  test('may be repeated as it is, which leaves it to its checkpoint', () => {
    const session = answered('read-only', { enforcement });
    expect(codeOf(session.move(undefined, { variables: { live: false, note: 'seen' } }))).toBeUndefined();
    expect(session.state.origins).toMatchObject({
      live: { by: 'checkpoint', checkpoint: 'permit', answeredBy: 'human', revision: 4 },
      note: { by: 'agent', revision: 5 },
      target: { by: 'default', revision: 1 },
    });
  });

  test('is decided anew when the checkpoint is asked again, and as at first where that answer does not set it', () => {
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

  test('is not written with the question that asks another thing', () => {
    const session = answered('read-only', { enforcement });
    expect(codeOf(session.do({ kind: 'yield', checkpointId: 'permit', variables: { live: true } }))).toBe(
      'VARIABLE_PROTECTED',
    );
  });
});

describe.each(enforcements)('an answer takes the place of the one before: %s', (enforcement) => {
  const asking = (effect: object, more: ActivitySketch = { id: 'ask', steps: [] }): ActivitySketch[] => [
    {
      checkpoints: [
        {
          id: 'approve',
          name: 'Approve',
          message: 'Merge {head}?',
          approver: 'human',
          options: [
            { id: 'yes', label: 'Yes', effect },
            { id: 'no', label: 'No' },
          ],
        },
      ],
      transitions: [{ to: 'fix' }],
      ...more,
    },
    { id: 'fix', transitions: [{ to: 'ask' }] },
    { id: 'merge' },
  ];
  function yesThenNo(effect: object) {
    const session = walk(graph(asking(effect)), { enforcement });
    session.move(undefined, { variables: { head: 'good' } });
    session.yield('approve');
    session.choose('yes', 'human');
    session.do({ kind: 'yield', checkpointId: 'approve', variables: { head: 'evil' } });
    session.choose('no', 'human');
    return session;
  }

  test('and with it of the way that one named', () => {
    const session = yesThenNo({ transitionTo: 'merge' });
    expect(session.state.expected).toBeUndefined();
    session.move();
    expect(session.state.current).toBe('fix');
  });

  test('of what that one skipped', () => {
    expect(yesThenNo({ skipActivities: ['fix'] }).state.skipped).toEqual([]);
  });

  test("and of its values, which stay the checkpoint's", () => {
    const session = yesThenNo({ setVariable: { approved: true } });
    expect(session.state).toMatchObject({
      variables: { approved: null },
      origins: { approved: { by: 'checkpoint', checkpoint: 'approve', answeredBy: 'human' } },
    });
    expect(codeOf(session.move(undefined, { variables: { approved: true } }))).toBe('VARIABLE_PROTECTED');
  });

  test('in a later visit too, but not in the rounds of a loop', () => {
    const effect = { setVariable: { seen: true } };
    const again = walk(graph(asking(effect)), { enforcement });
    const rounds = walk(
      graph([
        {
          id: 'host',
          loops: [{ id: 'each', name: 'Each', type: 'forEach', over: 'items', activities: ['ask'] }],
        },
        ...asking(effect, { id: 'ask', transitions: [{ to: 'host' }] }),
      ]),
      { enforcement },
    );
    rounds.move(undefined, { variables: { items: [1, 2] } });
    for (const session of [again, rounds]) {
      for (const chosen of ['yes', 'no']) {
        if (session.state.visits['ask'] === 1) session.move();
        session.move('ask');
        session.yield('approve');
        session.choose(chosen, 'human');
      }
    }
    expect([again, rounds].map(({ state }) => state.visits['ask'])).toEqual([2, 2]);
    expect(again.state.variables['seen']).toBe(null);
    expect(rounds.state.variables['seen']).toBe(true);
  });

  test('but answers about the items of a loop over steps add up', () => {
    const loops = [
      {
        id: 'each',
        name: 'Each',
        type: 'forEach' as const,
        over: 'items',
        variable: 'item',
        steps: [{ id: 'sign', checkpoint: 'approve' }],
      },
    ];
    const session = walk(graph(asking({ setVariable: { rejected: true } }, { id: 'ask', loops })), {
      enforcement,
    });
    session.move(undefined, { variables: { items: ['a', 'b'] } });
    for (const chosen of ['yes', 'no']) {
      session.yield('approve');
      session.choose(chosen, 'human');
    }
    expect(session.state.variables['rejected']).toBe(true);
  });
});

test('an action of the definition may change what an answer set, and hands it to nobody', () => {
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

describe('paths', () => {
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
    ['a path that says the same', { plan: { ok: false } }, { 'plan.ok': false }, true],
    ['a name that only begins like it', { plan: true }, { planned: false }, true],
    ['the same list', { plan: [1, { a: 2 }] }, { plan: [1, { a: 2 }] }, true],
  ])('%s', (_, set, write, isTaken) => {
    expect(codeOf(owning(set).move(undefined, { variables: write }))).toBe(
      isTaken ? undefined : 'VARIABLE_PROTECTED',
    );
  });

  test('an object must not give a value to a path that only an answer may set', () => {
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

describe('set_by', () => {
  const declared = (set_by: string | readonly string[]) =>
    graph(audit, { variables: [{ ...variables[0], set_by }, variables[1], variables[2]] });

  test.each(enforcements)('keeps a variable for checkpoints from the start: %s', (enforcement) => {
    const session = walk(declared('checkpoint'), { enforcement });
    const refusal = refusalOf(session, { kind: 'move', variables: { live: true } });
    expect(refusal).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'live', rule: 'reserved', set_by: ['checkpoint'] },
    });
    expect(codeOf(session.move(undefined, { variables: { live: false } }))).toBeUndefined();
  });

  test('names the activity whose agent sets it, also after an answer', () => {
    const session = walk(declared(['permit', 'review']));
    expect(codeOf(session.move(undefined, { variables: { live: true } }))).toBe('VARIABLE_PROTECTED');
    session.move();
    session.yield('permit');
    session.choose('read-only', 'human');
    expect(codeOf(session.move(undefined, { variables: { live: true } }))).toBe('VARIABLE_PROTECTED');
    session.move();
    expect(codeOf(session.move('probe', { variables: { live: true } }))).toBeUndefined();
  });

  test.each(['permit', 'checkpoint'])('names a checkpoint, not an activity that is called %s', (id) => {
    const navigator = graph(
      [
        { ...scope, id, transitions: [{ to: 'review' }] },
        { id: 'review', transitions: [{ to: 'report' }] },
        { id: 'report' },
      ],
      { variables: [{ ...variables[0], set_by: id }, variables[1], variables[2]] },
    );
    const session = walk(navigator);
    session.move();
    expect(codeOf(session.move(undefined, { variables: { live: true } }))).toBe('VARIABLE_PROTECTED');
    session.yield('permit');
    session.choose('read-only', 'human');
    expect(codeOf(session.move(undefined, { variables: { live: true } }))).toBe('VARIABLE_PROTECTED');
  });

  test('agent leaves it to agents, also after an answer', () => {
    const session = walk(declared('agent'));
    session.move();
    session.yield('permit');
    session.choose('read-only', 'human');
    expect(codeOf(session.move(undefined, { variables: { live: true } }))).toBeUndefined();
  });

  test('is not gone around by a mode that an agent turns on', () => {
    const modes = [
      { id: 'fast', name: 'Fast', activationVariable: 'fast', defaults: { live: true, note: 'x' } },
    ];
    const navigator = graph(audit, {
      modes,
      variables: [
        { ...variables[0], set_by: 'checkpoint' },
        variables[1],
        variables[2],
        { name: 'fast', type: 'boolean' },
      ],
    });
    const session = walk(navigator);
    session.move(undefined, { variables: { fast: true } });
    expect(session.state.variables).toMatchObject({ live: false, note: 'x' });
    expect(session.state.origins).toMatchObject({ note: { by: 'mode' }, fast: { by: 'agent' } });
    const handed = walk(navigator, { variables: { fast: true } });
    expect(handed.state.variables).toMatchObject({ live: false, note: 'x' });
  });
});

test('an agent that may write what an answer set turns no mode on in its name', () => {
  const navigator = graph(
    [
      {
        id: 'pace',
        checkpoints: [
          { id: 'ask', name: 'Ask', message: 'Fast?', options: [option('slow', { fast: false })] },
        ],
        transitions: [{ to: 'sign' }],
      },
      {
        id: 'sign',
        steps: [{ id: 'stop', checkpoint: 'signed' }],
        checkpoints: [
          { id: 'signed', name: 'Sign', message: 'Go?', approver: 'human', options: [option('yes')] },
        ],
        transitions: [{ to: 'done' }],
      },
      { id: 'done' },
    ],
    {
      variables: [{ name: 'fast', type: 'boolean', set_by: ['agent', 'checkpoint'] }],
      modes: [{ id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['sign'] }],
    },
  );
  for (const isLate of [false, true]) {
    const session = walk(navigator);
    session.move();
    session.yield('ask');
    session.choose('slow', 'human');
    if (isLate) session.move('pace', { variables: { fast: true } });
    session.move(undefined, { variables: { fast: true } });
    expect(session.state.current).toBe('sign');
  }
});

describe.each(enforcements)('what a person decided: %s', (enforcement) => {
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
  ])('is not undone by an agent at another checkpoint: %s, then %s', (chosen, other, code) => {
    const session = decided(chosen);
    const before = session.state;
    expect(codeOf(session.choose(other))).toBe(code);
    expect(session.state).toBe(before);
    expect(codeOf(session.choose('pass'))).toBeUndefined();
    session.yield('quick');
    expect(codeOf(session.choose(other, 'human'))).toBeUndefined();
  });

  test('is for a checkpoint that set_by names', () => {
    expect(codeOf(decided('no', ['approve', 'quick']).choose('ok'))).toBeUndefined();
    expect(codeOf(decided('no', ['checkpoint']).choose('ok'))).toBe('VARIABLE_PROTECTED');
  });
});

test('a child takes no value for decided that an agent wrote over an answer', () => {
  const set_by = ['checkpoint', 'review'];
  const triggers = [{ workflow: 'child', passContext: ['live'] }];
  const workflow = activityWorkflow(
    [scope, { id: 'review', triggers, transitions: [{ to: 'report' }] }, { id: 'report', triggers }],
    { variables: [{ ...variables[0], set_by }, variables[1], variables[2]] },
  );
  const child = graph([{ id: 'merge' }], {
    id: 'child',
    variables: [{ ...variables[0], set_by: 'checkpoint' }],
  });
  const session = walk(graphNavigator(workflow));
  session.move();
  session.yield('permit');
  session.choose('read-only', 'human');
  session.move();
  const passed = () =>
    handedOn({ runnable: { kind: 'activities', workflow }, state: session.state } as never, child);
  expect(passed()).toMatchObject({ variables: { live: false }, owned: { live: { checkpoint: 'permit' } } });
  expect(codeOf(session.move('report', { variables: { live: true } }))).toBeUndefined();
  expect(passed()).toEqual({ variables: {}, owned: {} });
});

describe('what a question showed', () => {
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
  function approved(chosen: string, enforcement: 'advisory' | 'strict' = 'strict') {
    const session = walk(graph(merge), { enforcement });
    session.move(undefined, { variables: { head: 'a' } });
    session.yield('merge');
    session.choose(chosen, 'human');
    return session;
  }
  const head = (value: Json) => ({ variables: { head: value } });

  test.each(enforcements)(
    'is frozen until the session has left what the answer opened: %s',
    (enforcement) => {
      const session = approved('yes', enforcement);
      const refusal = refusalOf(session, { kind: 'move', ...head('b') });
      expect(refusal).toMatchObject({
        code: 'VARIABLE_PROTECTED',
        data: { variable: 'head', rule: 'frozen', checkpoint_id: 'merge', remedy: 'yield' },
      });
      expect(codeOf(session.move('merge', head('a')))).toBeUndefined();
      expect(codeOf(session.move('close', head('b')))).toBe('VARIABLE_PROTECTED');
      session.move('close');
      expect(codeOf(session.move('archive', head('b')))).toBeUndefined();
    },
  );

  test('may be changed by the call that leads back to the question', () => {
    const session = approved('fix');
    expect(codeOf(session.move('fix', head('b')))).toBe('VARIABLE_PROTECTED');
    session.move('fix');
    expect(codeOf(session.move('approve', head('b')))).toBeUndefined();
    expect(session.state.frozen).toEqual([]);
  });

  test('is asked again with the new value, and the new answer counts', () => {
    const session = approved('go');
    expect(codeOf(session.do({ kind: 'yield', checkpointId: 'merge', ...head('b') }))).toBeUndefined();
    expect(session.state).toMatchObject({ variables: { head: 'b' }, origins: { head: { by: 'agent' } } });
    session.choose('yes', 'human');
    expect(codeOf(session.move('merge', head('c')))).toBe('VARIABLE_PROTECTED');
    expect(codeOf(session.move('merge', head('b')))).toBeUndefined();
  });

  test('goes with an agent that takes a way the workflow does not have', () => {
    const session = approved('yes', 'advisory');
    expect(codeOf(session.move('close'))).toBeUndefined();
    expect(codeOf(session.move('archive', head('b')))).toBe('VARIABLE_PROTECTED');
    session.move('archive');
    expect(codeOf(session.move('merge', head('b')))).toBe('VARIABLE_PROTECTED');
    expect(codeOf(session.move('merge'))).toBeUndefined();
    expect(codeOf(session.move('close', head('b')))).toBe('VARIABLE_PROTECTED');
  });

  test('is not frozen where the question showed no value', () => {
    const session = walk(graph(merge));
    session.move();
    session.yield('merge');
    session.choose('yes', 'human');
    expect(codeOf(session.move('merge', head('a')))).toBeUndefined();
  });
});

describe('the digest of a question', () => {
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

  test('covers what was shown, and names the variables', () => {
    expect(digestAfter()).toEqual(digestAfter());
    expect(digestAfter()).toMatchObject({ revision: 3, shown: ['target'] });
    const others = [digestAfter({ target: 'production' }), digestAfter({ label: 'Later' })];
    expect(new Set([digestAfter(), ...others].map((one) => one?.digest)).size).toBe(3);
  });
});

test('an answer belongs to its question, and to no other', () => {
  const navigator = graph(audit, { variables });
  const session = walk(navigator);
  session.move();
  session.yield('permit');
  const before = session.state;
  session.choose('read-only', 'human');
  const event = session.journal.at(-1)?.event;
  if (event?.type !== 'checkpoint-answered' || event.decided === undefined) throw new Error('not answered');
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

test('a status says who set the variables it shows', () => {
  const session = answered('attack');
  session.move(undefined, { variables: { note: 'x' } });
  expect(statusOf(session.state, graph(audit, { variables }))).toMatchObject({
    variables: { live: true, note: 'x' },
    variablesSetBy: { live: 'checkpoint permit at 4', note: 'agent at 5' },
  });
});

describe('policy', () => {
  const sealed = { gates: 'human', trustElicitation: false, minResponseMs: 3000 } as const;
  const lax = { gates: 'declared', trustElicitation: true, minResponseMs: 0 } as const;

  test('that was sealed into the session holds on a laxer server', () => {
    const session = walk(graph(audit, { variables }), { ...lax, policy: sealed, enforcement: 'strict' });
    session.move();
    session.yield('permit');
    expect(session.state.gate).toMatchObject({ approver: 'human' });
    expect(codeOf(session.choose('read-only', 'agent'))).toBe('HUMAN_REQUIRED');
    session.choose('read-only', 'human');
    expect(codeOf(session.move('probe'))).toBe('ILLEGAL_TRANSITION');
  });

  test('is tightened by a stricter server', () => {
    const at = { ...lax, gates: 'human' } as const;
    const session = walk(graph(audit, { variables }), { ...at, policy: lax });
    session.move();
    expect(codeOf(session.move())).toBe('GATE_ACTIVE');
    session.yield('permit');
    expect(codeOf(session.choose('read-only', 'agent'))).toBe('HUMAN_REQUIRED');
  });
});

describe('the credential of an answer', () => {
  const origin = (credential: string, channel: 'tool' | 'elicitation' = 'tool') =>
    ({ channel, credential, principal: 'team', assurance: 'account' }) as const;
  const answer = (credential: string, channel?: 'tool' | 'elicitation') =>
    ({
      kind: 'answer',
      mode: { kind: 'option', option: 'read-only' },
      by: 'human',
      origin: origin(credential, channel),
    }) as const;
  function driven() {
    const session = walk(graph(audit, { variables }), { credential: 'k1' });
    session.do({ kind: 'move', credential: 'k2' });
    session.do({ kind: 'yield', checkpointId: 'permit', credential: 'k3' });
    return session;
  }

  test.each(['k1', 'k2', 'k3'])('that worked on the session speaks for the agent: %s', (credential) => {
    expect(refusalOf(driven(), answer(credential))).toMatchObject({
      code: 'HUMAN_REQUIRED',
      data: { checkpoint_id: 'permit', reason: 'same-credential' },
    });
  });

  test('that did not speaks for a person, and is kept with the answer', () => {
    const session = driven();
    expect(session.do(answer('k4'))).toMatchObject({
      ok: true,
      event: { by: 'human', origin: origin('k4') },
    });
  });

  test('does not count where the client asked its user', () => {
    expect(codeOf(driven().do(answer('k1', 'elicitation')))).toBeUndefined();
  });
});
