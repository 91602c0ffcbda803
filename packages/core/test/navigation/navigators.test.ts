import { parseCondition } from '@workflowlookup/conditions';
import type { StepWorkflowDefinition } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { workflow } from '../support/step-workflows.ts';
import { graphNavigator } from '../../src/navigation/graph-navigator.ts';
import type { Navigator } from '../../src/navigation/navigator.ts';
import { statusOf } from '../../src/session/status.ts';
import { activityWorkflow, graph, said, sequence, walk } from '../support/sessions.ts';
import { workflowMessages } from '../../src/messages/lookup.ts';
import { transitionTexts } from '../../src/messages/sessions.ts';
import { confirmationTexts } from '../../src/messages/instructions.ts';

const here = { current: undefined, completed: [], visits: {}, variables: {}, skipped: new Set<string>() };

const checkpoint = (id: string) => ({ id, name: id, message: 'Go?', options: [{ id: 'yes', label: 'Yes' }] });

const steps = (more: Partial<StepWorkflowDefinition> = {}): Navigator =>
  sequence(workflow([{ id: 'draft', requireConfirmation: true, validationCriteria: ['a+'] }], more));

test('A step workflow gets defaults for the properties of an activity workflow', () => {
  const navigator = steps({
    variables: [
      { name: 'size', type: 'string', default: 'small' },
      { name: 'count', type: 'number' },
    ],
    enforcement: 'strict',
  });
  expect(navigator.enforcement).toBe('strict');
  expect(navigator.variables).toStrictEqual([
    { name: 'size', type: 'string', value: 'small' },
    { name: 'count', type: 'number' },
  ]);
  expect(navigator.past('draft', { ...here, current: 'draft' })).toEqual([]);
  expect(steps().enforcement).toBe('advisory');
  expect(steps().variables).toEqual([]);
  const { version: _, ...unversioned } = workflow(['draft']).definition;
  const bare = workflow(['draft']);
  expect(sequence({ ...bare, definition: unversioned }).workflow.version).toBe('0.0.0');
});

test('A step becomes an activity with one step, and its confirmation becomes a checkpoint', () => {
  const navigator = steps();
  expect(navigator.place('draft', here)).toStrictEqual({
    id: 'draft',
    name: 'Title of draft',
    steps: [
      {
        id: 'draft',
        isOptional: false,
        conditions: [],
        checkpoint: 'confirm',
        criteria: ['a+'],
        sets: [],
      },
    ],
    loops: [],
    checkpoints: [
      {
        id: 'confirm',
        name: confirmationTexts.name('Title of draft'),
        message: confirmationTexts.question('Title of draft'),
        options: [
          { id: 'confirm', label: 'Confirm' },
          { id: 'revise', label: 'Revise', description: confirmationTexts.revised },
        ],
        approver: 'any',
        revision: 'revise',
      },
    ],
    context: {},
  });
  const plain = sequence(workflow(['report']));
  expect(plain.place('report', here)).toStrictEqual({
    id: 'report',
    name: 'Title of report',
    steps: [{ id: 'report', isOptional: false, conditions: [], sets: [] }],
    loops: [],
    checkpoints: [],
    context: {},
  });
  expect(plain.place('gone', here)).toStrictEqual({
    id: 'gone',
    name: 'gone',
    steps: [],
    loops: [],
    checkpoints: [],
    context: {},
  });
  expect(plain.ahead(here)).toStrictEqual({
    moves: [{ target: 'report', when: transitionTexts.nextStep(), holds: true, undecided: [], sets: [] }],
    remarks: [],
  });
});

test('An activity workflow with only the required properties gets defaults', () => {
  const plain = graph([{ id: 'one' }], {
    modes: [{ id: 'm', name: 'M', activationVariable: 'hurry' }],
    variables: [
      { name: 'a', type: 'number' },
      { name: 'b', type: 'number', defaultValue: 1 },
    ],
  });
  expect(plain.enforcement).toBe('advisory');
  expect(plain.variables).toStrictEqual([
    { name: 'a', type: 'number' },
    { name: 'b', type: 'number', value: 1 },
  ]);
  expect(plain.modes).toMatchObject([{ id: 'm', skipActivities: [], defaults: {} }]);
  expect(plain.place('one', here)).toStrictEqual({
    id: 'one',
    name: 'Name of one',
    steps: [],
    checkpoints: [],
    loops: [],
    context: {},
  });
  expect(plain.place('gone', here)).toStrictEqual({
    id: 'gone',
    name: 'gone',
    steps: [],
    checkpoints: [],
    loops: [],
    context: {},
  });
  expect(plain.ahead({ ...here, current: 'gone' })).toStrictEqual({ moves: [], remarks: [] });
  expect(plain.past('gone', here)).toEqual([]);
  expect(plain.past('one', here)).toEqual([]);
  expect(plain.sets('gone', 'entry')).toEqual([]);
  expect(plain.ahead(here)).toStrictEqual({
    moves: [{ target: 'one', when: transitionTexts.initial(), holds: true, undecided: [], sets: [] }],
    remarks: [],
  });
  expect(graph([]).ahead(here)).toStrictEqual({
    moves: [],
    obstacle: transitionTexts.noActivity(),
    remarks: [],
  });
});

test('A mode is on only if its variable is true', () => {
  const modes = [{ id: 'm', name: 'M', activationVariable: 'hurry', skipActivities: ['two'] }];
  const chain = graph([{ id: 'one', transitions: [{ to: 'two' }] }, { id: 'two' }], { modes });
  const session = walk(chain, { variables: { hurry: 'later' } });
  session.move();
  expect(statusOf(session.state, chain).skipped).toEqual([]);
  expect(statusOf(walk(chain, { variables: { hurry: true } }).state, chain).skipped).toEqual(['two']);
});

test('An activity keeps its steps, checkpoints, loops and actions, and has no empty fields', () => {
  const navigator = graph([
    {
      id: 'one',
      steps: [
        { id: 'plain' },
        { id: 'full', required: false, checkpoint: 'ask', validationCriteria: ['x'], when: 'a == 1' },
      ],
      checkpoints: [checkpoint('ask')],
      loops: [
        { id: 'rows', name: 'R', type: 'while', steps: [{ id: 'prune' }], maxIterations: 2 },
        { id: 'beds', name: 'B', type: 'forEach', over: 'list', variable: 'bed', steps: [{ id: 'weed' }] },
        { id: 'pots', name: 'P', type: 'while', over: 'list', variable: 'pot' },
        { id: 'nameless', name: 'N', type: 'forEach', over: 'list' },
        { id: 'once', name: 'O', type: 'doWhile' },
      ],
      entryActions: [
        { action: 'set', target: 'a', value: 1 },
        { action: 'log', target: 'b', value: 1 },
        { action: 'set', value: 1 },
        { action: 'set', target: 'c' },
      ] as never,
    },
  ]);
  const {
    steps: planned,
    checkpoints,
    loops,
  } = navigator.place('one', { ...here, variables: { list: ['x'] } });
  expect(planned).toStrictEqual([
    { id: 'plain', isOptional: false, conditions: [], sets: [] },
    {
      id: 'full',
      isOptional: true,
      conditions: [expect.anything()],
      checkpoint: 'ask',
      criteria: ['x'],
      sets: [],
    },
  ]);
  expect(checkpoints).toStrictEqual([{ ...checkpoint('ask'), approver: 'any' }]);
  const prune = { id: 'prune', isOptional: false, conditions: [], sets: [] };
  expect(loops).toStrictEqual([
    { id: 'rows', type: 'while', steps: [prune], maxIterations: 2, activities: [] },
    {
      id: 'beds',
      type: 'forEach',
      steps: [{ ...prune, id: 'weed' }],
      maxIterations: 100,
      over: 'list',
      variable: 'bed',
      activities: [],
    },
    {
      id: 'pots',
      type: 'while',
      steps: [],
      maxIterations: 100,
      over: 'list',
      variable: 'pot',
      activities: [],
    },
    { id: 'nameless', type: 'forEach', steps: [], maxIterations: 100, over: 'list', activities: [] },
    { id: 'once', type: 'doWhile', steps: [], maxIterations: 100, activities: [] },
  ]);
  expect(navigator.sets('one', 'entry')).toStrictEqual([{ name: 'a', value: 1 }]);
  expect(navigator.sets('one', 'exit')).toStrictEqual([]);
});

test('A condition that cannot be parsed throws an error', () => {
  const condition = 'a ==';
  const parsed = parseCondition(condition);
  const problem = parsed.ok ? undefined : parsed.issues[0]?.message;
  expect(() => graph([{ id: 'one', transitions: [{ to: 'end', condition }] }])).toThrow(
    expect.objectContaining({
      code: 'INVALID_WORKFLOW',
      message: workflowMessages.conditionUnusable(problem),
    }),
  );
});

test('A transition that the author marks as default is the default, whatever its condition', () => {
  const session = walk(
    graph([{ id: 'one', transitions: [{ to: 'two', condition: 'a == 1', isDefault: true }] }, { id: 'two' }]),
    { enforcement: 'strict', variables: { a: 2 } },
  );
  session.move();
  expect(said(session.move('two'))).toEqual([]);
});

test('An activity whose file is broken is absent, with the problem of the file as the reason', () => {
  const issue = { severity: 'error', code: 'shape', message: 'no name', pointer: '' };
  const problem = (kind: string, id: string, issues: readonly object[]) => ({
    kind,
    id,
    file: `${kind}/${id}.yaml`,
    issues,
  });
  const problems = [
    problem('skill', 'torn', [issue]),
    problem('activity', 'other', [issue]),
    problem('activity', 'torn', [issue]),
    problem('activity', 'blank', []),
  ];
  const navigator = graphNavigator({ ...activityWorkflow([{ id: 'one' }]), problems: problems as never });
  expect(navigator.absence('torn')).toBe(transitionTexts.broken('torn', 'activity/torn.yaml', 'no name'));
  expect(navigator.absence('blank')).toBe(transitionTexts.broken('blank', 'activity/blank.yaml', undefined));
  expect(navigator.absence('gone')).toBeUndefined();
});

test('The name of a step has each value on one short line', () => {
  const titled = { id: 'publish', title: 'Publish {{notes}}', prompt: 'Publish it.' };
  const { name } = sequence(workflow([titled])).place('publish', {
    ...here,
    variables: { notes: `1.4.0\n${'and more '.repeat(50)}` },
  });
  expect(name).toMatch(/^Publish 1\.4\.0 and more [^\n]{1,70}…$/);
});

test.each<[string, { readonly rush?: string; readonly otherwise?: string | null }, boolean]>([
  ['no branch leads past the person', { rush: 'ask', otherwise: 'ask' }, false],
  ['a branch leads past the person', { rush: 'pack', otherwise: 'ask' }, true],
  ['the default branch can end the workflow', { rush: 'ask', otherwise: null }, true],
  ['no branch may be open', { rush: 'ask' }, true],
])(
  'An activity whose checkpoint can lead to a person, and has a decision: %s',
  (_, { rush, otherwise }, isMissed) => {
    const navigator = graph([
      {
        id: 'plan',
        steps: [{ id: 'sketch', checkpoint: 'hurry' }],
        checkpoints: [
          {
            ...checkpoint('hurry'),
            defaultOption: 'yes',
            autoAdvanceMs: 5000,
            options: [{ id: 'yes', label: 'Yes', effect: { transitionTo: 'ask' } }],
          },
        ],
        decisions: [
          {
            id: 'route',
            name: 'Route',
            branches: [
              {
                id: 'rush',
                label: 'Rush',
                condition: 'hours < 2',
                ...(rush !== undefined && { transitionTo: rush }),
              },
              ...(otherwise === undefined
                ? []
                : [
                    {
                      id: 'otherwise',
                      label: 'Otherwise',
                      isDefault: true,
                      ...(otherwise !== null && { transitionTo: otherwise }),
                    },
                  ]),
            ],
          },
        ],
      },
      {
        id: 'ask',
        steps: [{ id: 'show', checkpoint: 'approve' }],
        checkpoints: [{ ...checkpoint('approve'), approver: 'human' }],
        transitions: [{ to: 'pack' }],
      },
      { id: 'pack' },
    ]);
    expect(navigator.sendsToPerson('plan', 'declared')).toBe(isMissed);
  },
);
