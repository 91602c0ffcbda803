import { describe, expect, test } from 'vitest';
import { createClientRequests } from '../../src/json-rpc/peers.ts';
import type { RpcMessage } from '../../src/json-rpc/rpc-messages.ts';
import { askTool } from '../support/ask-tool.ts';
import type { Message } from '../support/streams.ts';
import { serve } from '../support/streams.ts';
import { testTool } from '../support/test-tool.ts';

const quick = testTool('be_quick', () => Promise.resolve({ text: 'done' }));

/** Opens a session whose client declares these capabilities, and calls `ask_me` in it. */
async function ask(
  version = '2025-06-18',
  capabilities: object = { elicitation: {} },
  method = 'tools/call',
) {
  const session = serve([], { tools: [askTool, quick] });
  await session.request('initialize', { protocolVersion: version, capabilities });
  session.send({ jsonrpc: '2.0', id: 'asks', method, params: { name: 'ask_me', arguments: {} } });
  const asked = await session.reply(2);
  const respond = (response: object) => session.send({ jsonrpc: '2.0', id: asked.id, ...response });
  return { session, asked, respond };
}

const textOf = ({ result }: Message) =>
  (result?.['content'] as { text: string }[] | undefined)?.[0]?.text ?? result?.['text'];

describe('an elicitation with a legacy client', () => {
  test('is a request with a form in the format of 2025-06-18', async () => {
    const { asked } = await ask('2025-06-18');
    expect(asked).toEqual({
      jsonrpc: '2.0',
      id: expect.any(String),
      method: 'elicitation/create',
      params: {
        message: 'Merge it?',
        requestedSchema: {
          type: 'object',
          properties: {
            choice: {
              type: 'string',
              title: 'Choice',
              enum: ['merge', 'wait'],
              enumNames: ['Merge: into main', 'Wait'],
            },
          },
          required: ['choice'],
        },
      },
    });
  });

  test('has options with titles in 2025-11-25', async () => {
    const { asked } = await ask('2025-11-25', { elicitation: { form: {} } });
    expect(asked).toMatchObject({
      params: {
        mode: 'form',
        requestedSchema: {
          properties: {
            choice: {
              oneOf: [
                { const: 'merge', title: 'Merge: into main' },
                { const: 'wait', title: 'Wait' },
              ],
            },
          },
        },
      },
    });
  });

  test.each([
    { what: 'an accepted option', result: { action: 'accept', content: { choice: 'wait' } }, chosen: 'wait' },
    { what: 'an option not listed', result: { action: 'accept', content: { choice: 'all' } } },
    { what: 'no content', result: { action: 'accept' } },
    { what: 'a refusal', result: { action: 'decline', content: { choice: 'wait' } } },
    { what: 'a dismissal', result: { action: 'cancel' } },
    { what: 'nonsense', result: 7 },
  ])('that is answered with $what gives the tool $chosen', async ({ result, chosen = 'nothing' }) => {
    const { session, respond } = await ask();
    respond({ result });
    expect(textOf(await session.reply(3))).toBe(`chosen: ${chosen}`);
  });

  test('that is answered with an error gives the tool no choice', async () => {
    const { session, respond } = await ask();
    respond({ error: { code: -1, message: 'User away' } });
    expect(textOf(await session.reply(3))).toBe('chosen: nothing');
  });

  test('works for a tool that is called as a method, and in a session of the SDK', async () => {
    const direct = await ask('2025-06-18', { elicitation: {} }, 'ask_me');
    direct.respond({ result: { action: 'accept', content: { choice: 'merge' } } });
    expect(textOf(await direct.session.reply(3))).toBe('chosen: merge');

    const session = serve([], { tools: [askTool] });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    };
    await session.request('server/discover', { _meta: meta });
    await session.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
    });
    session.send({ jsonrpc: '2.0', id: 'asks', method: 'tools/call', params: { name: 'ask_me' } });
    const asked = await session.reply(3);
    expect(asked.method).toBe('elicitation/create');
    session.send({ jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: { choice: 'wait' } } });
    expect(textOf(await session.reply(4))).toBe('chosen: wait');
    expect(session.logged).toEqual([]);
  });

  test('does not block later calls', async () => {
    const { session, respond } = await ask();
    expect((await session.request('be_quick')).result).toEqual({ text: 'done' });
    respond({ result: { action: 'accept', content: { choice: 'merge' } } });
    expect(textOf(await session.reply(4))).toBe('chosen: merge');
  });

  test('is withdrawn when its call is cancelled, and a late answer is ignored', async () => {
    const { session, asked, respond } = await ask();
    session.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'asks' } });
    expect(await session.reply(3)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: asked.id },
    });
    respond({ result: { action: 'accept', content: { choice: 'merge' } } });
    await session.end();
    expect(session.messages).toHaveLength(3);
    expect(session.logged).toEqual([]);
  });

  test('is withdrawn at the end of the input, and its call is answered', async () => {
    const { session } = await ask();
    await session.end();
    expect(textOf(session.messages.at(-1) ?? {})).toBe('chosen: nothing');
  });

  test.each([
    { version: '2025-06-18', capabilities: {} },
    { version: '2025-11-25', capabilities: { elicitation: { url: {} } } },
    { version: '2025-03-26', capabilities: { elicitation: {} } },
  ])('is not sent in $version to a client that declared $capabilities', async ({ version, capabilities }) => {
    const { session } = await ask(version, capabilities);
    expect(textOf(await session.reply(2))).toBe('nobody to ask');
  });
});

describe('requests from the server to the client', () => {
  test('have their own ids, and do not consume other responses', async () => {
    const written: RpcMessage[] = [];
    const requests = createClientRequests((message) => written.push(message));
    const { signal } = new AbortController();
    const sent = [requests.send('a', {}, { signal }), requests.send('b', {}, { signal })];
    expect(requests.receive({ jsonrpc: '2.0', id: 1, result: {} })).toBe(false);
    const taken = written.map((message) =>
      'method' in message && 'id' in message
        ? requests.receive({ jsonrpc: '2.0', id: message.id, result: message.method })
        : undefined,
    );
    expect(taken).toEqual([true, true]);
    expect(await Promise.all(sent)).toEqual(['a', 'b']);
  });

  test('are not sent if nobody waits for them, and time out', async () => {
    const written: RpcMessage[] = [];
    const requests = createClientRequests((message) => written.push(message), 1);
    expect(await requests.send('late', {}, { signal: AbortSignal.abort() })).toBeUndefined();
    expect(written).toEqual([]);
    expect(await requests.send('a', {}, { signal: new AbortController().signal })).toBeUndefined();
    expect(written).toMatchObject([{ method: 'a' }, { method: 'notifications/cancelled' }]);
  });
});
