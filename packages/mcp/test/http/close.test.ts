import { describe, expect, test } from 'vitest';
import { testTool } from '../support/test-tool.ts';
import type { Web } from './web.ts';
import { messageOf, openWeb, request } from './web.ts';

/** Opens a server with a tool that waits until `letGo` is called. `begun` resolves when the tool has started. */
function openSlow(): { web: Web; begun: Promise<void>; letGo: () => void } {
  let [letGo, begin] = [(): void => undefined, (): void => undefined];
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const tool = testTool('take_time', async () => {
    begin();
    await gate;
    return { text: 'done' };
  });
  return { web: openWeb([], { tools: [tool] }), begun, letGo: () => letGo() };
}

const version = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'take_time' };
const call = { name: 'take_time', arguments: {} };

test('A call in a session that would wait for a person, and came just before the server closed, is ended', async () => {
  const tool = testTool(
    'wait_here',
    ({ signal }) =>
      new Promise((resolve) => {
        const end = (): void => resolve({ text: 'ended' });
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      }),
    { waits: () => true },
  );
  const web = openWeb([], { tools: [tool] });
  const headers = await web.open();
  const response = web.post(request('tools/call', { name: 'wait_here', arguments: {} }), {
    ...headers,
    accept: 'application/json',
  });
  await web.handler.close();
  expect(JSON.stringify(await messageOf(await response))).toMatch(/ended|abort/);
});

describe.each([
  { era: 'a session', open: (web: Web) => web.open(), params: call },
  { era: version, open: () => Promise.resolve(modern), params: { ...call, _meta: meta } },
])('a call of $era when the server closes', ({ open, params }) => {
  const message = request('tools/call', params);
  const done = { content: [{ text: 'done' }] };

  test('is completed and answered if it is in progress, and later calls are refused', async () => {
    const { web, begun, letGo } = openSlow();
    const headers = await open(web);
    const response = web.post(message, headers);
    await begun;
    const closed = web.handler.close();
    expect((await web.post(message, headers)).status).toBe(503);
    letGo();
    expect((await response).status).toBe(200);
    expect((await messageOf(await response)).result).toMatchObject(done);
    await closed;
  });

  test('is also answered if its body is still being sent', async () => {
    const { web, letGo } = openSlow();
    letGo();
    const headers = await open(web);
    await web.post(message, headers);
    let send: (text: string) => void = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        send = (text) => {
          controller.enqueue(Buffer.from(text));
          controller.close();
        };
      },
    });
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const init = { method: 'POST', headers: { ...types, ...headers }, body, duplex: 'half' };
    const response = web.fetch(init as RequestInit);
    const closed = web.handler.close();
    send(JSON.stringify(message));
    expect((await messageOf(await response)).result).toMatchObject(done);
    await closed;
  });
});
