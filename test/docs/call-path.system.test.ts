import { expect, test } from 'vitest';
import { blocks } from '../support/documents.ts';
import { callPaths, describePaths } from '../../scripts/call-path.mjs';

/** The maximum numbers of files. docs/decisions/0017-files-of-a-call.md says why they are not lower. */
const most = { workflow_next: 13, next_activity: 40 };

test('docs/architecture.md lists the files that run during a call', { timeout: 60_000 }, async () => {
  const paths = await callPaths();
  const [block] = blocks(['docs/architecture.md']).filter(({ info }) => info === 'text files');
  // To update the list, run `node scripts/call-path.mjs --update`.
  expect(block?.text.trim()).toBe(describePaths(paths));
  expect(paths.workflow_next.length).toBeLessThanOrEqual(most.workflow_next);
  expect(paths.next_activity.length).toBeLessThanOrEqual(most.next_activity);
});
