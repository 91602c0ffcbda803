import { expect, test } from 'vitest';
import { activity, checkpoint, flow, readFolder, issueLines, workflow } from '../support/folders.ts';
import { messages } from '../../src/messages/workflow.ts';

const variables = [
  { name: 'ready', type: 'boolean' },
  { name: 'crates', type: 'number' },
];
const variablesOf = (source: unknown) =>
  typeof source === 'string' ? source.split(' ') : [(source as { var: string }).var];

const issuesOf = async (more: object, top: object = { variables }) => {
  const files = flow({ 'workflow.yaml': workflow(top), 'activities/01-start.yaml': activity('start', more) });
  return issueLines(await readFolder(files, { variablesOf }));
};

const undeclared = (pointer: string, name: string, file = 'activities/01-start.yaml') =>
  `${file} warning ${pointer} ${messages.undeclaredVariable(name, undefined).message}`;

test.each([
  ['when of a step', { steps: [{ id: 'a', when: 'ready weight' }] }, '/steps/0/when'],
  ['condition of a step', { steps: [{ id: 'a', condition: { var: 'weight.net' } }] }, '/steps/0/condition'],
  [
    'condition of an action',
    { entryActions: [{ action: 'log', condition: 'weight' }] },
    '/entryActions/0/condition',
  ],
  [
    'condition of a transition',
    { transitions: [{ to: 'end', condition: 'weight' }] },
    '/transitions/0/condition',
  ],
  [
    'condition of a loop',
    { loops: [{ id: 'l', name: 'L', type: 'while', condition: 'weight' }] },
    '/loops/0/condition',
  ],
  [
    'end of a loop',
    { loops: [{ id: 'l', name: 'L', type: 'while', breakCondition: 'weight' }] },
    '/loops/0/breakCondition',
  ],
  ['list of a loop', { loops: [{ id: 'l', name: 'L', type: 'forEach', over: 'weight' }] }, '/loops/0/over'],
  [
    'message of a checkpoint',
    { checkpoints: [checkpoint('c', { message: '{crates} of {weight} kg?' })] },
    '/checkpoints/0/message',
  ],
  [
    'message of an action',
    { exitActions: [{ action: 'message', message: '{weight}' }] },
    '/exitActions/0/message',
  ],
  ['name of an artifact', { artifacts: [{ id: 'a', name: '{weight.net}.md' }] }, '/artifacts/0/name'],
])('An undeclared variable is reported in the %s', async (_, more, pointer) => {
  expect(await issuesOf(more)).toEqual([undeclared(pointer, 'weight')]);
});

test('An undeclared variable is reported once in each file, with a suggestion', async () => {
  const more = {
    steps: [
      { id: 'a', when: 'raedy' },
      { id: 'b', when: 'raedy' },
    ],
  };
  expect(await issuesOf(more)).toEqual([undeclared('/steps/0/when', 'raedy')]);
  const reading = await readFolder(
    flow({ 'workflow.yaml': workflow({ variables }), 'activities/01-start.yaml': activity('start', more) }),
    { variablesOf },
  );
  const { suggestion } = messages.undeclaredVariable('raedy', 'ready');
  expect([...reading.issuesByFile.values()].flat()[0]?.suggestion).toBe(suggestion);
});

test('The variables of loops and modes are known', async () => {
  const loops = [
    {
      id: 'l',
      name: 'L',
      type: 'forEach',
      variable: 'tree',
      over: 'crates',
      steps: [{ id: 'a', when: 'tree' }],
    },
  ];
  const modes = [{ id: 'fast', name: 'Fast', activationVariable: 'hurry' }];
  expect(await issuesOf({ loops, steps: [{ id: 'b', when: 'hurry' }] }, { variables, modes })).toEqual([]);
});

test('Text in braces that is not a variable name is not reported', async () => {
  const message = '{{ready}} {NN} {a b} {YYYY-MM-DD} {"id": 1} {}';
  expect(await issuesOf({ checkpoints: [checkpoint('c', { message })] })).toEqual([
    undeclared('/checkpoints/0/message', 'NN'),
  ]);
});

test('Variables in the locations of artifacts are checked', async () => {
  const artifactLocations = { shed: '{fruit}/shed', attic: { path: '{roof}' } };
  expect(await issuesOf({}, { variables, artifactLocations })).toEqual([
    undeclared('/artifactLocations/shed', 'fruit', 'workflow.yaml'),
    undeclared('/artifactLocations/attic/path', 'roof', 'workflow.yaml'),
  ]);
});

test('Nothing is reported if the workflow declares no variables', async () => {
  expect(await issuesOf({ steps: [{ id: 'a', when: 'weight' }] }, {})).toEqual([]);
});
