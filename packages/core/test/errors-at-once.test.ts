import { expect, test } from 'vitest';
import { readDefinition as read } from '../src/index.ts';

const text = `
id: review
name: Review
description: Reviews a change.
steps:
  - id: read-it
    title: Read it
  - id: read-it
    title: Read it again
    prompt: Read.
    runCondition: 'size == '
    askForFiles: perhaps
  - id: write-it
    title: 7
    prompt: Write.
    colour: red
`;

test('Errors of the shape, repeated ids and unusable conditions are reported together', async () => {
  const { workflow, issues } = await read({ text, format: 'yaml' });
  expect(workflow).toBeUndefined();
  expect(
    issues.map(({ code, pointer }) => `${code} ${pointer}`).toSorted((a, b) => (a < b ? -1 : 1)),
  ).toEqual([
    'broken-condition /steps/1/runCondition',
    'duplicate-id /steps/1/id',
    'missing-property /steps/0',
    'unknown-property /steps/2/colour',
    'wrong-value /steps/1/askForFiles',
    'wrong-value /steps/2/title',
  ]);
});

test('A text whose shape is too wrong for other checks has only the errors of its shape', async () => {
  const { issues } = await read({
    text: 'id: review\nname: Review\ndescription: x\nsteps: 7\n',
    format: 'yaml',
  });
  expect(issues.map(({ code }) => code)).toEqual(['wrong-value']);
});
