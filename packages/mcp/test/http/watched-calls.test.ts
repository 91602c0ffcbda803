import { AsyncLocalStorage } from 'node:async_hooks';
import { WorkflowError } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import type { BegunCall, FinishedCall } from '../../src/http.ts';
import { askTool } from '../support/ask-tool.ts';
import { testTool } from '../support/test-tool.ts';
import { messageOf, openWeb, request } from './web.ts';

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Opens a server that reports its calls, and records the reports. */
function openWatched() {
  const around = new AsyncLocalStorage<string>();
  const seen: { begun: BegunCall[]; finished: FinishedCall[]; over: FinishedCall[] } = {
    begun: [],
    finished: [],
    over: [],
  };
  const web = openWeb([], {
    tools: [
      askTool,
      testTool('where', () => Promise.resolve({ text: around.getStore() ?? 'outside' })),
      testTool('refuses', () => Promise.reject(new WorkflowError('INVALID_STATE', 'not now'))),
      testTool('is_full', () => Promise.reject(new WorkflowError('STORE_UNAVAILABLE', 'the disk is full'))),
      testTool('breaks', () => Promise.reject(new Error('of a kind nobody knows'))),
    ],
    onCall: (call) => seen.over.push(call),
    async wrapCall(call, run) {
      seen.begun.push(call);
      seen.finished.push(await around.run(`around ${call.tool}`, run));
    },
  });
  const callModern = (name: string) =>
    web.post(request('tools/call', { name, arguments: {}, _meta: { ...modern, traceparent } }), {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    });
  return { web, seen, callModern };
}

test('A call runs inside its wrapper for every kind of request, with an unchanged answer', async () => {
  const { web, seen, callModern } = openWatched();
  const session = await web.open();
  const meta = { traceparent, progressToken: 7 };
  const called = await messageOf(
    await web.post(request('tools/call', { name: 'where', _meta: meta }), session),
  );
  const direct = await messageOf(await web.post(request('where'), session));
  const alone = await messageOf(await callModern('where'));
  const text = [{ type: 'text', text: 'around where' }];
  expect([called.result, direct.result]).toEqual([{ content: text }, { text: 'around where' }]);
  expect(alone.result).toMatchObject({ content: text });
  expect(seen.begun).toEqual([
    { tool: 'where', method: 'tools/call', meta },
    { tool: 'where', method: 'where' },
    { tool: 'where', method: 'tools/call', meta: expect.objectContaining({ traceparent }) },
  ]);
  expect(seen.finished).toEqual([{ tool: 'where' }, { tool: 'where' }, { tool: 'where' }]);
  expect(seen.over).toEqual(seen.finished);
});

test('A failure is reported with its code, and the caller sees no difference', async () => {
  const { web, seen } = openWatched();
  const session = await web.open();
  const refused = await messageOf(await web.post(request('refuses'), session));
  const broken = await messageOf(await web.post(request('breaks'), session));
  expect([refused.error?.message, broken.error?.message]).toEqual([expect.any(String), 'Internal error']);
  expect(refused.error?.data).toMatchObject({ details: 'not now' });
  expect(seen.finished).toEqual([
    { tool: 'refuses', code: 'INVALID_STATE' },
    { tool: 'breaks', code: 'INTERNAL' },
  ]);
  expect(seen.over).toEqual(seen.finished);
});

test('Failures of the server and of the database are reported, and refusals are not', async () => {
  const { web } = openWatched();
  const session = await web.open();
  for (const name of ['refuses', 'breaks', 'is_full']) await web.post(request(name), session);
  expect(web.logged).toEqual([
    expect.stringContaining('of a kind nobody knows'),
    expect.stringContaining('the disk is full'),
  ]);
});

test('A call that ends with an elicitation is reported as run, but not as finished', async () => {
  const { seen, callModern } = openWatched();
  expect((await messageOf(await callModern('ask_me'))).result).toMatchObject({
    resultType: 'input_required',
  });
  expect(seen.finished).toEqual([{ tool: 'ask_me' }]);
  expect(seen.over).toEqual([]);
});

test('A call of an unknown tool is not reported', async () => {
  const { web, seen } = openWatched();
  const { error } = await messageOf(
    await web.post(request('tools/call', { name: 'nonsense' }), await web.open()),
  );
  expect(error).toMatchObject({ code: -32602 });
  expect(seen).toEqual({ begun: [], finished: [], over: [] });
});
