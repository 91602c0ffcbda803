import { expect, test } from 'vitest';
import { argumentsAfter } from '../../../../test/support/documents.ts';
import { readOptions } from '../../src/options.ts';

const documented = argumentsAfter(
  ['workflowlookup-http'],
  ['npx', '@workflowlookup/http'],
  ['workflowlookup', 'serve', 'http'],
  // What `npm start` runs is given what follows.
  ['npm', 'start', '--'],
);

/** What `export` lines around a command may have set. */
const env = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com:4318',
  WORKFLOWLOOKUP_WEBHOOK_SECRET: Buffer.alloc(32, 7).toString('base64'),
};

test('The documents contain commands that start the server', () =>
  expect(documented.length).toBeGreaterThan(4));

test.each(documented)('$file: $line', ({ args }) => {
  expect(readOptions(args, env)).not.toHaveProperty('reason');
});
