import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { lookupTools } from '../../src/tools/table.ts';
import { askTool } from '../support/ask-tool.ts';
import { reviewFlow } from '../support/flow.ts';
import { openWeb, url } from './web.ts';

const address = new URL(url);
const accepted = { action: 'accept' as const, content: { choice: 'merge' } };
const lookups = [
  ['workflow_list', {}],
  ['workflow_get', { id: 'review-flow' }],
  ['workflow_next', { workflowId: 'review-flow', completedSteps: [] }],
] as const;

function serve() {
  const web = openWeb([reviewFlow], { tools: [...lookupTools, askTool] });
  const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    web.handler.fetch(new Request(input, init), { caller: { principal: 'ann' } });
  return { web, fetch };
}

test('The client of SDK version 1 lists and calls tools, answers an elicitation, and ends its session', async () => {
  const { web, fetch } = serve();
  const client = new OlderClient({ name: 'older', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => accepted);
  const transport = new OlderTransport(address, { fetch });
  await client.connect(transport);
  expect((await client.listTools()).tools).toHaveLength(6);
  for (const [name, args] of lookups)
    expect(await client.callTool({ name, arguments: args })).toMatchObject({ structuredContent: {} });
  expect(await client.callTool({ name: 'ask_me', arguments: {} })).toMatchObject({
    content: [{ text: 'chosen: merge' }],
  });
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain('workflow://review-flow');
  await transport.terminateSession();
  await client.close();
  expect(web.handler.counts()).toEqual({ sessions: 0, streams: 0 });
  expect(web.logged).toEqual([]);
});

test.each(['legacy', 'auto'] as const)(
  'The client of SDK version 2, opened as %s, lists and calls tools, and answers an elicitation',
  async (mode) => {
    const { web, fetch } = serve();
    const client = new ModernClient(
      { name: 'newer', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
    );
    client.setRequestHandler('elicitation/create', () => accepted);
    await client.connect(new ModernTransport(address, { fetch }));
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28');
    expect((await client.listTools()).tools).toHaveLength(6);
    for (const [name, args] of lookups)
      expect(await client.callTool({ name, arguments: args })).toMatchObject({ structuredContent: {} });
    expect(await client.callTool({ name: 'ask_me', arguments: {} })).toMatchObject({
      content: [{ text: 'chosen: merge' }],
    });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain(
      'workflow://review-flow',
    );
    await client.close();
    await web.handler.close();
    expect(web.logged).toEqual([]);
  },
);
