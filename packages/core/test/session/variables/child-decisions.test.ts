import { expect, test } from 'vitest';
import { graphNavigator } from '../../../src/navigation/graph-navigator.ts';
import type { CheckpointPolicy } from '../../../src/navigation/navigator.ts';
import { passedVariables } from '../../../src/session-engine/start.ts';
import { activityWorkflow, graph, refusalOf, walk } from '../../support/sessions.ts';
import { option } from '../../support/permit-workflow.ts';

const answer = (id: string) =>
  ({ kind: 'answer', mode: { kind: 'option', option: id }, by: 'agent' }) as const;

/** Starts a child session whose checkpoint sets a variable that an answer in the parent has already decided. */
function child(approver: 'any' | 'human', more: { set_by?: string[]; gates?: CheckpointPolicy } = {}) {
  const { set_by, gates = 'declared' } = more;
  const approved = { name: 'approved', type: 'boolean', defaultValue: false } as const;
  const workflow = activityWorkflow(
    [
      {
        id: 'ask',
        checkpoints: [
          { id: 'ok', name: 'OK', message: 'Go?', approver, options: [option('no', { approved: false })] },
        ],
        triggers: [{ workflow: 'graph', passContext: ['approved'] }],
      },
    ],
    { id: 'parent', variables: [approved] },
  );
  const navigator = graphNavigator(workflow);
  const parent = walk(navigator, { gates });
  parent.move();
  parent.yield('ok');
  parent.choose('no', approver === 'any' && gates === 'declared' ? 'agent' : 'human');
  const own = graph(
    [
      {
        id: 'plan',
        checkpoints: [
          { id: 'quick', name: 'Quick', message: 'Fine?', options: [option('fine', { approved: true })] },
        ],
      },
    ],
    { variables: [{ ...approved, ...(set_by === undefined ? {} : { set_by }) }] },
  );
  const open = { runnable: { kind: 'activities', workflow, navigator }, state: parent.state } as never;
  const handed = passedVariables(open, own, gates);
  const session = walk(own, handed);
  session.move();
  session.yield('quick');
  session.nowMs += 3000;
  return { session, handed };
}

test.each<[CheckpointPolicy, 'any' | 'human']>([
  ['declared', 'human'],
  ['human', 'any'],
])(
  'A variable that a person decided in the parent cannot be set by an answer of an agent: %s, %s',
  (gates, approver) => {
    const { session, handed } = child(approver, { gates });
    expect(handed.owned).toEqual({
      approved: { sid: 'sid', checkpoint: 'ok', activity: 'ask', approver: 'human' },
    });
    expect(refusalOf(session, answer('fine'))).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'approved', rule: 'owned', checkpoint_id: 'ok', session_id: 'sid' },
    });
  },
);

test('An answer that set_by names can set it, and so can any answer if no person decided', () => {
  expect(refusalOf(child('human', { set_by: ['quick'] }).session, answer('fine'))).toBeUndefined();
  expect(refusalOf(child('any').session, answer('fine'))).toBeUndefined();
});

test('A session of an older version does not record who decided, so a person is assumed', () => {
  const { handed } = child('any');
  const { approver: _approver, ...owner } = handed.owned['approved'] ?? { checkpoint: '', activity: '' };
  const own = graph([
    {
      id: 'plan',
      checkpoints: [{ id: 'quick', name: 'Q', message: 'Q', options: [option('fine', { approved: true })] }],
    },
  ]);
  const session = walk(own, { ...handed, owned: { approved: owner } });
  session.move();
  session.yield('quick');
  session.nowMs += 3000;
  expect(refusalOf(session, answer('fine'))).toMatchObject({ code: 'VARIABLE_PROTECTED' });
});

test('A variable that only answers may set is passed to the child only if a person had to give the answer', () => {
  expect(child('any', { set_by: ['checkpoint'] }).handed).toEqual({ variables: {}, owned: {} });
  expect(child('human', { set_by: ['checkpoint'] }).handed.variables).toEqual({ approved: false });
});

/** Starts a child session after a person chose an option in the parent that does not set `approved`. */
function unset({
  quick = false,
  value,
  set_by,
}: { quick?: boolean; value?: boolean; set_by?: string[] } = {}) {
  const approved = {
    name: 'approved',
    type: 'boolean',
    ...(value === undefined ? {} : { defaultValue: value }),
    ...(set_by === undefined ? {} : { set_by }),
  } as const;
  const ok = { id: 'ok', name: 'OK', message: 'Go?', approver: 'human' as const };
  const workflow = activityWorkflow(
    [
      {
        id: 'ask',
        checkpoints: [{ ...ok, options: [option('yes', { approved: true }), option('no')] }],
        triggers: [{ workflow: 'graph', passContext: ['approved', 'quick'] }],
      },
    ],
    { id: 'parent', variables: [approved, { name: 'quick', type: 'boolean', defaultValue: quick }] },
  );
  const navigator = graphNavigator(workflow);
  const parent = walk(navigator);
  parent.move();
  parent.yield('ok');
  parent.choose('no', 'human');
  const fine = { id: 'fine', name: 'Fine', message: 'Fine?', options: [option('fine', { approved: true })] };
  const own = graph([{ id: 'plan', checkpoints: [fine] }], {
    variables: [approved, { name: 'quick', type: 'boolean' }],
    modes: [{ id: 'fast', name: 'Fast', activationVariable: 'quick', defaults: { approved: true } }],
  });
  const open = { runnable: { kind: 'activities', workflow, navigator }, state: parent.state } as never;
  return walk(own, passedVariables(open, own, 'declared'));
}

test('A variable that a person left without a value has no value in the child', () => {
  const session = unset();
  expect(refusalOf(session, { kind: 'move', variables: { approved: true } })).toMatchObject({
    code: 'VARIABLE_PROTECTED',
    data: { variable: 'approved', rule: 'owned', checkpoint_id: 'ok', session_id: 'sid' },
  });
  expect(refusalOf(session, { kind: 'move', variables: { approved: null } })).toBeUndefined();
});

test('A mode that is passed on does not set it either', () => {
  expect(unset({ quick: true }).state.variables).toEqual({ quick: true });
});

test.each([undefined, false])(
  'An answer of an agent does not set it either if only answers may set it: %s',
  (value) => {
    const session = unset({ set_by: ['checkpoint'], ...(value === undefined ? {} : { value }) });
    session.move();
    session.yield('fine');
    session.nowMs += 3000;
    expect(refusalOf(session, answer('fine'))).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'approved', rule: 'owned', checkpoint_id: 'ok', session_id: 'sid' },
    });
  },
);

test('A variable that the open checkpoint of the parent can set is not passed on', () => {
  const set = (value: boolean) => option(value ? 'yes' : 'no', { approved: value });
  const workflow = activityWorkflow(
    [
      {
        id: 'ask',
        checkpoints: [
          {
            id: 'ok',
            name: 'OK',
            message: 'Go {head}?',
            approver: 'human',
            options: [set(true), set(false)],
          },
        ],
        triggers: [{ workflow: 'graph', passContext: ['approved'] }],
      },
    ],
    { id: 'parent' },
  );
  const navigator = graphNavigator(workflow);
  const parent = walk(navigator);
  parent.move(undefined, { variables: { head: 'a' } });
  parent.yield('ok');
  parent.choose('yes', 'human');
  const own = graph([{ id: 'deploy' }]);
  const handed = () =>
    passedVariables(
      { runnable: { kind: 'activities', workflow, navigator }, state: parent.state } as never,
      own,
      'declared',
    );
  expect(handed().variables).toEqual({ approved: true });
  parent.do({ kind: 'yield', checkpointId: 'ok', variables: { head: 'b' } });
  expect(handed().variables).toEqual({});
  // The variable still belongs to the person, in the child too.
  expect(refusalOf(walk(own, handed()), { kind: 'move', variables: { approved: true } })).toMatchObject({
    code: 'VARIABLE_PROTECTED',
  });
  parent.choose('no', 'human');
  expect(handed().variables).toEqual({ approved: false });
});

test('A value from the parent replaces the default that the child has for a path into it', () => {
  const own = graph([{ id: 'plan' }], {
    variables: [
      { name: 'target', type: 'object' },
      { name: 'target.env', type: 'string', defaultValue: 'staging' },
      { name: 'target.port', type: 'number', defaultValue: 80 },
    ],
  });
  const passed = { variables: { target: { env: 'prod' } }, owned: {} };
  expect(walk(own, passed).state.variables).toEqual({
    target: { env: 'prod' },
    'target.env': 'prod',
    'target.port': null,
  });
  const named = { variables: { target: { env: 'prod' }, 'target.env': 'test' }, owned: {} };
  expect(walk(own, named).state.variables).toMatchObject({ 'target.env': 'test' });
});
