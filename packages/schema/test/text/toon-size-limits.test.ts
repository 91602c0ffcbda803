import { maxDefinitionBytes, maxDefinitionValues } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { activity, readFolder, toonIssues, toonRefusals, workflow } from '../support/folders.ts';
import { fileMessages } from '../../src/messages/files.ts';

// These tests have their own file because the texts take a second to read.

const tooMany = fileMessages.tooManyValues('values').message;
const tooLarge = fileMessages.tooLarge('text').message;

test('A TOON text over 1 MiB is refused', async () => {
  expect(await toonRefusals(`description: ${'a'.repeat(maxDefinitionBytes)}`)).toEqual([tooLarge]);
});

test('A TOON text with too many values is refused', async () => {
  // The document is a value too, and so are its first three lines and the list.
  const ones = (count: number): string => `x-a[${count}]: ${'1,'.repeat(count - 1)}1`;
  expect(await toonIssues(ones(maxDefinitionValues - 5))).toEqual([]);
  expect(await toonRefusals(ones(maxDefinitionValues - 4))).toEqual([tooMany]);
  expect(await toonRefusals('x-a:\n'.repeat(maxDefinitionValues + 1))).toEqual([tooMany]);
});

test('Half a million blank lines are accepted', async () => {
  const items = Array.from({ length: 20_000 }, () => '  - [1]:\n    - a').join('\n');
  expect(await toonIssues(`${'\n'.repeat(500_000)}x-a[20000]:\n${items}`)).toEqual([]);
});

test('At most a hundred names are compared with all others for suggestions', async () => {
  const names = Array.from({ length: 15_000 }, (_, at) => at);
  const variables = names.map((at) => ({ name: `varia${at}`, type: 'string' }));
  const steps = names.map((at) => ({ id: `s${at}`, when: `vbria${at}` }));
  const files = {
    'workflow.json': JSON.stringify(workflow({ variables })),
    'activities/01-start.json': JSON.stringify(activity('start', { steps })),
  };
  const reading = await readFolder(files, {
    variablesOf: (source) => [typeof source === 'string' ? source : ''],
  });
  const issues = reading.issuesByFile.get('activities/01-start.json') ?? [];
  expect(issues).toHaveLength(101);
  expect(issues.filter(({ suggestion }) => suggestion?.startsWith('Did you mean'))).toHaveLength(100);
});
