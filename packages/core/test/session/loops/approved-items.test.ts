import { describe, expect, it } from 'vitest';
import { workflow as stepWorkflow } from '../../support/step-workflows.ts';
import { enforcements, graph, manifest, refusalOf, sequence, walk } from '../../support/sessions.ts';

describe('an item that a person approved', () => {
  const checkpoint = {
    id: 'approve',
    name: 'Approve',
    message: 'Delete {file}?',
    approver: 'human',
    options: [{ id: 'yes', label: 'Yes' }],
  } as const;

  it.each(enforcements)('cannot be changed in the list of the loop: %s', (enforcement) => {
    const each = { id: 'each', name: 'Each', type: 'forEach', over: 'files', variable: 'file' } as const;
    const navigator = graph([
      {
        id: 'review',
        loops: [{ ...each, steps: [{ id: 'ask', checkpoint: 'approve' }] }],
        checkpoints: [checkpoint],
        transitions: [{ to: 'apply' }],
      },
      { id: 'apply', transitions: [{ to: 'end' }] },
    ]);
    const session = walk(navigator, { enforcement, variables: { files: ['a', 'b'] } });
    session.move();
    for (const _ of ['a', 'b']) {
      session.yield('approve');
      session.choose('yes', 'human');
    }
    const refusal = { code: 'VARIABLE_PROTECTED', data: { variable: 'files', rule: 'frozen' } };
    const done = manifest('each@0::ask', 'each@1::ask');
    const swap = { variables: { files: ['x', 'y'] } };
    expect(refusalOf(session, { kind: 'move', ...done, ...swap })).toMatchObject(refusal);
    expect(session.move('apply', done).ok).toBe(true);
    expect(refusalOf(session, { kind: 'move', ...swap })).toMatchObject(refusal);
  });

  it.each(enforcements)('cannot be changed in a loop over activities: %s', (enforcement) => {
    const navigator = graph([
      {
        id: 'host',
        loops: [
          {
            id: 'each',
            name: 'Each',
            type: 'forEach',
            over: 'files',
            variable: 'file',
            activities: ['review'],
          },
        ],
        transitions: [{ to: 'apply' }],
      },
      { id: 'review', steps: [{ id: 'ask', checkpoint: 'approve' }], checkpoints: [checkpoint] },
      { id: 'apply', transitions: [{ to: 'end' }] },
    ]);
    const session = walk(navigator, { enforcement, variables: { files: ['a'] } });
    session.move();
    session.move('review');
    session.yield('approve');
    session.choose('yes', 'human');
    const swap = { variables: { files: ['x'] } };
    expect(refusalOf(session, { kind: 'move', ...manifest('ask'), ...swap })).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'files', rule: 'frozen' },
    });
    expect(session.move('apply', manifest('ask')).ok).toBe(true);
  });

  it('cannot be changed in a loop of a step workflow', () => {
    const body = [{ id: 'sign', title: 'Delete {currentItem}', prompt: 'p', requireConfirmation: true }];
    const each = { type: 'forEach', items: 'files', maxIterations: 9 } as const;
    const flow = stepWorkflow([
      { id: 'each', title: 'Each', type: 'loop', loop: each, body },
      { id: 'send' },
    ]);
    const session = walk(sequence(flow), { variables: { files: ['a'] } });
    session.move();
    session.yield('confirm');
    session.choose('confirm', 'human');
    const swap = { variables: { files: ['x'] } };
    expect(refusalOf(session, { kind: 'move', ...manifest('sign'), ...swap })).toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { variable: 'files', rule: 'frozen' },
    });
  });
});
