import { expect, test } from 'vitest';
import { blocks } from '../support/documents.ts';
import { callPaths, describePaths } from '../../scripts/call-path.mjs';

test('docs/architecture.md lists the files that run during a call', { timeout: 60_000 }, async () => {
  const [block] = blocks().filter(
    ({ file, info }) => file === 'docs/architecture.md' && info === 'text files',
  );
  // To update the list, run `node scripts/call-path.mjs --update`.
  expect(block?.text.trim()).toBe(describePaths(await callPaths()));
});
