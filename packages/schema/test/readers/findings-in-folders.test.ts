import { expect, test } from 'vitest';
import type { Files } from '../support/folders.ts';
import { activity, checkpoint, flow, readFolder, skill, workflow } from '../support/folders.ts';
import { summarizeIssue } from '../support/summarize-issue.ts';

// The exact issues and suggestions for a folder, because authors act on them.

test.each<[what: string, files: Files, expected: Readonly<Record<string, readonly string[]>>]>([
  [
    'no workflow file',
    { 'activities/01-start.yaml': activity('start') },
    {
      'workflow.yaml': ['error missing-property'],
    },
  ],
  [
    'two workflow files',
    flow({ 'workflow.json': workflow() }),
    {
      'workflow.json': ['error! file-name'],
    },
  ],
  [
    'a workflow of another id than its folder',
    { ...flow(), 'workflow.yaml': workflow({ id: 'other' }) },
    {
      'workflow.yaml': ['warning file-name /id'],
    },
  ],
  [
    'an activity of another id than its file',
    flow({ 'activities/02-else.yaml': activity('other') }),
    {
      'activities/02-else.yaml': ['warning file-name /id', 'warning unreachable /id'],
    },
  ],
  [
    'an activity file without a number',
    flow({ 'activities/else.yaml': activity('else') }),
    {
      'activities/else.yaml': ['error file-name'],
    },
  ],
  [
    'two activities of one id',
    flow({ 'activities/02-start.yaml': activity('start') }),
    {
      'activities/02-start.yaml': ['error duplicate-id /id'],
    },
  ],
  [
    'an activity file that cannot be parsed',
    flow({ 'activities/02-x.json': '{' }),
    {
      'activities/02-x.json': ['error syntax-error'],
    },
  ],
  [
    'a skill of another id than its file',
    flow({ 'skills/02-x.yaml': skill('other') }),
    {
      'skills/02-x.yaml': ['warning file-name /id'],
    },
  ],
  [
    'resources whose content does not fit their extension',
    flow({
      'resources/02-x.md': '---\nid: other\n---\nText',
      'resources/x.md': 'Text',
      'resources/03-y.md': '---\n[\n---\n',
    }),
    {
      'resources/03-y.md': ['error! syntax-error'],
      'resources/x.md': ['error file-name'],
    },
  ],
  [
    'a first activity that does not exist',
    { ...flow(), 'workflow.yaml': workflow({ initialActivity: 'nope' }) },
    {
      'workflow.yaml': ['error unknown-activity /initialActivity'],
    },
  ],
  [
    'a list of activities with missing files',
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
        'warning repeated-item /activities/1',
        'error! unknown-activity /activities/2',
        'error! unknown-activity /activities/3',
        'error! unknown-activity /activities/4',
        'error! unknown-activity /activities/5',
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
        'error! unknown-activity /transitions/0/to',
        'error! unknown-activity /transitions/1/to',
      ],
    },
  ],
  [
    'undeclared variables, and variables declared twice',
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
        'error duplicate-id /variables/1/name',
        'error! unknown-activity /modes/0/skipActivities/0',
      ],
      'activities/01-start.yaml': [
        'warning unknown-variable /steps/0/when',
        'warning unknown-variable /loops/0/over',
      ],
    },
  ],
  [
    'duplicate ids, and references to missing parts',
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
        'error duplicate-id /steps/1/id',
        'error! unknown-checkpoint /steps/1/checkpoint',
        'error duplicate-id /checkpoints/0/options/1/id',
        'error! unknown-option /checkpoints/0/defaultOption',
        'error duplicate-id /checkpoints/1/id',
      ],
    },
  ],
  [
    'options that a timer should not choose',
    flow({
      'activities/01-start.yaml': activity('start', {
        checkpoints: [
          checkpoint('plan', {
            defaultOption: 'change',
            autoAdvanceMs: 1000,
            options: [{ id: 'change', label: 'Change', note: 'required' }],
          }),
          checkpoint('send', {
            defaultOption: 'send',
            autoAdvanceMs: 1000,
            options: [{ id: 'send', label: 'Send', irreversible: true }],
          }),
          checkpoint('keep', {
            defaultOption: 'send',
            options: [{ id: 'send', label: 'Send', irreversible: true }],
          }),
        ],
      }),
    }),
    {
      'activities/01-start.yaml': [
        'warning unfit-default /checkpoints/0/defaultOption',
        'warning unfit-default /checkpoints/1/defaultOption',
      ],
    },
  ],
])('The issues of a folder are as expected: %s', async (_, files, expected) => {
  const { issuesByFile } = await readFolder(files, {
    variablesOf: (source) => (typeof source === 'string' ? [source] : []),
  });
  const found = [...issuesByFile].map(([file, issues]) => [file, issues.map(summarizeIssue)] as const);
  expect(Object.fromEntries(found.filter(([, lines]) => lines.length > 0))).toEqual(expected);
});
