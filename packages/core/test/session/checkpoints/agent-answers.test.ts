import { describe, expect, test } from 'vitest';
import type { Json } from '@workflowlookup/schema';
import type { ActivitySketch, Walk } from '../../support/sessions.ts';
import { begin, evolve } from '../../../src/session/evolve.ts';
import { codeOf, enforcements, graph, refusalOf, walk } from '../../support/sessions.ts';
import { option } from '../../support/permit-workflow.ts';

const choose = (id: string) =>
  ({ kind: 'answer', mode: { kind: 'option', option: id }, by: 'agent' }) as const;

describe.each(enforcements)('an answer of an agent to another checkpoint: %s', (enforcement) => {
  const pick = {
    id: 'pick',
    name: 'Pick',
    message: 'Where to?',
    options: [option('staging', { target: 'staging' }), option('prod', { target: 'prod' }), option('none')],
  };
  const ok = (approver: 'human' | 'any', opened?: string) => ({
    id: 'ok',
    name: 'OK',
    message: 'Deploy to {target}?',
    approver,
    options: [option('yes', { approved: true }, opened)],
  });
  const variables = [
    { name: 'target', type: 'string', defaultValue: 'prod', set_by: 'checkpoint' },
    { name: 'approved', type: 'boolean', defaultValue: false, set_by: 'checkpoint' },
  ] as const;
  const deploy: ActivitySketch = { id: 'deploy', transitions: [{ to: 'end' }] };

  test.each(['prod', 'none'])('cannot change what the checkpoint of a person showed: %s', (chosen) => {
    const ask = { id: 'ask', checkpoints: [pick, ok('human')], transitions: [{ to: 'deploy' }] };
    const session = walk(graph([ask, deploy], { variables }), { enforcement });
    session.move();
    session.yield('pick');
    session.choose('staging');
    session.yield('ok');
    session.choose('yes', 'human');
    session.yield('pick');
    session.nowMs += 3000;
    const before = session.state;
    expect(refusalOf(session, choose(chosen))).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'target', rule: 'frozen', checkpoint_id: 'ok', activity_id: 'ask' },
    });
    expect(session.state).toBe(before);
    expect(codeOf(session.choose('staging'))).toBeUndefined();
    session.yield('pick');
    expect(codeOf(session.choose(chosen, 'human'))).toBeUndefined();
    expect(session.state.variables).toMatchObject({ target: 'prod', approved: true });
  });

  test.each([
    ['human', 'VARIABLE_PROTECTED'],
    ['any', undefined],
  ] as const)(
    'cannot change it in the next activity either, if a person had to answer: %s',
    (approver, code) => {
      const session = walk(
        graph(
          [
            { id: 'ask', checkpoints: [ok(approver, 'deploy')] },
            { ...deploy, checkpoints: [pick] },
          ],
          {
            variables,
          },
        ),
        { enforcement },
      );
      session.move();
      session.yield('ok');
      session.choose('yes', 'human');
      session.move();
      session.yield('pick');
      expect(codeOf(session.choose('staging'))).toBe(code);
    },
  );

  test('cannot change it by turning on a mode with defaults', () => {
    const pace = { ...pick, id: 'pace', options: [option('fast', { fast: true })] };
    const fast = { id: 'fast', name: 'Fast', activationVariable: 'fast', defaults: { target: 'staging' } };
    const navigator = graph([{ id: 'ask', checkpoints: [pace, ok('human')] }], { variables, modes: [fast] });
    const session = walk(navigator, { enforcement });
    session.move();
    session.yield('ok');
    session.choose('yes', 'human');
    session.yield('pace');
    expect(codeOf(session.choose('fast'))).toBe('VARIABLE_PROTECTED');
  });
});

describe.each(enforcements)('an answer of an agent that sets the list of a loop: %s', (enforcement) => {
  const size = {
    id: 'size',
    name: 'Size',
    message: 'How much?',
    options: [
      option('all', { areas: ['docs', 'payments'] }),
      option('docs', { areas: ['docs'] }),
      option('other', { areas: ['payments'] }),
      option('default'),
    ],
  };
  const each = {
    id: 'each',
    name: 'Each',
    type: 'forEach' as const,
    over: 'areas',
    variable: 'area',
    steps: [{ id: 'do' }],
  };
  function sized(defaultValue: readonly string[]) {
    const variables = [{ name: 'areas', type: 'array', defaultValue, set_by: 'checkpoint' }] as const;
    const session = walk(
      graph([{ id: 'work', checkpoints: [size], loops: [each] }], {
        variables: variables.map((one) => ({ ...one, defaultValue: [...one.defaultValue] })),
      }),
      { enforcement },
    );
    session.move();
    session.yield('size');
    return session;
  }

  test.each(['docs', 'other', 'default'])('cannot remove or replace an item: %s', (chosen) => {
    const session = sized([]);
    session.choose('all');
    session.yield('size');
    session.nowMs += 3000;
    expect(refusalOf(session, choose(chosen))).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'areas', rule: 'loop', loop: 'each', activity_id: 'work' },
    });
    expect(codeOf(session.choose('all'))).toBeUndefined();
    session.yield('size');
    expect(codeOf(session.choose(chosen, 'human'))).toBeUndefined();
  });

  test('can add an item, and can set a list that was only an example of the workflow', () => {
    const session = sized(['example']);
    expect(codeOf(session.choose('docs'))).toBeUndefined();
    session.yield('size');
    expect(codeOf(session.choose('all'))).toBeUndefined();
  });
});

describe.each(enforcements)('the next activity that a person chose: %s', (enforcement) => {
  const skipping = { id: 'fast', label: 'Fast', effect: { skipActivities: ['harden'] } };
  const pace = {
    id: 'pace',
    name: 'Pace',
    message: 'How?',
    options: [skipping, option('straight', {}, 'publish'), option('slow'), option('quick', { quick: true })],
  };
  const ok = {
    id: 'ok',
    name: 'OK',
    message: 'Publish?',
    approver: 'human' as const,
    options: [option('harden', {}, 'harden'), option('no', { approved: false }), { ...skipping, id: 'bare' }],
  };
  const aside = { ...pace, id: 'aside' };
  const last = {
    ...ok,
    id: 'last',
    condition: 'isLate == true',
    options: [option('harden', {}, 'harden'), option('none'), option('quick', { quick: true })],
  };
  const activities: ActivitySketch[] = [
    {
      id: 'ask',
      checkpoints: [ok, pace, aside, last],
      transitions: [{ to: 'publish', condition: 'approved == true' }, { to: 'archive' }],
    },
    { id: 'harden', transitions: [{ to: 'publish' }] },
    { id: 'publish' },
    { id: 'archive' },
  ];
  const modes = [{ id: 'quick', name: 'Quick', activationVariable: 'quick', skipActivities: ['harden'] }];
  /** Gives answers, each written as `checkpoint option`. The agent answers, except at `ok` and where `human` is added. */
  function after(...answers: readonly string[]) {
    const session = walk(graph(activities, { modes }), { enforcement });
    session.move();
    for (const one of answers) {
      const [checkpoint = '', chosen = '', by] = one.split(' ');
      session.yield(checkpoint);
      const isPersons = checkpoint === 'ok' || by === 'human';
      expect(codeOf(session.choose(chosen, isPersons ? 'human' : 'agent'))).toBeUndefined();
    }
    return session;
  }
  function next(session: Walk, variables: Record<string, Json> = {}) {
    session.move(undefined, { variables });
    return session.state.current;
  }

  test('is not skipped by a mode that an agent turns on', () => {
    expect(next(after('ok harden'), { quick: true })).toBe('harden');
  });

  test('is not skipped by an answer of an agent, before or after the answer of the person', () => {
    const session = after('ok harden');
    session.yield('pace');
    session.nowMs += 3000;
    expect(refusalOf(session, choose('fast'))).toMatchObject({
      code: 'HUMAN_REQUIRED',
      data: { checkpoint_id: 'pace', reason: 'decided' },
    });
    expect(codeOf(session.choose('slow'))).toBeUndefined();
    expect(next(session)).toBe('harden');
    expect(next(after('pace fast', 'ok harden'))).toBe('harden');
  });

  test.each([
    ['ok harden', 'pace quick'],
    ['pace quick', 'ok harden'],
  ])('is not skipped by a mode that an answer of an agent turns on: %s, %s', (...answers) => {
    expect(next(after(...answers))).toBe('harden');
  });

  test('is not skipped by a mode that is turned on by the mode of an agent', () => {
    const both = { id: 'both', name: 'Both', activationVariable: 'both', defaults: { quick: true } };
    const [, ...rest] = activities;
    const ask = { id: 'ask', checkpoints: [ok, { ...pace, options: [option('both', { both: true })] }] };
    const session = walk(graph([ask, ...rest], { modes: [...modes, both] }), { enforcement });
    session.move();
    session.yield('ok');
    session.choose('harden', 'human');
    session.yield('pace');
    session.choose('both');
    expect(session.state.variables).toMatchObject({ quick: true });
    expect(next(session)).toBe('harden');
  });

  test('is skipped by a mode that a person or the workflow turned on', () => {
    expect(next(after('ok harden', 'last quick human'))).toBe('publish');
    const variables = [{ name: 'quick', type: 'boolean', defaultValue: true }] as const;
    const session = walk(graph(activities, { modes, variables: [...variables] }), { enforcement });
    session.move();
    session.yield('ok');
    session.choose('harden', 'human');
    expect(next(session)).toBe('publish');
  });

  test.each(['publish', 'archive', 'ask', 'end'])(
    'is the only activity that a move can enter: %s',
    (target) => {
      const session = after('ok harden');
      const before = session.state;
      expect(refusalOf(session, { kind: 'move', activityId: target })).toMatchObject({
        code: 'ILLEGAL_TRANSITION',
        data: { reason: 'needs-person', checkpoint_id: 'ok', activity_id: 'ask', activities: ['harden'] },
      });
      expect(session.state).toBe(before);
      session.yield('ok');
      session.choose('no', 'human');
      expect(codeOf(session.move('archive'))).toBeUndefined();
    },
  );

  test('stays skipped if a person skipped it', () => {
    expect(next(after('ok bare', 'last harden human'))).toBe('publish');
  });

  test('replaces the choice of an agent even if the person names no activity', () => {
    expect(next(after('pace straight', 'ok no'))).toBe('archive');
    expect(after('pace straight', 'aside slow human').state).toMatchObject({ expected: 'publish' });
    expect(after('ok harden', 'last none human').state).toMatchObject({ expected: 'harden' });
  });

  test('cannot be set by an agent after a person answered without naming one', () => {
    const session = after('ok no');
    session.yield('pace');
    session.nowMs += 3000;
    expect(refusalOf(session, choose('straight'))).toMatchObject({
      code: 'HUMAN_REQUIRED',
      data: { checkpoint_id: 'pace', reason: 'decided' },
    });
    expect(codeOf(session.choose('straight', 'human'))).toBeUndefined();
    expect(next(session)).toBe('publish');
  });

  test('does not replace the choice of an agent in a journal of an older version', () => {
    const [first, ...rest] = after('pace straight', 'ok no').journal.map(({ at, event }) => {
      const { dropsNext: _drops, ...older } = event as typeof event & { dropsNext?: unknown };
      return { at, event: older };
    });
    if (first?.event.type !== 'session-started')
      throw new Error('The journal must begin with session-started.');
    const state = rest.reduce(evolve, begin('sid', { at: first.at, event: first.event }));
    expect(state.expected).toBe('publish');
  });
});
