import { walkActions, walkActivitySteps, walkConditions } from '@workflowlookup/schema';
import type { Activity } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { activity, checkpoint, flow, readFolder, workflow } from '../support/folders.ts';

const full = activity('start', {
  steps: [
    {
      id: 'a',
      when: 'w1',
      condition: 'c1',
      actions: [{ action: 'log', condition: 'c2' }],
      validationCriteria: {
        and: [{ type: 'contains', value: 'x', message: 'm', condition: 'c3' }, 'pattern'],
        'x-note': [{ type: 'n', condition: 'no' }],
      },
    },
  ],
  loops: [
    {
      id: 'l',
      name: 'L',
      type: 'while',
      condition: 'c8',
      breakCondition: 'c9',
      steps: [{ id: 'b', when: 'w2', actions: [{ action: 'log' }] }],
    },
  ],
  checkpoints: [checkpoint('c', { condition: 'c5' })],
  decisions: [
    {
      id: 'd',
      name: 'D',
      branches: [
        { id: 'a', label: 'A', condition: 'c6' },
        { id: 'b', label: 'B' },
      ],
    },
  ],
  transitions: [{ to: 'end', condition: { var: 'c10' } }],
  entryActions: [{ action: 'log', condition: 'c0' }],
  exitActions: [{ action: 'log', condition: 'c7' }],
}) as Activity;

test('The steps of an activity come before those of its loops', () => {
  expect([...walkActivitySteps(full)].map(({ step, pointer, loop }) => [step.id, pointer, loop?.id])).toEqual(
    [
      ['a', '/steps/0', undefined],
      ['b', '/loops/0/steps/0', 'l'],
    ],
  );
});

test('Actions come in the order from entry to exit', () => {
  expect([...walkActions(full)].map(({ pointer }) => pointer)).toEqual([
    '/entryActions/0',
    '/steps/0/actions/0',
    '/loops/0/steps/0/actions/0',
    '/exitActions/0',
  ]);
});

const conditions = [
  'w1 /steps/0/when',
  'c1 /steps/0/condition',
  'c3 /steps/0/validationCriteria/and/0/condition',
  'w2 /loops/0/steps/0/when',
  'c0 /entryActions/0/condition',
  'c2 /steps/0/actions/0/condition',
  'c7 /exitActions/0/condition',
  'c5 /checkpoints/0/condition',
  'c6 /decisions/0/branches/0/condition',
  'c8 /loops/0/condition',
  'c9 /loops/0/breakCondition',
  '{"var":"c10"} /transitions/0/condition',
];

test.each([
  ['a file', flow({ 'activities/01-start.yaml': full }), 'activities/01-start.yaml', ''],
  [
    'the workflow file',
    { 'workflow.yaml': workflow({ activities: [full] }) },
    'workflow.yaml',
    '/activities/0',
  ],
])('Every condition of an activity in %s is visited', async (_, files, file, prefix) => {
  const { workflow: read } = await readFolder(files);
  const walked = read === undefined ? [] : [...walkConditions(read)];
  const lines = walked.map(
    ({ source, pointer }) => `${typeof source === 'string' ? source : JSON.stringify(source)} ${pointer}`,
  );
  expect(lines).toEqual(conditions.map((line) => line.replace(' ', ` ${prefix}`)));
  expect(new Set(walked.map((condition) => condition.file))).toEqual(new Set([file]));
});

test('The conditions of a borrowed activity come with the path of the lending workflow', async () => {
  const others = { other: flow({ 'activities/01-start.yaml': full }) };
  const { workflow: read } = await readFolder(
    { 'workflow.yaml': workflow({ activities: ['other/01-start'] }) },
    { others },
  );
  expect(read && [...walkConditions(read)][0]).toMatchObject({
    file: 'other/activities/01-start.yaml',
    pointer: '/steps/0/when',
  });
});
