import { checkActivityConditions, namesInCondition } from '@workflowlookup/conditions';
import { createFolderReader } from '@workflowlookup/schema';
import type { Issue } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { messages } from '../src/messages.ts';

const read = createFolderReader({ checks: [checkActivityConditions], variablesOf: namesInCondition });

async function findingsOf(activity: object): Promise<readonly Issue[]> {
  const files = new Map([
    [
      'workflow.json',
      JSON.stringify({
        id: 'flow',
        version: '1.0.0',
        title: 'Flow',
        variables: [{ name: 'a', type: 'number' }],
      }),
    ],
    [
      'activities/01-start.json',
      JSON.stringify({ id: 'start', version: '1.0.0', name: 'Start', ...activity }),
    ],
  ]);
  const { issuesByFile } = await read(files, { id: 'flow' });
  return issuesByFile.get('activities/01-start.json') ?? [];
}

async function issuesOf(activity: object): Promise<readonly string[]> {
  return (await findingsOf(activity)).map(
    ({ severity, pointer, message }) => `${severity} ${pointer} ${message}`,
  );
}

test('Valid conditions have no issues', async () => {
  expect(await issuesOf({ steps: [{ id: 'one', when: 'a == 1' }] })).toEqual([]);
});

test('Conditions that cannot be used or are never true are reported', async () => {
  const issues = await issuesOf({
    steps: [{ id: 'one', when: 'a === 1' }],
    transitions: [
      {
        to: 'end',
        condition: {
          and: [
            { var: 'a', equals: 1 },
            { var: 'a', like: 2 },
          ],
        },
      },
    ],
    checkpoints: [
      {
        id: 'ask',
        name: 'Ask',
        message: 'Well?',
        condition: { var: 'a', in: [] },
        options: [{ id: 'yes', label: 'Yes' }],
      },
    ],
  });
  expect(issues).toEqual([
    expect.stringMatching(/^error \/steps\/0\/when /),
    expect.stringMatching(/^error \/transitions\/0\/condition\/and\/1/),
    `warning /checkpoints/0/condition ${messages.neverTrue.message}`,
  ]);
});

test('The findings have a code and a suggestion', async () => {
  expect(await findingsOf({ steps: [{ id: 'one', when: 'a ==' }] })).toMatchObject([
    { code: 'broken-condition' },
  ]);
  expect(await findingsOf({ steps: [{ id: 'one', when: 'a == 1 && a == 2' }] })).toMatchObject([
    { code: 'never-holds', ...messages.neverTrue },
  ]);
});

test('Undeclared variables in conditions are reported', async () => {
  expect(await issuesOf({ steps: [{ id: 'one', when: 'b == 1' }] })).toEqual([
    expect.stringContaining("'b'"),
  ]);
  expect([...namesInCondition('a == 1 && b.c == 2')]).toEqual(['a', 'b.c']);
  expect([...namesInCondition('a ===')]).toEqual([]);
});
