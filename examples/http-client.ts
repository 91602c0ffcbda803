// A client of an HTTP server that requires an API key. To create a key and start the server, run:
//
//   npx workflowlookup keys create --principal release-bot --scope read,write
//   npx workflowlookup serve http --auth keys --workflows ./workflow-ci/workflows
//
// Then run this program with the key in the environment variable WORKFLOWLOOKUP_KEY, and with the address that the server
// prints as the only argument.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const url = new URL(process.argv[2] ?? 'http://127.0.0.1:8420/mcp');
const key = process.env['WORKFLOWLOOKUP_KEY'] ?? '';

async function connect(headers: Readonly<Record<string, string>>): Promise<Client> {
  const client = new Client({ name: 'release-bot', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

/** Calls a session tool and returns its result, which is a text in JSON. */
async function call(
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const { isError, content } = await client.callTool({ name, arguments: input });
  const text = content[0]?.type === 'text' ? content[0].text : '';
  assert(isError !== true, text);
  return JSON.parse(text) as Record<string, unknown>;
}

await assert.rejects(connect({}), 'The server accepted a client without a key.');

const client = await connect({ Authorization: `Bearer ${key}` });
const started = await call('start_session', { agent_id: 'release-bot', workflow_id: 'release-note' });
const entered = await call('next_activity', { session_token: started['session_token'] });
const moved = await call('next_activity', {
  session_token: entered['session_token'],
  step_manifest: [{ step_id: 'collect', output: '- Imports are twice as fast' }],
  variables: { breaking: false },
});
const status = await call('get_workflow_status', { session_token: moved['session_token'] });
await client.close();

assert.equal(status['current_activity'], 'write');
assert.deepEqual(status['completed_activities'], ['collect']);
console.log(`Session ${String(started['session_id'])} is at 'write'.`);
