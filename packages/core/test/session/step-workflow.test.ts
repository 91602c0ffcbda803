import type { Json } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { nextMessages } from '../../src/messages/lookup.ts';
import { messages, transitionTexts } from '../../src/messages/sessions.ts';
import { workflow } from '../support/step-workflows.ts';
import { statusOf } from '../../src/session/status.ts';
import type { Walk } from '../support/sessions.ts';
import { codeOf, enforcements, manifest, refusalOf, said, sequence, walk } from '../support/sessions.ts';

const trellis = sequence(
  workflow([
    'measure',
    {
      id: 'posts',
      type: 'loop',
      loop: { type: 'for', count: 2, maxIterations: 5 },
      body: [
        { id: 'dig', title: 'Dig', prompt: 'Dig.' },
        { id: 'set', title: 'Set', prompt: 'Set.' },
      ],
    },
    { id: 'paint', runCondition: 'paint == true' },
    'report',
  ]),
);
const order = ['measure', 'posts@0::dig', 'posts@0::set', 'posts@1::dig', 'posts@1::set', 'report'];

/** Moves with a manifest that names the current step. */
function step(session: Walk, activityId?: string) {
  const { current } = session.state;
  return session.move(activityId, current === undefined ? {} : manifest(current));
}

test('Each step is an activity with its instance id, in the order that conditions and loops decide', () => {
  const session = walk(trellis, { enforcement: 'strict' });
  const path = order.map(() => {
    step(session);
    return session.state.current;
  });
  expect(path).toEqual(order);
  expect(said(step(session))).toEqual([]);
  expect(session.state).toMatchObject({ status: 'completed', completed: order });
});

test('A short id means the next step if that has the id', () => {
  const session = walk(trellis, { enforcement: 'strict' });
  for (const id of ['measure', 'dig', 'set', 'dig', 'set', 'report']) expect(step(session, id).ok).toBe(true);
  expect(session.state.completed).toEqual(order.slice(0, -1));
});

test('A short id that is not the next step means the first iteration of its loop, which is out of order', () => {
  const session = walk(trellis, { enforcement: 'strict' });
  step(session);
  expect(codeOf(step(session, 'set'))).toBe('ILLEGAL_TRANSITION');
  expect(codeOf(step(session, 'paint'))).toBe('ILLEGAL_TRANSITION');
  expect(codeOf(step(session, 'ig'))).toBe('ACTIVITY_NOT_FOUND');
  expect(session.state.current).toBe('measure');
  const next = transitionTexts.to('posts@0::dig', transitionTexts.nextStep());
  expect(step(session, 'set')).toMatchObject({
    data: { problems: [messages.noTransition('posts@0::set', 'measure', next)] },
  });
});

test('A manifest may use the short id of a step in a loop', () => {
  const session = walk(trellis, { enforcement: 'strict' });
  for (let moves = 0; moves < 2; moves += 1) step(session);
  expect(session.move(undefined, manifest('dig')).ok).toBe(true);
});

test.each(enforcements)(
  'Moving to a later step or to the end too early is a warning, or refused if strict: %s',
  (enforcement) => {
    for (const target of ['report', 'end']) {
      const session = walk(trellis, { enforcement });
      step(session);
      const decision = step(session, target);
      expect(said(decision)[0]).toContain('posts@0::dig');
      expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'ILLEGAL_TRANSITION' : undefined);
    }
  },
);

const stuck = sequence(
  workflow([
    'first',
    {
      id: 'each',
      type: 'loop',
      loop: { type: 'forEach', items: 'files', maxIterations: 3 },
      body: [{ id: 'read', title: 'Read', prompt: 'Read.' }],
    },
  ]),
);

test('A loop without its variable blocks the session until the variable is set', () => {
  const session = walk(stuck);
  step(session);
  const refusal = step(session);
  expect(codeOf(refusal)).toBe('INVALID_STATE');
  expect(said(refusal)[0]).toContain("'files'");
  expect(statusOf(session.state, stuck).obstacle).toContain("'files'");
  session.move(undefined, { ...manifest('first'), variables: { files: ['a'] } });
  expect(session.state.current).toBe('each@0::read');
});

test.each(enforcements)(
  'Ending a session that is blocked by a loop is a warning, or refused if strict: %s',
  (enforcement) => {
    const session = walk(stuck, { enforcement });
    step(session);
    const decision = step(session, 'end');
    expect(said(decision)[0]).toContain("'files'");
    expect(decision.ok).toBe(enforcement === 'advisory');
  },
);

test('A loop that ends at its maximum of iterations is reported once', () => {
  const loop = { type: 'for', count: 9, maxIterations: 1 } as const;
  const body = [{ id: 'once', title: 'Once', prompt: 'Once.' }];
  const session = walk(sequence(workflow([{ id: 'loop', type: 'loop', loop, body }, 'report', 'file'])));
  step(session);
  expect(said(step(session))).toEqual([nextMessages.loopCutShort('loop', 1, 9)]);
  expect(said(step(session))).toEqual([]);
});

const confirmed = sequence(workflow([{ id: 'plan', requireConfirmation: true }, 'build']));

test.each(enforcements)(
  'Leaving a step without its confirmation is a warning, or refused if strict: %s',
  (enforcement) => {
    const session = walk(confirmed, { enforcement });
    step(session);
    const decision = step(session);
    expect(said(decision)[0]).toContain(messages.notYielded('confirm', 'plan'));
    expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'CHECKPOINT_OPEN' : undefined);
  },
);

test.each(enforcements)('A dismissal does not undo an earlier revise answer: %s', (enforcement) => {
  const session = walk(sequence(workflow([{ id: 'ask', requireConfirmation: 'risky == true' }, 'publish'])), {
    enforcement,
    variables: { risky: true },
  });
  step(session);
  session.yield('confirm');
  session.choose('revise');
  session.do({ kind: 'yield', checkpointId: 'confirm', variables: { risky: false } });
  expect(session.do({ kind: 'answer', mode: { kind: 'condition-not-met' }, by: 'agent' }).ok).toBe(true);
  const risky = { variables: { risky: true } };
  expect(codeOf(session.move(undefined, { ...manifest('ask'), ...risky }))).toBe('CHECKPOINT_OPEN');
  expect(session.move(undefined, manifest('ask')).ok).toBe(true);
});

test.each(enforcements)('Revise keeps the step current until it is confirmed: %s', (enforcement) => {
  const session = walk(confirmed, { enforcement });
  step(session);
  session.yield('confirm');
  session.choose('revise');
  expect(session.state).toMatchObject({ current: 'plan', status: 'active' });
  expect(step(session)).toMatchObject({
    code: 'CHECKPOINT_OPEN',
    data: { checkpoint_id: 'confirm', reason: 'sent-back' },
  });
  session.yield('confirm');
  session.choose('confirm');
  expect(said(step(session))).toEqual([]);
  expect(session.state.current).toBe('build');
});

test.each(enforcements)(
  'A condition that becomes false does not undo an earlier revise answer: %s',
  (enforcement) => {
    const ready = sequence(
      workflow([{ id: 'plan', requireConfirmation: 'ready == true', approver: 'human' }, 'build']),
    );
    const session = walk(ready, { enforcement, variables: { ready: true } });
    step(session);
    session.yield('confirm');
    session.choose('revise', 'human');
    const refusal = session.move(undefined, { ...manifest('plan'), variables: { ready: false } });
    expect(codeOf(refusal)).toBe('CHECKPOINT_OPEN');
    expect(session.yield('confirm').ok).toBe(true);
    expect(session.choose('confirm', 'human').ok).toBe(true);
    expect(step(session).ok).toBe(true);
    expect(session.state.current).toBe('build');
  },
);

test('A confirmation is required only if its condition is true, but can always be yielded', () => {
  const optional = sequence(workflow([{ id: 'plan', requireConfirmation: 'risky == true' }, 'build']));
  const calm = walk(optional, { enforcement: 'strict', variables: { risky: false } });
  step(calm);
  expect(step(calm).ok).toBe(true);
  const risky = walk(optional, { enforcement: 'strict', variables: { risky: true } });
  step(risky);
  expect(codeOf(step(risky))).toBe('CHECKPOINT_OPEN');
});

test('A confirmation by a person is required even in an advisory session', () => {
  const session = walk(
    sequence(workflow([{ id: 'plan', requireConfirmation: true, approver: 'human' }, 'build'])),
  );
  step(session);
  expect(codeOf(step(session, 'build'))).toBe('CHECKPOINT_OPEN');
  session.yield('confirm');
  expect(codeOf(session.choose('confirm'))).toBe('HUMAN_REQUIRED');
  expect(session.choose('confirm', 'human').ok).toBe(true);
  expect(step(session).ok).toBe(true);
});

test.each(enforcements)(
  'A variable whose name reads like a path into an item does not hide any value of the item: %s',
  (enforcement) => {
    const drop = { id: 'drop', title: 'Drop', prompt: 'p', approver: 'human' } as const;
    const risky = { ...drop, requireConfirmation: 'file.risky == true' };
    const files = { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 } as const;
    const units = { ...files, items: 'file.units', itemVar: 'unit' } as const;
    const inner = {
      id: 'units',
      type: 'loop',
      title: 'Units',
      loop: units,
      body: [{ ...drop, requireConfirmation: true }],
    } as const;
    for (const body of [[risky], [inner]]) {
      const flow = sequence(
        workflow(['list', { id: 'each', type: 'loop', title: 'Each', loop: files, body }, 'done']),
      );
      const session = walk(flow, { enforcement, variables: { 'file.risky': false, 'file.units': [] } });
      step(session);
      const variables = { files: [{ risky: true, units: ['a'] }] };
      session.move(undefined, { ...manifest('list'), variables });
      expect(session.state.current).toContain('drop');
      expect(codeOf(step(session))).toBe('CHECKPOINT_OPEN');
    }
  },
);

describe('a variable that a confirmation showed', () => {
  const agreed = sequence(
    workflow([
      'plan',
      { id: 'agree', title: 'Agree on {{ env }}', requireConfirmation: true },
      'push',
      'report',
      'file',
    ]),
  );

  test.each(enforcements)('is frozen like at any other checkpoint: %s', (enforcement) => {
    const session = walk(agreed, { enforcement });
    const to = (env: string) => ({ ...manifest(session.state.current ?? ''), variables: { env } });
    step(session);
    session.move(undefined, to('staging'));
    session.yield('confirm');
    const answer = session.choose('confirm');
    expect(answer).toMatchObject({ ok: true, event: { decided: { shown: ['env'] } } });
    const frozen = { code: 'VARIABLE_PROTECTED', data: { variable: 'env', rule: 'frozen' } };
    for (const at of ['agree', 'push']) {
      expect(session.state.current).toBe(at);
      expect(session.move(undefined, to('prod'))).toMatchObject({ ok: false, ...frozen });
      expect(step(session).ok).toBe(true);
    }
    expect(session.move(undefined, to('prod')).ok).toBe(true);
  });

  test('is asked about again with the new value', () => {
    const session = walk(agreed, { enforcement: 'strict', variables: { env: 'staging' } });
    step(session);
    step(session);
    session.yield('confirm');
    session.choose('confirm');
    const again = { kind: 'yield', checkpointId: 'confirm', variables: { env: 'prod' } } as const;
    expect(session.do(again).ok).toBe(true);
    session.choose('confirm');
    expect(step(session).ok).toBe(true);
    expect(session.state).toMatchObject({ current: 'push', variables: { env: 'prod' } });
  });

  test('stays frozen for an agent that enters the same activity again', () => {
    const session = walk(agreed, { variables: { env: 'staging' } });
    step(session);
    step(session);
    session.yield('confirm');
    session.choose('confirm');
    step(session);
    const frozen = { code: 'VARIABLE_PROTECTED', data: { variable: 'env', rule: 'frozen' } };
    const toProd = { ...manifest('push'), variables: { env: 'prod' } };
    expect(session.move('push', toProd)).toMatchObject(frozen);
    expect(session.move('push', manifest('push')).ok).toBe(true);
    expect(session.state.current).toBe('push');
    expect(session.move(undefined, toProd)).toMatchObject(frozen);
    expect(step(session).ok).toBe(true);
    expect(session.move(undefined, { ...manifest('report'), variables: { env: 'prod' } }).ok).toBe(true);
  });

  test.each([
    { iteration: 'the last', at: 1, isFree: false },
    { iteration: 'another', at: 0, isFree: true },
  ])('can be changed in $iteration iteration of a loop: $isFree', ({ at, isFree }) => {
    const loop = { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 } as const;
    const body = [
      { id: 'ask', title: 'Push to {{env}}', prompt: 'p', requireConfirmation: true },
      { id: 'prepare', title: 'Prepare', prompt: 'p' },
      { id: 'push', title: 'Push', prompt: 'p' },
    ];
    const session = walk(sequence(workflow([{ id: 'each', type: 'loop', loop, body }, 'report'])), {
      variables: { files: ['a', 'b'], env: 'staging' },
    });
    step(session);
    for (let iteration = 0; iteration <= at; iteration += 1) {
      session.yield('confirm');
      session.choose('confirm');
      step(session);
      if (iteration < at) {
        step(session);
        step(session);
      }
    }
    expect(session.state.current).toBe(`each@${at}::prepare`);
    const toProd = { ...manifest(`each@${at}::prepare`), variables: { env: 'prod' } };
    expect(session.move(undefined, toProd).ok).toBe(isFree);
    if (isFree) return;
    // An agent cannot change it by going back to the question of a finished iteration either.
    expect(session.move('each@0::ask', toProd)).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'env', rule: 'frozen' },
    });
  });

  test.each([
    { name: 'has a condition', ask: { runCondition: 'isFree != true' } },
    { name: 'is confirmed by a condition', ask: { requireConfirmation: 'isFree != true' } },
    { name: 'is in a loop of its own', loops: ['ask'] },
    { name: 'has a loop after it', loops: ['push'] },
  ])('stays frozen in a loop if the step $name', ({ ask = {}, loops = [] }) => {
    const loop = { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 } as const;
    const own = { ...loop, items: 'parts', itemVar: 'part' };
    const asking = { id: 'ask', title: 'Push to {{env}}', prompt: 'p', requireConfirmation: true, ...ask };
    const body = [asking, { id: 'push', title: 'Push', prompt: 'p' }].map((one) =>
      loops.includes(one.id)
        ? ({ id: 'parts', type: 'loop', title: 'Parts', loop: own, body: [one] } as const)
        : one,
    );
    const session = walk(
      sequence(workflow([{ id: 'each', type: 'loop', title: 'Each', loop, body }, 'report'])),
      { variables: { files: ['a', 'b'], parts: ['x', 'y'], env: 'staging' } },
    );
    while (session.state.current?.includes('push') !== true) {
      step(session);
      if (session.state.current?.includes('ask') !== true) continue;
      session.yield('confirm');
      session.choose('confirm');
    }
    const toProd = { ...manifest(session.state.current), variables: { env: 'prod' } };
    expect(codeOf(session.move(undefined, toProd))).toBe('VARIABLE_PROTECTED');
  });

  describe('if the list of the loop is missing', () => {
    const loop = { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 } as const;
    const drop = { id: 'drop', title: 'Drop {{file.name}}', prompt: 'p' } as const;
    const body = [{ ...drop, requireConfirmation: 'file.isRisky == true' }];
    /** Starts a session, leaves the loop, removes its list, and goes back to a step of the loop. */
    function without(setBy?: string) {
      const files = {
        name: 'files',
        type: 'array',
        ...(setBy === undefined ? {} : { set_by: setBy }),
      } as const;
      const steps = ['list', { id: 'each', type: 'loop' as const, loop, body }, 'deploy'];
      const session = walk(sequence(workflow(steps, { variables: [files] })));
      const give = (value: Json) => ({ variables: { files: value } });
      step(session);
      session.move(undefined, { ...manifest('list'), ...give([{ name: 'a', isRisky: false }]) });
      step(session);
      step(session, 'list');
      expect(codeOf(session.move('deploy', give(null)))).toBeUndefined();
      expect(codeOf(step(session, 'each@0::drop'))).toBeUndefined();
      expect(session.state.variables['files']).toBeNull();
      return session;
    }

    test('cannot be asked about until the list is set, because there is no item', () => {
      const session = without();
      expect(refusalOf(session, { kind: 'yield', checkpointId: 'confirm' })).toMatchObject({
        code: 'INVALID_STATE',
        data: { checkpoint_id: 'confirm', reason: 'no-iteration' },
      });
      const given = { files: [{ name: 'b', isRisky: true }] };
      expect(
        codeOf(session.do({ kind: 'yield', checkpointId: 'confirm', variables: given })),
      ).toBeUndefined();
      expect(session.state.gate).toMatchObject({ activity: 'each@0::drop' });
    });

    test('can be asked about by an agent that cannot set the list', () => {
      expect(codeOf(without('list').yield('confirm'))).toBeUndefined();
    });
  });

  test('freezes the list of the loop if it is the item of the loop', () => {
    const loop = { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 } as const;
    const body = [
      { id: 'ask', title: 'Ask for {{file.name}}', prompt: 'p', requireConfirmation: true },
      { id: 'drop', title: 'Drop', prompt: 'Drop {{file.name}}.' },
    ];
    const files = [{ name: 'log' }, { name: 'tmp' }];
    const session = walk(sequence(workflow([{ id: 'each', type: 'loop', loop, body }, 'report'])), {
      variables: { files },
    });
    step(session);
    session.yield('confirm');
    expect(session.choose('confirm')).toMatchObject({
      event: { decided: { shown: ['file.name', 'files'] } },
    });
    const other = { ...manifest('ask'), variables: { files: [{ name: 'prod' }] } };
    expect(session.move(undefined, other)).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'files' },
    });
    expect(session.move(undefined, manifest('ask')).ok).toBe(true);
  });
});

describe('the list of a running loop', () => {
  const files = { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 } as const;
  const drop = { id: 'drop', title: 'Drop', prompt: 'p', requireConfirmation: true } as const;
  const overFiles = { id: 'each', type: 'loop', title: 'Each', loop: files, body: [drop] } as const;
  const listed = ['a', 'b', 'c'];

  /** Returns a session at a step. The checkpoints of all earlier steps have been confirmed. */
  function at(target: string, steps: Parameters<typeof workflow>[0], enforcement: 'advisory' | 'strict') {
    const flow = workflow(['list', ...steps, 'report', 'file'], {
      variables: [
        { name: 'files', type: 'array', set_by: ['list', 'drop', 'report', 'file'] },
        { name: 'units', type: 'array' },
        { name: 'times', type: 'number' },
      ],
    });
    const session = walk(sequence(flow), { enforcement });
    step(session);
    const variables = { files: listed, times: 3, units: ['x', 'y'] };
    session.move(undefined, { ...manifest('list'), variables });
    while (session.state.current !== target) leave(session);
    return session;
  }
  function leave(session: Walk, variables = {}, activityId?: string) {
    if (session.state.current?.endsWith('drop') === true) {
      session.yield('confirm');
      session.choose('confirm');
    }
    return session.move(activityId, { ...manifest(session.state.current ?? ''), variables });
  }
  const held = (variable: string) => ({
    code: 'VARIABLE_PROTECTED',
    data: { variable, rule: 'loop', loop: 'each' },
  });

  test.each([
    ['fewer items', ['a']],
    ['no items', []],
    ['no list', null],
    ['other items', ['x', 'b', 'c']],
    ['items in another order', ['b', 'a', 'c']],
  ])('cannot be set by an agent to %s', (_, value) => {
    for (const enforcement of enforcements) {
      for (const target of ['each@0::drop', 'each@2::drop']) {
        const session = at(target, [overFiles], enforcement);
        expect(leave(session, { files: value }, 'report')).toMatchObject(held('files'));
        const asked = { kind: 'yield', checkpointId: 'confirm', variables: { files: value } } as const;
        expect(session.do(asked)).toMatchObject(held('files'));
        expect(session.state.current).toBe(target);
      }
    }
  });

  test.each(enforcements)(
    'can get more items, and can be replaced once the loop is done: %s',
    (enforcement) => {
      const session = at('each@2::drop', [overFiles], enforcement);
      expect(leave(session, { files: [...listed, 'd'] }).ok).toBe(true);
      expect(session.state.current).toBe('each@3::drop');
      leave(session);
      expect(session.state.current).toBe('report');
      expect(leave(session, { files: [] }).ok).toBe(true);
      expect(session.state).toMatchObject({ current: 'file', variables: { files: [] } });
    },
  );

  test('cannot be shortened by an agent that goes back to the step that made it', () => {
    const session = at('each@0::drop', [overFiles], 'advisory');
    expect(leave(session, {}, 'list').ok).toBe(true);
    expect(leave(session, { files: ['a'] })).toMatchObject(held('files'));
    expect(leave(session, { files: [...listed, 'd'] }).ok).toBe(true);
    expect(session.state.current).toBe('each@1::drop');
  });

  test.each(enforcements)('is separate for each iteration of an outer loop: %s', (enforcement) => {
    const units = { ...overFiles, id: 'units', loop: { ...files, items: 'units', itemVar: 'unit' } } as const;
    const body = [{ id: 'find', title: 'Find', prompt: 'p' }, units];
    const session = at('each@0::units@0::drop', [{ ...overFiles, body }], enforcement);
    const inner = { data: { variable: 'units', rule: 'loop', loop: 'units' } };
    expect(leave(session, { units: ['x'] })).toMatchObject(inner);
    expect(leave(session, { files: ['a'] })).toMatchObject(held('files'));
    leave(session);
    leave(session);
    expect(session.state.current).toBe('each@1::find');
    expect(leave(session, { units: ['z'] }).ok).toBe(true);
    leave(session);
    expect(session.state.current).toBe('each@2::find');
  });

  test('is kept with the item of the outer loop that contains it', () => {
    const units = { ...overFiles, id: 'units', loop: { ...files, items: 'file.units', itemVar: 'unit' } };
    const items = [{ units: ['x', 'y'] }];
    const session = walk(sequence(workflow([{ ...overFiles, body: [units] }, 'report'])), {
      enforcement: 'strict',
      variables: { files: items },
    });
    step(session);
    expect(session.state.current).toBe('each@0::units@0::drop');
    expect(leave(session, { files: [{ units: ['x'] }] })).toMatchObject(held('files'));
    expect(leave(session, { file: null }).ok).toBe(true);
    expect(session.state.current).toBe('each@0::units@1::drop');
  });

  test.each(enforcements)('cannot be changed if it is a number of iterations: %s', (enforcement) => {
    const times = { type: 'for', count: 'times', maxIterations: 9 } as const;
    const session = at('each@0::drop', [{ ...overFiles, loop: times }], enforcement);
    for (const value of [1, 0, '2', null, 'many'])
      expect(leave(session, { times: value }, 'report')).toMatchObject(held('times'));
    expect(leave(session, { times: 4 }).ok).toBe(true);
    for (const current of ['each@1::drop', 'each@2::drop', 'each@3::drop', 'report']) {
      expect(session.state.current).toBe(current);
      leave(session);
    }
  });

  test('can be set if the loop was entered without one', () => {
    const session = walk(stuck);
    step(session);
    session.move('read');
    expect(session.state.current).toBe('each@0::read');
    expect(session.move(undefined, { ...manifest('read'), variables: { files: ['a', 'b'] } }).ok).toBe(true);
    expect(session.state.current).toBe('each@1::read');
  });
});

test('A step in the bodies of two loops is asked about the list of the loop that the session is in', () => {
  const body = { id: 'sign', title: 'Sign {{it}}', requireConfirmation: true, approver: 'human' } as const;
  const over = (items: string) => ({ type: 'forEach', items, itemVar: 'it', maxIterations: 9 }) as const;
  const navigator = sequence(
    workflow([
      'one',
      { id: 'first', type: 'loop', loop: over('xs'), body: 'sign' },
      { id: 'second', type: 'loop', loop: over('ys'), body: 'sign' },
      body,
    ]),
  );
  const session = walk(navigator, { enforcement: 'strict', variables: { xs: ['x'] } });
  step(session);
  step(session);
  expect(session.state.current).toBe('first@0::sign');
  expect(codeOf(session.yield('confirm'))).toBeUndefined();
  session.choose('confirm', 'human');
  expect(session.journal.at(-1)?.event).toMatchObject({ decided: { shown: ['it', 'xs'] } });
  expect(codeOf(session.do({ kind: 'move', ...manifest('sign'), variables: { ys: ['y'] } }))).toBeUndefined();
  expect(session.state.current).toBe('second@0::sign');
});

test.each(enforcements)(
  'A variable that a step before a loop showed stays frozen until the session leaves the loop: %s',
  (enforcement) => {
    const navigator = sequence(
      workflow([
        {
          id: 'approve',
          title: 'Deploy to {{env}}',
          prompt: 'Ask.',
          requireConfirmation: true,
          approver: 'human',
        },
        {
          id: 'each',
          type: 'loop',
          loop: { type: 'for', count: 2, maxIterations: 5 },
          body: [
            { id: 'deploy', title: 'Deploy', prompt: 'Deploy.' },
            { id: 'check', title: 'Check', prompt: 'Check.' },
          ],
        },
        'report',
      ]),
    );
    const session = walk(navigator, { enforcement, variables: { env: 'staging' } });
    step(session);
    session.yield('confirm');
    session.choose('confirm', 'human');
    step(session);
    const evil = (): string | undefined => {
      const { current = '' } = session.state;
      return codeOf(session.move(undefined, { ...manifest(current), variables: { env: 'prod' } }));
    };
    for (const at of ['each@0::deploy', 'each@0::check', 'each@1::deploy', 'each@1::check']) {
      expect(session.state.current).toBe(at);
      expect(evil()).toBe('VARIABLE_PROTECTED');
      expect(step(session).ok).toBe(true);
    }
    expect(session.state).toMatchObject({ current: 'report', frozen: [] });
    expect(evil()).toBeUndefined();
  },
);
