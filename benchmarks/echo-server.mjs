import { McpServer } from '@modelcontextprotocol/server';

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

/** The smallest server of the SDK: one tool that gives back what it got. */
export function createEchoServer() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { description: 'Gives back the text.', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return server;
}
