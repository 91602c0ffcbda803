import { expect, test } from 'vitest';
import { argumentsAfter } from '../../../../test/support/documents.ts';
import { readOptions } from '../../src/options.ts';

const documented = argumentsAfter(
  ['workflowlookup-http'],
  ['npx', '@workflowlookup/http'],
  ['workflowlookup', 'serve', 'http'],
  // `npm start` passes these arguments to the server.
  ['npm', 'start', '--'],
);

/** Variables that the documents set with `export`. */
const env = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com:4318',
  WORKFLOWLOOKUP_WEBHOOK_SECRET: Buffer.alloc(32, 7).toString('base64'),
};

test('The documents contain commands that start the server', () =>
  expect(documented.length).toBeGreaterThan(4));

test.each(documented)('The documented command is valid: $file: $line', ({ args }) => {
  expect(readOptions(args, env)).not.toHaveProperty('reason');
});
