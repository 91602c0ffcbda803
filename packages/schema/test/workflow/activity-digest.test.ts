import { encodeToon } from '@workflowlookup/schema';
import type { Json } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { activity, readFolder, skill, workflow } from '../support/folders.ts';

const parts = {
  workflow: workflow({ variables: [{ name: 'ready', type: 'boolean', defaultValue: false }] }),
  'activities/01-start': activity('start', { steps: [{ id: 'a' }, { id: 'b', name: 'B' }] }),
  'skills/01-plan': skill('plan', { rules: { 'be-calm': 'Be calm: always' } }),
  'resources/01-data': { id: 'data', list: ['a', 'b'] },
};

const digest = async (files: Readonly<Record<string, unknown>>) => (await readFolder(files)).workflow?.digest;

const inYaml = (values: object = parts) =>
  Object.fromEntries(Object.entries(values).map(([path, value]) => [`${path}.yaml`, value as object]));

test('The digest is the same for equal definitions in JSON, YAML and TOON', async () => {
  const toon = await Promise.all(
    Object.entries(parts).map(
      async ([path, value]) => [`${path}.toon`, await encodeToon(value as Json)] as const,
    ),
  );
  const json = Object.entries(parts).map(([path, value]) => [`${path}.json`, value] as const);
  const digests = [
    await digest(inYaml()),
    await digest(Object.fromEntries(toon)),
    await digest(Object.fromEntries(json)),
  ];
  expect(digests[0]).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(new Set(digests).size).toBe(1);
});

test('The digest ignores which schema a file names, and how the workflow lists its files', async () => {
  const named = { ...parts, workflow: { ...parts.workflow, $schema: 'x', activities: ['01-start.toon'] } };
  expect(await digest(inYaml(named))).toBe(await digest(inYaml()));
});

test.each([
  ['workflow', { workflow: workflow({ title: 'Another' }) }],
  ['an activity', { 'activities/01-start': activity('start') }],
  ['a skill', { 'skills/01-plan': skill('plan') }],
  ['a resource', { 'resources/01-data': { id: 'data', list: [] } }],
  [
    'a number',
    { 'activities/02-start': parts['activities/01-start'], 'activities/01-start': activity('other') },
  ],
  ['a broken part', { 'skills/01-plan': 'id: [' }],
])('The digest changes with %s', async (_, change) => {
  expect(await digest(inYaml({ ...parts, ...change }))).not.toBe(await digest(inYaml()));
});

test('The digest changes with the text of a resource', async () => {
  const [one, two] = await Promise.all(
    ['Map', 'Maps'].map((text) => digest({ ...inYaml(), 'resources/02-map.md': text })),
  );
  expect(one).not.toBe(two);
});
