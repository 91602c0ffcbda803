import { McpServer } from '@modelcontextprotocol/server';

const schema = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
};

/** Handwritten, because a schema library would make the baseline slower than necessary. */
const inputSchema = {
  '~standard': {
    version: 1,
    vendor: 'benchmarks',
    validate: (value) =>
      typeof value?.text === 'string' ? { value } : { issues: [{ message: 'text must be a string' }] },
    jsonSchema: { input: () => schema, output: () => schema },
  },
};

/** The smallest server of the SDK. Its only tool returns its input. */
export function createEchoServer() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { description: 'Gives back the text.', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return server;
}
