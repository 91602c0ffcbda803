import { expect, test } from 'vitest';
import { readOptions } from '../../src/run.ts';
import { argumentsAfter } from '../../../../test/support/documents.ts';

const documented = argumentsAfter(
  ['workflowlookup-stdio'],
  ['npx', '@workflowlookup/stdio'],
  ['workflowlookup', 'serve', 'stdio'],
  ['workflowlookup', 'connect', 'claude-code', '--'],
);

test('The documents contain commands that start the server', () =>
  expect(documented.length).toBeGreaterThan(2));

test.each(documented)('The documented command is valid: $file: $line', ({ args }) => {
  expect(readOptions(args, {})).not.toHaveProperty('reason');
});
