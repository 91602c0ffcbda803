import { createFolderReader } from '@workflowlookup/schema';
import { checkActivityCriteria } from '@workflowlookup/validation';
import { expect, test } from 'vitest';

const read = createFolderReader({ checks: [checkActivityCriteria] });

test('Criteria that cannot be used are reported, even in loops, and the activity is served', async () => {
  const bad = [{ type: 'regex', pattern: '(?=a)', message: 'm' }];
  const activity = {
    id: 'start',
    version: '1.0.0',
    name: 'Start',
    steps: [
      { id: 'one', validationCriteria: bad },
      { id: 'two', validationCriteria: [{ type: 'length', min: 1, message: 'm' }] },
    ],
    loops: [{ id: 'again', name: 'Again', type: 'while', steps: [{ id: 'three', validationCriteria: bad }] }],
  };
  const files = new Map([
    ['workflow.json', JSON.stringify({ id: 'flow', version: '1.0.0', title: 'Flow' })],
    ['activities/01-start.json', JSON.stringify(activity)],
  ]);
  const { workflow, issuesByFile } = await read(files, { id: 'flow' });
  const issues = issuesByFile.get('activities/01-start.json') ?? [];
  expect(issues.map(({ severity, pointer }) => `${severity} ${pointer}`)).toEqual([
    expect.stringMatching(/^error \/steps\/0\/validationCriteria\/0/),
    expect.stringMatching(/^error \/loops\/0\/steps\/0\/validationCriteria\/0/),
  ]);
  expect(workflow?.activities.map(({ id }) => id)).toEqual(['start']);
});
