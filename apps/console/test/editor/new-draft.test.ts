import { createReader } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { newDraft } from '../../src/editor/draft.ts';

test.each([
  ['my-workflow.yaml', 'yaml'],
  ['my-workflow.yml', 'yaml'],
  ['my-workflow.json', 'json'],
  ['123.yaml', 'yaml'],
  ['true.yaml', 'yaml'],
] as const)('The draft of %s is a workflow without problems', async (file, format) => {
  const { text, notation } = newDraft('team', file);
  expect(notation).toBe(format);
  expect(await createReader()({ text, format })).toMatchObject({
    id: file.replace(/\.\w+$/, ''),
    issues: [],
  });
});
