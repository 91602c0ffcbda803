import type { Json } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import type { ActivitySketch } from '../../support/sessions.ts';
import { codeOf, enforcements, graph, refusalOf, walk } from '../../support/sessions.ts';
import { option } from '../../support/permit-workflow.ts';

/** Returns a workflow that asks a person, and then deploys each file in a loop whose item has the name of a declared variable. */
function deploy(asked: object, target: object, host: Partial<ActivitySketch> = {}) {
  const ok = { id: 'ok', name: 'OK', message: 'Deploy?', approver: 'human' as const };
  return graph(
    [
      {
        id: 'ask',
        checkpoints: [{ ...ok, options: [option('yes')], ...asked }],
        transitions: [{ to: 'host' }],
      },
      {
        id: 'host',
        loops: [
          {
            id: 'each',
            name: 'Each',
            type: 'forEach',
            over: 'files',
            variable: 'target',
            activities: ['deploy'],
          },
        ],
        transitions: [{ to: 'end' }],
        ...host,
      },
      { id: 'deploy' },
    ],
    {
      variables: [
        { name: 'target', type: 'string', defaultValue: 'staging', ...target },
        { name: 'files', type: 'array' },
      ],
    },
  );
}

describe.each(enforcements)('the item of a loop and the decisions of a person: %s', (enforcement) => {
  const decides = { options: [option('yes', { target: 'staging' }), option('no', { target: 'none' })] };
  const leaves = { options: [option('yes'), option('no', { target: 'none' })] };
  const shows = { message: 'Deploy to {target}?' };
  /** Starts a session with these files, and stops before the first iteration. */
  function before(navigator: ReturnType<typeof deploy>, files: readonly Json[]) {
    const session = walk(navigator, { enforcement });
    session.move(undefined, { variables: { files: [...files] } });
    session.yield('ok');
    session.choose('yes', 'human');
    session.move();
    expect(session.state.current).toBe('host');
    return session;
  }

  test.each([
    ['owned', 'that the answer set', decides, {}],
    ['owned', 'that another option sets', leaves, {}],
    ['reserved', 'that only answers may set', {}, { set_by: 'checkpoint' }],
    ['frozen', 'that the question showed', shows, {}],
  ])('an item from an agent cannot replace a variable (%s) %s', (rule, _, asked, target) => {
    const session = before(deploy(asked, target), ['prod']);
    const { state } = session;
    expect(refusalOf(session, { kind: 'move', activityId: 'deploy' })).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'target', rule, loop: 'each' },
    });
    expect(session.state).toBe(state);
  });

  test.each([
    ['owned', decides],
    ['frozen', shows],
  ])('an item of a later iteration cannot replace it either: %s', (rule, asked) => {
    const session = before(deploy(asked, {}), ['staging', 'prod']);
    expect(codeOf(session.move())).toBeUndefined();
    expect(session.state.variables['target']).toBe('staging');
    expect(refusalOf(session, { kind: 'move' })).toMatchObject({ data: { variable: 'target', rule } });
  });

  test.each([
    ['nobody decided', {}, {}],
    ['an activity may set', {}, { set_by: ['host'] }],
    ['every agent may set', decides, { set_by: ['checkpoint', 'agent'] }],
  ])('an item can replace a variable that %s', (_, asked, target) => {
    const session = before(deploy(asked, target), ['prod', 'test']);
    for (const item of ['prod', 'test']) {
      expect(codeOf(session.move())).toBeUndefined();
      expect(session.state).toMatchObject({ current: 'deploy', variables: { target: item } });
    }
  });

  test('an item from the workflow can replace it', () => {
    const exitActions = [{ action: 'set' as const, target: 'files', value: ['prod'] }];
    const session = before(deploy(decides, {}, { exitActions }), []);
    expect(codeOf(session.move())).toBeUndefined();
    expect(session.state.variables['target']).toBe('prod');
  });

  test.each(['its activities', 'an activity behind them', 'a loop inside it'])(
    'a checkpoint about the item does not protect it in later iterations, in %s',
    (where) => {
      const ok = { id: 'ok', name: 'OK', message: 'Deploy {file}?', approver: 'human' as const };
      const asking = { steps: [], checkpoints: [{ ...ok, options: [option('yes')] }] };
      const each = { id: 'each', name: 'Each', type: 'forEach' as const, over: 'files', variable: 'file' };
      const isBehind = where === 'an activity behind them';
      const isNested = where === 'a loop inside it';
      const again = isNested ? 'item' : 'file';
      const session = walk(
        graph([
          {
            id: 'host',
            loops: [{ ...each, activities: [isNested ? 'inner' : 'first'] }],
            transitions: [{ to: 'again' }],
          },
          ...(isNested
            ? [{ id: 'inner', loops: [{ ...each, over: 'tasks', variable: 'task', activities: ['first'] }] }]
            : []),
          { id: 'first', ...(isBehind ? { transitions: [{ to: 'second' }] } : asking) },
          ...(isBehind ? [{ id: 'second', ...asking, transitions: [{ to: 'host' }] }] : []),
          {
            id: 'again',
            loops: [{ ...each, id: 'publish', variable: again, activities: ['last'] }],
            transitions: [{ to: 'end' }],
          },
          { id: 'last' },
        ]),
        { enforcement },
      );
      const seen: Json[] = [];
      session.move(undefined, { variables: { files: ['a', 'b'], tasks: ['t', 'u'] } });
      for (let moves = 0; session.state.status === 'active' && moves < 30; moves += 1) {
        const { current, variables } = session.state;
        if (current === (isBehind ? 'second' : 'first')) {
          session.yield('ok');
          session.choose('yes', 'human');
        }
        if (current === 'last') seen.push(variables[again] ?? null);
        expect(codeOf(session.move())).toBeUndefined();
      }
      expect(session.state.status).toBe('completed');
      expect(seen).toEqual(['a', 'b']);
    },
  );
});
