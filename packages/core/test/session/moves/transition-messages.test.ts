import { expect, test } from 'vitest';
import { workflow } from '../../support/step-workflows.ts';
import { graph, manifest, refusalOf, said, sequence, walk } from '../../support/sessions.ts';
import { messages, transitionTexts } from '../../../src/messages/sessions.ts';

// The exact messages to a caller about transitions.

const options = [{ id: 'yes', label: 'Yes' }];
const checkpoint = (id: string, more: object = {}) => ({ id, name: id, message: 'Go?', options, ...more });

test('A checkpoint that the workflow no longer has is reported as not found', () => {
  const mill = graph([{ id: 'one', checkpoints: [checkpoint('ask')] }]);
  const gone = { ...mill };
  const session = walk(gone);
  session.move();
  session.yield('ask');
  gone.place = (...args) => ({ ...mill.place(...args), checkpoints: [] });
  expect(
    refusalOf(session, { kind: 'answer', mode: { kind: 'option', option: 'yes' }, by: 'agent' }),
  ).toStrictEqual({
    code: 'CHECKPOINT_NOT_FOUND',
    message: expect.stringContaining("Activity 'one' has no checkpoint 'ask'."),
    data: {},
  });
});

test('A checkpoint for a person and one that sent the work back block the session, each with its reason', () => {
  const signed = walk(graph([{ id: 'one', checkpoints: [checkpoint('sign', { approver: 'human' })] }]));
  signed.move();
  expect(refusalOf(signed, { kind: 'move' })).toStrictEqual({
    code: 'CHECKPOINT_OPEN',
    message: messages.personBeforeMove('sign', 'one'),
    data: { checkpoint_id: 'sign' },
    remedy: { kind: 'yield', checkpoint: 'sign' },
  });
  const revised = walk(sequence(workflow([{ id: 'draft', requireConfirmation: true }, 'report'])));
  revised.move();
  revised.yield('confirm');
  revised.choose('revise');
  expect(refusalOf(revised, { kind: 'move', ...manifest('draft') })).toStrictEqual({
    code: 'CHECKPOINT_OPEN',
    message: messages.sentBack('confirm', 'draft'),
    data: { checkpoint_id: 'confirm', reason: 'sent-back' },
    remedy: { kind: 'yield', checkpoint: 'confirm' },
  });
});

test('Skipped activities are named if they block a transition, and if they are its targets', () => {
  const modes = [{ id: 'm', name: 'M', activationVariable: 'hurry', skipActivities: ['two', 'last'] }];
  const chain = graph(
    [
      { id: 'one', transitions: [{ to: 'two' }] },
      { id: 'two', transitions: [{ to: 'three' }] },
      { id: 'three', transitions: [{ to: 'last' }] },
      { id: 'last' },
    ],
    { modes },
  );
  const session = walk(chain, { enforcement: 'strict', variables: { hurry: true } });
  session.move();
  expect(said(session.move('two'))).toEqual([
    `${messages.activitySkipped('two')} ${messages.legal("three (default; 'two' is skipped)")}`,
  ]);
  session.move();
  expect(said(session.move('one'))).toEqual([
    "No transition leads to 'one'. From 'three' the workflow continues with: last (default). Legal from here: the end (default).",
  ]);
  expect(session.move().ok).toBe(true);
  expect(session.state.status).toBe('completed');
});

test('Activities that skip to each other in a circle lead to the end', () => {
  const modes = [{ id: 'm', name: 'M', activationVariable: 'hurry', skipActivities: ['two', 'three'] }];
  const circle = graph(
    [
      { id: 'one', transitions: [{ to: 'two' }] },
      { id: 'two', transitions: [{ to: 'three' }] },
      { id: 'three', transitions: [{ to: 'two' }] },
    ],
    { modes },
  );
  const session = walk(circle, { enforcement: 'strict', variables: { hurry: true } });
  session.move();
  expect(said(session.move())).toEqual([]);
  expect(session.state.status).toBe('completed');
});

test('A legal end is named among the transitions, but is not an activity to enter next', () => {
  const session = walk(
    graph([
      {
        id: 'one',
        transitions: [
          { to: 'end', condition: 'a == 1' },
          { to: 'two', condition: 'a == 1' },
        ],
      },
      { id: 'two' },
    ]),
    { enforcement: 'strict', variables: { a: 1 } },
  );
  session.move();
  expect(refusalOf(session, { kind: 'move', activityId: 'one' })).toMatchObject({
    message:
      "No transition leads to 'one'. From 'one' the workflow continues with: end (a == 1), two (a == 1). Legal from here: the end (a == 1), two (a == 1).",
    data: { activities: ['two'] },
  });
  expect(said(session.move('end'))).toEqual([]);
});

test('Several problems are reported in one line, with the code of the first', () => {
  const session = walk(
    graph([{ id: 'one', steps: [{ id: 'do' }], transitions: [{ to: 'two' }] }, { id: 'two' }], {
      variables: [{ name: 'a', type: 'number' }],
    }),
    { enforcement: 'strict' },
  );
  session.move();
  const manifestOf = [{ step_id: 'do', output: ' ' }];
  const found = refusalOf(session, { kind: 'move', manifest: manifestOf, variables: { a: 'x', b: 1 } });
  const problems = [
    messages.emptyOutput('do'),
    messages.wrongType('a', 'number', 'string'),
    messages.notDeclared('b'),
  ];
  expect(found).toStrictEqual({
    code: 'MANIFEST_INVALID',
    message: `${problems.join(' ')} Legal from here: two (default).`,
    data: { problems, activities: ['two'] },
  });
});

test('Required activities that were not visited are named when the agent asks for the end', () => {
  const session = walk(
    graph([
      { id: 'one', required: true, transitions: [{ to: 'two', condition: 'a == 1' }] },
      { id: 'two', required: true },
      { id: 'three', required: true },
    ]),
    { variables: { a: 2 } },
  );
  session.move();
  expect(said(session.move('end'))).toEqual([messages.notVisited(['two', 'three'])]);
});

test('A skipped activity is not required', () => {
  const modes = [{ id: 'm', name: 'M', activationVariable: 'hurry', skipActivities: ['two'] }];
  const session = walk(graph([{ id: 'one' }, { id: 'two', required: true }], { modes }), {
    variables: { hurry: true },
  });
  session.move();
  expect(said(session.move())).toEqual([]);
});

test('A refused end that only unset variables decide names all of them', () => {
  const session = walk(
    graph([{ id: 'one', transitions: [{ to: 'two', condition: 'a == 1 && b == 1' }] }, { id: 'two' }]),
    { enforcement: 'strict' },
  );
  session.move();
  expect(said(session.move())).toEqual([
    'No transition is open, and nobody set a, b, which could open one. Possible from here: two (a == 1 && b == 1). Set a, b with the move, or name the end as the activity.',
  ]);
  expect(session.move('end').ok).toBe(true);
});

test('A refused end is not called legal', () => {
  const asks = { id: 'two', checkpoints: [checkpoint('sign', { approver: 'human' })] };
  const undecided = walk(graph([{ id: 'one', transitions: [{ to: 'two', condition: 'a == 1' }] }, asks]));
  undecided.move();
  expect(said(undecided.move())).toEqual([
    "No transition is open, and nobody set a, which could open one. The move could bypass checkpoint 'sign' of 'two', which needs a person. Possible from here: two (a == 1). Set a with the move.",
  ]);
  expect(said(undecided.move('end'))).toEqual([
    "The move could bypass checkpoint 'sign' of 'two', which needs a person. Possible from here: two (a == 1). Set a with the move.",
  ]);
  const required = walk(
    graph([
      { id: 'one', transitions: [{ to: 'two', condition: 'a == 1' }, { to: 'end' }] },
      { id: 'two', required: true },
    ]),
    { enforcement: 'strict' },
  );
  required.move();
  expect(said(required.move('end'))).toEqual([
    `${messages.notVisited(['two'])} ${messages.possible('two (a == 1), end (default)')}`,
  ]);
});

test('Undecided transitions are left out if another one is open', () => {
  const session = walk(
    graph([{ id: 'one', transitions: [{ to: 'two', condition: 'a == 1' }, { to: 'end' }] }, { id: 'two' }]),
    { enforcement: 'strict' },
  );
  session.move();
  expect(said(session.move())).toEqual([]);
  expect(session.state.status).toBe('completed');
});

test('A strict session of a workflow without activities cannot be ended', () => {
  const session = walk(graph([]), { enforcement: 'strict' });
  expect(refusalOf(session, { kind: 'move' })).toStrictEqual({
    code: 'INVALID_STATE',
    message: transitionTexts.noActivity(),
    data: {},
  });
  expect(refusalOf(session, { kind: 'move', activityId: 'end' })).toStrictEqual({
    code: 'INVALID_STATE',
    message: transitionTexts.noActivity(),
    data: { problems: [transitionTexts.noActivity()], activities: [] },
  });
});

test('Targets of decisions and loops are named with the decision or the loop', () => {
  const session = walk(
    graph([
      {
        id: 'one',
        loops: [{ id: 'again', name: 'R', type: 'while', activities: ['fix', 'check'], maxIterations: 1 }],
        decisions: [
          {
            id: 'route',
            name: 'Route',
            branches: [
              { id: 'heavy', label: 'Heavy', condition: 'crates >= 20', transitionTo: 'two' },
              { id: 'light', label: 'Light', isDefault: true, transitionTo: 'three' },
            ],
          },
        ],
      },
      { id: 'fix' },
      { id: 'check' },
      { id: 'two' },
      { id: 'three' },
    ]),
    { enforcement: 'strict' },
  );
  session.move();
  expect(said(session.move('one'))).toEqual([
    "No transition leads to 'one'. From 'one' the workflow continues with: fix (loop 'again': another iteration), " +
      "two (decision 'route': crates >= 20), three (decision 'route': default). " +
      "Legal from here: fix (loop 'again': another iteration), three (decision 'route': default).",
  ]);
  session.move();
  expect(said(session.move('one'))).toEqual([
    "No transition leads to 'one'. From 'fix' the workflow continues with: check (loop 'again': the next activity of the loop). " +
      "Legal from here: check (loop 'again': the next activity of the loop).",
  ]);
});

test('All missing steps, unknown steps and refused outputs of a manifest are reported', () => {
  const one = { id: 'one', steps: [{ id: 'a' }, { id: 'b' }, { id: 'c', validationCriteria: ['x'] }] };
  const verdict = { valid: false, issues: ['No x', 'Too short'], suggestions: [] };
  const session = walk(graph([one]), { judge: () => verdict });
  session.move();
  expect(said(session.move(undefined, manifest('c', 'p', 'q')))).toEqual([
    `${messages.missingSteps(['a', 'b'])} ${messages.requiredSteps(['a', 'b', 'c'])}`,
    messages.unexpectedSteps(['p', 'q'], 'one'),
    messages.outputRefused('c', verdict.issues),
  ]);
  const other = walk(graph([one]));
  other.move();
  expect(said(other.move())).toEqual([messages.noManifest('one', ['a', 'b', 'c'])]);
});
