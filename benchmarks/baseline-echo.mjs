// The floor every server over the same SDK stands on: one tool that gives back what it got. Bundled before it is run.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const schema = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
};

/** Written out by hand: cheaper than any schema library, so that the baseline is not slower than it needs to be. */
const inputSchema = {
  '~standard': {
    version: 1,
    vendor: 'benchmarks',
    validate: (value) =>
      typeof value?.text === 'string' ? { value } : { issues: [{ message: 'text must be a string' }] },
    jsonSchema: { input: () => schema, output: () => schema },
  },
};

serveStdio(() => {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { description: 'Gives back the text.', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return server;
});
