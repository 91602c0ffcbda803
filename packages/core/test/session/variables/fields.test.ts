import { describe, expect, test } from 'vitest';
import type { ActivityStep, Json } from '@workflowlookup/schema';
import type { ActivitySketch } from '../../support/sessions.ts';
import { codeOf, enforcements, graph, said, sequence, walk } from '../../support/sessions.ts';
import { workflow as stepWorkflow } from '../../support/step-workflows.ts';
import { answered, scope, variables } from '../../support/permit-workflow.ts';

const step = (
  id: string,
  fill: Record<string, string>,
  type: 'text' | 'list' | 'boolean' = 'text',
): ActivityStep => ({
  id,
  fields: [{ id: 'value', type }],
  sets: fill,
});

const entry = (step_id: string, value: Json) => ({ step_id, output: JSON.stringify({ value }) });

describe.each(enforcements)('a field that sets a variable: %s', (enforcement) => {
  test('sets it in both kinds of workflow, like a write of the agent', () => {
    const navigators = [
      graph([{ id: 'one', steps: [step('read', { title: 'value' })] }, { id: 'two' }]),
      sequence(
        stepWorkflow([
          { id: 'one', title: 'One', prompt: 'Read.', fields: [{ id: 'value' }], sets: { title: 'value' } },
          { id: 'two', title: 'Two', prompt: 'Write.' },
        ]),
      ),
    ];
    for (const [at, navigator] of navigators.entries()) {
      const session = walk(navigator, { enforcement });
      session.move();
      expect(
        said(session.move(undefined, { manifest: [entry(at === 0 ? 'read' : 'one', 'Rates')] })),
      ).toEqual([]);
      expect(session.state.variables).toMatchObject({ title: 'Rates' });
      expect(session.state.origins).toMatchObject({ title: { by: 'agent' } });
    }
  });

  test('sets nothing if it is not valid', () => {
    const session = walk(graph([{ id: 'one', steps: [step('read', { title: 'value' })] }, { id: 'two' }]), {
      enforcement,
    });
    session.move();
    session.move(undefined, { manifest: [entry('read', 3)] });
    expect(session.state.variables).not.toHaveProperty('title');
  });

  test('cannot set what an answer set', () => {
    const steps = [step('note', { live: 'value' }, 'boolean')];
    const asking: ActivitySketch = { ...scope, steps };
    const navigator = graph([asking, { id: 'review' }], { variables });
    const session = walk(navigator, { enforcement });
    session.move();
    session.yield('permit');
    session.choose('read-only', 'human');
    expect(session.state.variables).toMatchObject({ live: false });
    expect(codeOf(session.move('review', { manifest: [entry('note', true)] }))).toBe('VARIABLE_PROTECTED');
    // An agent may repeat the value.
    expect(codeOf(session.move('review', { manifest: [entry('note', false)] }))).toBeUndefined();
    expect(session.state.origins).toMatchObject({ live: { by: 'checkpoint' } });
  });

  test('cannot change a protected variable, even if a later field restores the value', () => {
    const steps = [step('first', { live: 'value' }, 'boolean'), step('last', { live: 'value' }, 'boolean')];
    const session = walk(graph([{ ...scope, steps }, { id: 'review' }], { variables }), { enforcement });
    session.move();
    session.yield('permit');
    session.choose('read-only', 'human');
    const manifest = [entry('first', true), entry('last', false)];
    expect(codeOf(session.move('review', { manifest }))).toBe('VARIABLE_PROTECTED');
  });

  test('is subject to set_by', () => {
    const declared = [{ name: 'title', type: 'string' as const, set_by: ['two'] }];
    const steps = [step('read', { title: 'value' })];
    const navigator = graph(
      [
        { id: 'one', steps, transitions: [{ to: 'two' }] },
        { id: 'two', steps, transitions: [{ to: 'end' }] },
      ],
      { variables: declared },
    );
    const session = walk(navigator, { enforcement });
    session.move();
    expect(codeOf(session.move('two', { manifest: [entry('read', 'a')] }))).toBe('VARIABLE_PROTECTED');
    const other = walk(navigator, { enforcement: 'advisory' });
    other.move();
    other.move('two');
    expect(codeOf(other.move(undefined, { manifest: [entry('read', 'a')] }))).toBeUndefined();
    expect(other.state.variables).toMatchObject({ title: 'a' });
  });

  test('is refused if its value is too long', () => {
    const session = walk(graph([{ id: 'one', steps: [step('read', { title: 'value' })] }, { id: 'two' }]), {
      enforcement,
    });
    session.move();
    const manifest = [entry('read', 'x'.repeat(70_000))];
    expect(codeOf(session.move(undefined, { manifest }))).toBe('INVALID_INPUT');
  });
});

describe('the field of a step and a loop', () => {
  const loop = { id: 'each', name: 'Each', type: 'forEach', over: 'items', variable: 'item' } as const;

  test('can set the list that decides how many iterations a loop has', () => {
    const session = walk(
      graph([
        {
          id: 'one',
          steps: [step('list', { items: 'value' }, 'list')],
          loops: [{ ...loop, steps: [{ id: 'do' }] }],
        },
        { id: 'two' },
      ]),
      { enforcement: 'strict' },
    );
    session.move();
    const list = entry('list', ['a', 'b']);
    const done = (at: number) => ({ step_id: `each@${at}::do`, output: 'Done.' });
    expect(codeOf(session.move(undefined, { manifest: [list, done(0)] }))).toBe('MANIFEST_INVALID');
    expect(codeOf(session.move(undefined, { manifest: [list, done(0), done(1)] }))).toBeUndefined();
  });

  test('cannot shorten a list of a loop with remaining iterations', () => {
    const session = walk(
      graph([
        {
          id: 'one',
          steps: [step('list', { items: 'value' }, 'list')],
          loops: [{ ...loop, steps: [{ id: 'do' }] }],
        },
        { id: 'two' },
      ]),
      { enforcement: 'strict', variables: { items: ['a', 'b'] } },
    );
    session.move();
    expect(codeOf(session.move(undefined, { manifest: [entry('list', [])] }))).toBe('MANIFEST_INVALID');
  });

  test.each(enforcements)(
    'cannot shorten it even if the output of a skipped step restores it: %s',
    (enforcement) => {
      const session = walk(
        graph([
          {
            id: 'one',
            steps: [
              step('list', { items: 'value' }, 'list'),
              { ...step('list-again', { items: 'value' }, 'list'), condition: 'isAgain == true' },
            ],
            checkpoints: [
              {
                id: 'sign',
                name: 'Sign',
                message: 'Do it?',
                approver: 'human',
                options: [{ id: 'yes', label: 'Yes' }],
              },
            ],
            loops: [{ ...loop, steps: [{ id: 'do', checkpoint: 'sign' }] }],
            transitions: [{ to: 'two' }],
          },
          { id: 'two' },
        ]),
        { enforcement, variables: { items: ['a', 'b'] } },
      );
      session.move('one');
      session.yield('sign');
      session.choose('yes', 'human');
      const one = { step_id: 'each@0::do', output: 'Done.' };
      const manifest = [entry('list', ['a']), entry('list-again', ['a', 'b']), one];
      expect(codeOf(session.move('two', { manifest }))).toBe('CHECKPOINT_OPEN');
      session.yield('sign');
      session.choose('yes', 'human');
      const both = [entry('list', ['a', 'b']), one, { step_id: 'each@1::do', output: 'Done.' }];
      expect(codeOf(session.move('two', { manifest: both }))).toBeUndefined();
    },
  );

  test('are evaluated so that each iteration sees what its own steps set', () => {
    const navigator = graph([
      {
        id: 'one',
        loops: [
          {
            ...loop,
            steps: [
              step('try', { failed: 'value' }, 'boolean'),
              { id: 'explain', condition: 'failed == true' },
            ],
          },
        ],
      },
      { id: 'two' },
    ]);
    const session = walk(navigator, { enforcement: 'strict', variables: { items: ['a', 'b'] } });
    session.move();
    const [first, second] = [entry('each@0::try', true), entry('each@1::try', false)];
    const manifest = [first, second];
    // With the last value alone, the step of the first iteration would not be required.
    expect(codeOf(session.move(undefined, { manifest }))).toBe('MANIFEST_INVALID');
    const whole = [first, { step_id: 'each@0::explain', output: 'Why.' }, second];
    expect(codeOf(session.move(undefined, { manifest: whole }))).toBeUndefined();
    expect(session.state.variables).toMatchObject({ failed: false });
  });

  test('can end a while loop', () => {
    const navigator = graph([
      {
        id: 'one',
        loops: [
          {
            id: 'again',
            name: 'Again',
            type: 'doWhile',
            condition: 'open == true',
            steps: [step('try', { open: 'value' }, 'boolean')],
          },
        ],
      },
      { id: 'two' },
    ]);
    const session = walk(navigator, { enforcement: 'strict' });
    session.move();
    expect(codeOf(session.move(undefined, { manifest: [entry('again@0::try', true)] }))).toBe(
      'MANIFEST_INVALID',
    );
    const manifest = [entry('again@0::try', true), entry('again@1::try', false)];
    expect(codeOf(session.move(undefined, { manifest }))).toBeUndefined();
  });

  test('are evaluated in order: an action replaces the value of a field, but not that of an answer', () => {
    const steps = [
      {
        ...step('read', { title: 'value' }),
        actions: [{ action: 'set' as const, target: 'title', value: 'fixed' }],
      },
    ];
    const session = walk(graph([{ id: 'one', steps }, { id: 'two' }]), { enforcement: 'strict' });
    session.move();
    session.move(undefined, { manifest: [entry('read', 'mine')] });
    expect(session.state.variables).toMatchObject({ title: 'fixed' });
    expect(session.state.origins).toMatchObject({ title: { by: 'action' } });
    expect(answered('read-only').state.variables).toMatchObject({ live: false });
  });
});
