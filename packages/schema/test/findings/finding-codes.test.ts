import { readFileSync } from 'node:fs';
import { findingCodes } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { definition, loop, read, readYaml, step } from '../support/definitions.ts';
import { activity, checkpoint, flow, readFolder, workflow } from '../support/folders.ts';

const guide = readFileSync(new URL('../../../../docs/authoring.md', import.meta.url), 'utf8');

test('The guide lists every code, in the order of the table', () => {
  const table = guide.slice(guide.search(/^\| code +\| what it says/m)).split('\n\n', 1)[0] ?? '';
  const listed = Array.from(table.matchAll(/^\| `([a-z-]+)` +\|/gm), ([, code]) => code);
  expect(listed).toEqual(Object.keys(findingCodes));
});

const far = 'x'.repeat(2_100);
const json = [
  '{',
  definition({ description: undefined }),
  definition({ version: undefined }),
  '{"a": 1, "a": 2}',
  { $schema: 'https://json-schema.org/draft/2020-12/schema' },
  definition({
    colour: 1,
    tags: ['a', 'a'],
    name: 1,
    steps: [step('one', { hasValidation: true })],
  }),
  definition({
    steps: [step('one', { prompt: `${far}{{nmae}}\u200B` }), step('one'), loop('again', 'two')],
    variables: [],
  }),
  definition({
    steps: [
      step('one', { prompt: '{{shown}}' }),
      loop('each', [step('two')], { iterationVar: 'round', indexVar: 'round' }),
    ],
    variables: [
      { name: 'shown', type: 'string' },
      { name: 'spare', type: 'string' },
    ],
  }),
];
const inFolder = flow({
  'workflow.yaml': workflow({ variables: [] }),
  'activities/01-start.yaml': activity('start', {
    steps: [{ id: 'ask', checkpoint: 'why', fields: [{ id: 'answer' }], sets: { nmae: 'reply' } }],
    checkpoints: [
      checkpoint('go', { message: '{nmae}', defaultOption: 'perhaps' }),
      checkpoint('send', {
        defaultOption: 'send',
        autoAdvanceMs: 1,
        options: [{ id: 'send', label: 'Send', note: 'required' }],
      }),
    ],
    transitions: [{ to: 'nowhere' }],
  }),
  'activities/02-other.yaml': activity('another', { skills: { primary: 'none' } }),
  'skills/01-torn.toon': 'id: torn\nversion: 1.0.0\ncapability: |\n  x\n',
});

const withMode = flow({
  'workflow.yaml': workflow({
    variables: [
      { name: 'fast', type: 'boolean' },
      { name: 'slow', type: 'boolean', set_by: 'nobody' },
    ],
    modes: [{ id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['start'] }],
  }),
  'activities/01-start.yaml': activity('start', {
    checkpoints: [checkpoint('go', { approver: 'human', reversible: true })],
  }),
});

test('Findings of every kind have a code from the table', async () => {
  const texts = [...(await Promise.all(json.map((text) => read(text)))), await readYaml('<<: {}')];
  const folders = [
    await readFolder(inFolder, { others: {} }),
    await readFolder({ 'workflow.yaml': workflow() }),
    await readFolder(withMode),
  ];
  const found = new Set([
    ...texts.flatMap(({ issues }) => issues.map(({ code }) => code)),
    ...folders.flatMap(({ issuesByFile }) => [...issuesByFile.values()].flat().map(({ code }) => code)),
  ]);
  // Other code reports the remaining ones: problems with files, conditions, criteria, sessions and tests, and shortened lists.
  const others = Object.keys(findingCodes).filter((code) => !found.has(code as keyof typeof findingCodes));
  expect(others).toEqual([
    'unreadable-file',
    'leaves-source',
    'beyond-limits',
    'broken-condition',
    'never-holds',
    'always-holds',
    'broken-criteria',
    'impossible-criteria',
    'doubtful-criteria',
    'missing-transition',
    'stuck',
    'endless',
    'endless-loop',
    'impassable-checkpoint',
    'unknown-workflow',
    'low-coverage',
    'unlisted',
  ]);
});
