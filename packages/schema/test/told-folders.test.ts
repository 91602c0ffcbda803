import { expect, test } from 'vitest';
import type { Files } from './folders.ts';
import { activity, checkpoint, flow, readFolder, skill, workflow } from './folders.ts';
import { inFull } from './in-full.ts';

// What is wrong with a folder and what would do, word for word: authors act on these lines.

test.each<[what: string, files: Files, told: Readonly<Record<string, readonly string[]>>]>([
  [
    'no workflow file',
    { 'activities/01-start.yaml': activity('start') },
    {
      'workflow.yaml': [
        "error missing-property : The folder has no workflow file. Add 'workflow.yaml' with id, version and title",
      ],
    },
  ],
  [
    'two workflow files',
    flow({ 'workflow.json': workflow() }),
    {
      'workflow.json': [
        "error! file-name : A second workflow file: 'workflow.yaml' is the one that is used. Remove one",
      ],
    },
  ],
  [
    'a workflow of another id than its folder',
    { ...flow(), 'workflow.yaml': workflow({ id: 'other' }) },
    {
      'workflow.yaml': [
        "warning file-name /id: The id is 'other', and the folder is named 'a-flow'. Name the folder after the id",
      ],
    },
  ],
  [
    'an activity of another id than its file',
    flow({ 'activities/02-else.yaml': activity('other') }),
    {
      'activities/02-else.yaml': [
        "warning file-name /id: The id is 'other', and the file is named 'else'. Name the file after the id",
        "warning unreachable /id: Activity 'other' can't be reached from 'start'. Name it in a transition, a decision or an effect, or remove it",
      ],
    },
  ],
  [
    'an activity file without a number',
    flow({ 'activities/else.yaml': activity('else') }),
    {
      'activities/else.yaml': [
        "error file-name : The file name 'else.yaml' has no number. Name it 'activities/NN-else.yaml'",
      ],
    },
  ],
  [
    'two activities of one id',
    flow({ 'activities/02-start.yaml': activity('start') }),
    {
      'activities/02-start.yaml': [
        "error duplicate-id /id: Duplicate activity id 'start': 'activities/01-start.yaml' has it too. Give every activity its own id",
      ],
    },
  ],
  [
    'an activity file nobody can read',
    flow({ 'activities/02-x.json': '{' }),
    {
      'activities/02-x.json': [
        "error syntax-error : JSON syntax error: expected '}', but the text ends at line 1, column 2. Check for missing closing braces, brackets, or quotes",
      ],
    },
  ],
  [
    'a skill of another id than its file',
    flow({ 'skills/02-x.yaml': skill('other') }),
    {
      'skills/02-x.yaml': [
        "warning file-name /id: The id is 'other', and the file is named 'x'. Name the file after the id",
      ],
    },
  ],
  [
    'resources that are not what they seem',
    flow({
      'resources/02-x.md': '---\nid: other\n---\nText',
      'resources/x.md': 'Text',
      'resources/03-y.md': '---\n[\n---\n',
    }),
    {
      'resources/03-y.md': [
        'error! syntax-error : YAML syntax error: Flow sequence must end with a ] at line 3, column 1. Check the indentation, and quote text that holds : or #',
      ],
      'resources/x.md': ["error file-name : The file name 'x.md' has no number. Name it 'resources/NN-x.md'"],
    },
  ],
  [
    'a first activity of nowhere',
    { ...flow(), 'workflow.yaml': workflow({ initialActivity: 'nope' }) },
    {
      'workflow.yaml': [
        "error unknown-activity /initialActivity: The workflow starts with activity 'nope', which the workflow does not have. Add a file 'activities/NN-nope', or correct the name",
      ],
    },
  ],
  [
    'a list of activities with what is not there',
    {
      ...flow(),
      'workflow.yaml': workflow({
        activities: [
          '01-start.yaml',
          '01-start.yaml',
          'nope.yaml',
          'a/b',
          'other/activities/01-x.yaml',
          '02-strat.yaml',
        ],
      }),
    },
    {
      'workflow.yaml': [
        "warning repeated-item /activities/1: Activity '01-start.yaml' is listed twice. Remove one of the two",
        "error! unknown-activity /activities/2: Activity 'nope.yaml' is listed, and there is no such file. Add 'activities/nope.yaml', or correct the name",
        "error! unknown-activity /activities/3: Activity 'a/b' can't be borrowed: workflow 'a' was not found. Correct the name, or add what it names",
        "error! unknown-activity /activities/4: Activity 'other/activities/01-x.yaml' can't be borrowed: workflow 'other' was not found. Correct the name, or add what it names",
        "error! unknown-activity /activities/5: Activity '02-strat.yaml' is listed, and there is no such file. Add 'activities/02-strat.yaml', or correct the name",
      ],
    },
  ],
  [
    'transitions that lead nowhere',
    flow({
      'activities/01-start.yaml': activity('start', { transitions: [{ to: 'strat' }, { to: 'nowhere' }] }),
    }),
    {
      'activities/01-start.yaml': [
        "error! unknown-activity /transitions/0/to: A transition leads to activity 'strat', which the workflow does not have. Did you mean 'start'?",
        "error! unknown-activity /transitions/1/to: A transition leads to activity 'nowhere', which the workflow does not have. Add a file 'activities/NN-nowhere', or correct the name, or write 'end' where nothing follows",
      ],
    },
  ],
  [
    'variables nobody declared, or twice',
    {
      ...flow({
        'activities/01-start.yaml': activity('start', {
          steps: [{ id: 's', when: 'cout', actions: [{ action: 'set', target: 'cuont', value: 1 }] }],
          loops: [{ id: 'l', name: 'L', type: 'forEach', variable: 'tree', over: 'tres' }],
        }),
      }),
      'workflow.yaml': workflow({
        variables: [
          { name: 'count', type: 'number', defaultValue: 'x' },
          { name: 'count', type: 'number' },
        ],
        modes: [
          { id: 'm', name: 'M', activationVariable: 'hury', skipActivities: ['strt'], defaults: { nope: 1 } },
        ],
      }),
    },
    {
      'workflow.yaml': [
        "error duplicate-id /variables/1/name: Duplicate name 'count': /variables/0 has it too. Keep one of the two, or rename it",
        "error! unknown-activity /modes/0/skipActivities/0: Mode 'm' skips activity 'strt', which the workflow does not have. Did you mean 'start'?",
      ],
      'activities/01-start.yaml': [
        "warning unknown-variable /steps/0/when: Variable 'cout' is used and never declared. Did you mean 'count'?",
        "warning unknown-variable /loops/0/over: Variable 'tres' is used and never declared. Declare 'tres' under 'variables'",
      ],
    },
  ],
  [
    'ids that are there twice, and names of what is not there',
    flow({
      'activities/01-start.yaml': activity('start', {
        steps: [{ id: 's' }, { id: 's', checkpoint: 'aks' }],
        checkpoints: [
          checkpoint('ask', {
            defaultOption: 'yse',
            options: [
              { id: 'yes', label: 'Y' },
              { id: 'yes', label: 'Y' },
            ],
          }),
          checkpoint('ask'),
        ],
        skills: { primary: 'bakr', supporting: ['x/y'] },
      }),
    }),
    {
      'activities/01-start.yaml': [
        "error duplicate-id /steps/1/id: Duplicate step id 's': /steps/0 has it too. Give every step its own id",
        "error! unknown-checkpoint /steps/1/checkpoint: Step 's' stops at checkpoint 'aks', which activity 'start' does not have. Add it under 'checkpoints'",
        "error duplicate-id /checkpoints/0/options/1/id: Duplicate option id 'yes': /checkpoints/0/options/0 has it too. Give every option its own id",
        "error! unknown-option /checkpoints/0/defaultOption: Checkpoint 'ask' has the default option 'yse', which it does not offer. Name one of its options",
        "error duplicate-id /checkpoints/1/id: Duplicate checkpoint id 'ask': /checkpoints/0 has it too. Give every checkpoint its own id",
      ],
    },
  ],
])('%s', async (_, files, told) => {
  const { issuesByFile } = await readFolder(files, {
    variablesOf: (source) => (typeof source === 'string' ? [source] : []),
  });
  const found = [...issuesByFile].map(([file, issues]) => [file, issues.map(inFull)] as const);
  expect(Object.fromEntries(found.filter(([, lines]) => lines.length > 0))).toEqual(told);
});
