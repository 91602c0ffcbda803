import { describe, expect, test } from 'vitest';
import { passedVariables } from '../../../src/session-engine/start.ts';
import { graphNavigator } from '../../../src/navigation/graph-navigator.ts';
import { activityWorkflow, codeOf, enforcements, graph, refusalOf, walk } from '../../support/sessions.ts';
import { audit, option, scope, variables } from '../../support/permit-workflow.ts';

describe('set_by', () => {
  const declared = (set_by: string | readonly string[]) =>
    graph(audit, { variables: [{ ...variables[0], set_by }, variables[1], variables[2]] });

  test.each(enforcements)('reserves a variable for checkpoints from the start: %s', (enforcement) => {
    const session = walk(declared('checkpoint'), { enforcement });
    const refusal = refusalOf(session, { kind: 'move', variables: { live: true } });
    expect(refusal).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'live', rule: 'reserved', set_by: ['checkpoint'] },
    });
    expect(codeOf(session.move(undefined, { variables: { live: false } }))).toBeUndefined();
  });

  test('allows the agent in the named activity to set the variable, even after an answer', () => {
    const session = walk(declared(['permit', 'review']));
    expect(codeOf(session.move(undefined, { variables: { live: true } }))).toBe('VARIABLE_PROTECTED');
    session.move();
    session.yield('permit');
    session.choose('read-only', 'human');
    expect(codeOf(session.move(undefined, { variables: { live: true } }))).toBe('VARIABLE_PROTECTED');
    session.move();
    expect(codeOf(session.move('probe', { variables: { live: true } }))).toBeUndefined();
  });

  test.each(['permit', 'checkpoint'])(
    'means the checkpoint, and not the activity with the same id %s',
    (id) => {
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
    },
  );

  test('allows every agent to set the variable if it is "agent", even after an answer', () => {
    const session = walk(declared('agent'));
    session.move();
    session.yield('permit');
    session.choose('read-only', 'human');
    expect(codeOf(session.move(undefined, { variables: { live: true } }))).toBeUndefined();
  });

  test('applies to the defaults of a mode that an agent turns on', () => {
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

test.each([
  [['ok'], 'agent', false],
  [['deploy'], 'agent', false],
  [['ok', 'pace'], 'agent', true],
  [['checkpoint'], 'agent', true],
  [['ask'], 'agent', true],
  [['ok'], 'human', true],
] as const)(
  'decides whether a mode that an answer turns on can set a variable: %s, answered by %s',
  (set_by, by, isFilled) => {
    const pace = { id: 'pace', name: 'Pace', message: 'How?', options: [option('fast', { fast: true })] };
    const ok = { id: 'ok', name: 'OK', message: 'Deploy?', approver: 'human' as const };
    const navigator = graph(
      [
        {
          id: 'ask',
          checkpoints: [pace],
          transitions: [{ to: 'deploy', condition: 'approved == true' }, { to: 'sign' }],
        },
        { id: 'sign', checkpoints: [{ ...ok, options: [option('yes', { approved: true })] }] },
        { id: 'deploy' },
      ],
      {
        variables: [
          { name: 'fast', type: 'boolean' },
          { name: 'approved', type: 'boolean', set_by: [...set_by] },
        ],
        modes: [{ id: 'fast', name: 'Fast', activationVariable: 'fast', defaults: { approved: true } }],
      },
    );
    const session = walk(navigator);
    session.move();
    session.yield('pace');
    session.choose('fast', by);
    expect(session.state.variables['approved']).toBe(isFilled ? true : undefined);
    session.move();
    expect(session.state.current).toBe(isFilled ? 'deploy' : 'sign');
  },
);

test('A mode counts as turned on by an agent if the agent overwrote the value of an answer', () => {
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

test('A child does not inherit a value as decided if an agent overwrote the answer', () => {
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
  const navigator = graphNavigator(workflow);
  const session = walk(navigator);
  session.move();
  session.yield('permit');
  session.choose('read-only', 'human');
  session.move();
  const passed = () =>
    passedVariables(
      { runnable: { kind: 'activities', workflow, navigator }, state: session.state } as never,
      child,
      'declared',
    );
  expect(passed()).toMatchObject({ variables: { live: false }, owned: { live: { checkpoint: 'permit' } } });
  expect(codeOf(session.move('report', { variables: { live: true } }))).toBeUndefined();
  expect(passed()).toEqual({ variables: {}, owned: {} });
});

test('A child does not inherit a value as decided if the answer in the parent left it unchanged', () => {
  const triggers = [{ workflow: 'child', passContext: ['live'] }];
  const workflow = activityWorkflow([scope, { id: 'review', triggers }], { variables: [...variables] });
  const navigator = graphNavigator(workflow);
  const session = walk(navigator);
  session.move();
  session.yield('permit');
  session.choose('later', 'human');
  session.move();
  const runnable = { kind: 'activities', workflow, navigator };
  const passedTo = (set_by?: 'checkpoint') => {
    const live = { ...variables[0], ...(set_by === undefined ? {} : { set_by }) };
    const child = graph([{ id: 'merge' }], { id: 'child', variables: [live] });
    return passedVariables({ runnable, state: session.state } as never, child, 'declared');
  };
  expect(passedTo('checkpoint').owned).toMatchObject({ live: { checkpoint: 'permit', left: true } });
  expect(passedTo('checkpoint').variables).toEqual({});
  expect(passedTo()).toMatchObject({ variables: { live: false }, owned: { live: { checkpoint: 'permit' } } });
});
