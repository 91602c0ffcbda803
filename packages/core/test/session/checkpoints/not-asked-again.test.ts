import type { ActivityWorkflowDefinition } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { protectedVariables, remedies } from '../../../src/messages/sessions.ts';
import type { Walk } from '../../support/sessions.ts';
import { enforcements, graph, manifest, refusalOf, walk } from '../../support/sessions.ts';

describe('a refused change of a value that a checkpoint showed', () => {
  const unlessAll = 'all != true';
  /** Starts a session in which a person approves all tasks at once. A condition at `where` then keeps the question from coming again. */
  function approvedAll(
    enforcement: (typeof enforcements)[number],
    where: 'step' | 'checkpoint' | 'transition',
    setBy: readonly string[] = [],
  ): Walk {
    const approve = {
      id: 'ok',
      name: 'OK',
      message: 'Do {task}?',
      approver: 'human',
      ...(where === 'checkpoint' ? { condition: unlessAll } : {}),
      options: [
        { id: 'yes', label: 'Yes' },
        { id: 'always', label: 'Always', effect: { setVariable: { all: true } } },
      ],
    } as const;
    const stop = { id: 'stop', checkpoint: 'ok', ...(where === 'step' ? { when: unlessAll } : {}) };
    const declared: ActivityWorkflowDefinition['variables'] = [
      { name: 'task', type: 'string', ...(setBy.length === 0 ? {} : { set_by: [...setBy] }) },
      { name: 'all', type: 'boolean', set_by: 'checkpoint' },
    ];
    const transitions = where === 'transition' ? [{ to: 'do', condition: 'all == true' }] : [];
    const session = walk(
      graph(
        [
          { id: 'pick', transitions: [...transitions, { to: 'ask' }] },
          { id: 'ask', steps: [stop], checkpoints: [approve], transitions: [{ to: 'do' }] },
          { id: 'do', transitions: [{ to: 'pick' }] },
        ],
        { variables: declared },
      ),
      { enforcement, variables: { task: 'one' } },
    );
    session.move();
    session.move();
    session.yield('ok');
    session.choose('always', 'human');
    session.move('do', manifest('stop'));
    session.move('pick');
    expect(session.state.current).toBe('pick');
    return session;
  }
  const other = { kind: 'move', variables: { task: 'two' } } as const;

  test.each(enforcements)('says how to yield the checkpoint again if that is possible: %s', (enforcement) => {
    const session = approvedAll(enforcement, 'step');
    const refusal = refusalOf(session, other);
    expect(refusal).toMatchObject({ code: 'VARIABLE_PROTECTED', data: { rule: 'frozen', variable: 'task' } });
    expect(refusal?.data).not.toHaveProperty('reason');
    expect(session.move('ask').ok).toBe(true);
    expect(session.do({ kind: 'yield', checkpointId: 'ok', variables: { task: 'two' } }).ok).toBe(true);
  });

  test.each([
    ['checkpoint', 'advisory'],
    ['checkpoint', 'strict'],
    ['transition', 'strict'],
  ] as const)('mentions set_by if the checkpoint cannot be asked again: %s, %s', (where, enforcement) => {
    const refusal = refusalOf(approvedAll(enforcement, where), other);
    expect(refusal).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { rule: 'frozen', variable: 'task', reason: 'not-asked-again' },
    });
    expect(refusal?.message).toBe(
      [
        protectedVariables.shown('task', 'ok', 'ask'),
        remedies.notAsked('ok'),
        remedies.nameInSetBy('task', 'pick'),
      ].join(' '),
    );
    expect(approvedAll(enforcement, where, ['pick']).do(other).ok).toBe(true);
  });
});
