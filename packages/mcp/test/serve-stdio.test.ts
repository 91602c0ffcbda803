import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reviewFlow } from './support/flow.ts';
import type { IdentifiedCall } from '../src/index.ts';
import { messages } from '../src/messages.ts';
import { serve } from './support/streams.ts';
import { testTool } from './support/test-tool.ts';

describe('replies over stdio', () => {
  test('are sent once for each message, even for broken lines, and the connection stays open', async () => {
    const line = fc.oneof(
      fc.string().map((text) => text.replaceAll(/[\r\n]/g, ' ')),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc
        .record({
          jsonrpc: fc.constant('2.0'),
          id: fc.nat(5),
          method: fc.constantFrom('ping', 'workflow_list', 'nope'),
        })
        .map((m) => JSON.stringify(m)),
      fc.constant('{"jsonrpc":"2.0","method":"notifications/whatever"}'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
        const session = serve([reviewFlow]);
        await session.open();
        const before = session.messages.length;
        session.raw(lines.map((text) => `${text}\n`).join(''));
        await session.end();
        expect(session.messages.length - before).toBe(lines.filter(isOwedReply).length);
      }),
    );
  });

  // The server of the SDK drops these without a reply, and a client would wait forever.
  test.each([
    '"id":1.5,"method":"resources/list"',
    '"id":1e999,"method":"resources/list"',
    '"id":9007199254740993,"method":"resources/list"',
    '"id":1,"method":"resources/list","more":1',
    '"id":1,"method":"resources/list","result":{}',
    '"id":1,"method":"resources/list","params":{"_meta":5}',
    '"id":1,"method":"resources/list","params":{"_meta":{"progressToken":[]}}',
    '"id":1.5,"method":"resources/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}',
    '"id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":5,"progressToken":[]}}',
  ])('are errors for requests that violate the protocol: %s', async (fields) => {
    const session = serve([reviewFlow]);
    await session.open();
    session.raw(`{"jsonrpc":"2.0",${fields}}\n`);
    expect(await session.reply(2)).toMatchObject({ error: { code: -32600 } });
    expect(await session.request('resources/list')).toMatchObject({ result: {} });
  });

  /** Blank lines and notifications get no reply. Everything else here is a request or invalid. */
  function isOwedReply(text: string): boolean {
    if (text.trim() === '' || text === '\uFEFF') return false;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
      return !('method' in value) || 'id' in value;
    } catch (error) {
      return error instanceof SyntaxError;
    }
  }

  test('are errors for lines over ten megabytes, and the next message works', async () => {
    const session = serve([reviewFlow]);
    await session.open();
    session.raw(
      `{"jsonrpc":"2.0","id":1,"method":"workflow_list","params":{"query":"${'x'.repeat(11_000_000)}"}}\n`,
    );
    expect(await session.reply(2)).toMatchObject({
      id: null,
      error: { code: -32600, message: 'Message too large' },
    });
    expect(await session.request('ping')).toMatchObject({ result: {} });
  });
});

describe('a legacy session', () => {
  test('opens with the name and the capabilities of the server', async () => {
    const session = serve([]);
    expect(await session.open('2024-11-05')).toMatchObject({
      result: {
        protocolVersion: '2024-11-05',
        serverInfo: { name: 'workflowlookup', version: '1.2.3', description: expect.any(String) },
        capabilities: {
          tools: { listChanged: false, notifyProgress: false },
          resources: { listChanged: true, subscribe: true },
        },
        instructions: expect.stringContaining('workflow_next'),
      },
    });
  });

  test('gets at most 1 KB of instructions', async () => {
    const { result } = await serve([]).open();
    expect(Buffer.byteLength(String(result?.['instructions']))).toBeLessThanOrEqual(1024);
  });

  test('answers requests in their order, and pings immediately', async () => {
    const session = serve([reviewFlow]);
    await session.open();
    session.send(
      { jsonrpc: '2.0', id: 'a', method: 'tools/list' },
      { jsonrpc: '2.0', id: 'b', method: 'workflow_list' },
      { jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'workflow_list', arguments: {} } },
      { jsonrpc: '2.0', id: 'd', method: 'nope' },
      { jsonrpc: '2.0', id: 'e', method: 'workflow_get', params: { id: 'review-flow' } },
      { jsonrpc: '2.0', id: 'p', method: 'ping' },
    );
    await session.end();
    expect(session.messages.slice(1).map(({ id }) => id)).toEqual(['p', 'a', 'b', 'c', 'd', 'e']);
  });

  test('names an unknown method in the error', async () => {
    const session = serve([]);
    await session.open();
    expect(await session.request('no_such_thing')).toMatchObject({
      error: { code: -32601, message: 'Method not found', data: { method: 'no_such_thing' } },
    });
  });

  test('accepts a batch only with version 2025-03-26, and answers it in one line', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/whatever' },
      { jsonrpc: '2.0', id: 2, method: 'workflow_list' },
    ];
    const old = serve([reviewFlow]);
    await old.open('2025-03-26');
    old.raw(`${JSON.stringify(batch)}\n`);
    expect(await old.reply(2)).toMatchObject([
      { id: 1 },
      { id: 2, result: { workflows: [{ id: 'review-flow' }] } },
    ]);
    old.raw(`${JSON.stringify(Array.from({ length: 101 }, () => batch[0]))}\n`);
    expect(await old.reply(3)).toMatchObject({
      id: null,
      error: { code: -32600, data: { details: messages.batchTooLarge(101, 100) } },
    });
    const newer = serve([reviewFlow]);
    await newer.open('2025-06-18');
    newer.raw(`${JSON.stringify(batch)}\n`);
    expect(await newer.reply(2)).toMatchObject({ id: null, error: { code: -32600 } });
  });

  test('sends no reply to a cancelled request, and does not delay others', async () => {
    const session = serve([reviewFlow]);
    await session.open();
    session.send(
      { jsonrpc: '2.0', id: 'gone', method: 'tools/call', params: { name: 'workflow_list', arguments: {} } },
      { jsonrpc: '2.0', id: 'queued', method: 'workflow_list' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'gone' } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'queued' } },
      { jsonrpc: '2.0', id: 'next', method: 'workflow_list' },
    );
    await session.end();
    expect(session.messages.slice(1).map(({ id }) => id)).toEqual(['next']);
  });

  test('refuses an id that is in use', async () => {
    const session = serve([reviewFlow]);
    await session.open();
    session.send(
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 1, method: 'workflow_list' },
    );
    expect(await session.reply(2)).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(await session.reply(3)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  });

  test('answers null to shutdown after earlier requests, and then the service ends', async () => {
    const session = serve([reviewFlow]);
    await session.open();
    session.send(
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 2, method: 'shutdown' },
    );
    await session.service.ended;
    expect(session.messages.slice(1)).toMatchObject([{ id: 1 }, { id: 2, result: null }]);
  });

  test('fails a request if the engine cannot be loaded, without internal details, and tries again later', async () => {
    let tries = 0;
    const session = serve([], {
      services: () => {
        tries += 1;
        return Promise.reject(new Error('secret path /etc/keys'));
      },
    });
    await session.open();
    for (let round = 0; round < 2; round += 1) {
      const reply = await session.request('workflow_list');
      expect(reply).toMatchObject({ error: { code: -32603, message: 'Internal error' } });
      expect(JSON.stringify(reply)).not.toContain('secret');
    }
    expect(tries).toBeGreaterThan(1);
    expect(session.logged.join()).toContain('secret path');
  });
});

test('The server is described in the same way as by the SDK', async () => {
  const opening = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const alone = serve([reviewFlow]);
  const ours = await alone.request('initialize', opening);
  // If a client probes first, the SDK is loaded and answers `initialize` itself.
  const probed = serve([reviewFlow]);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  };
  const discovered = await probed.request('server/discover', { _meta: meta });
  expect(discovered).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
  const theirs = await probed.request('initialize', opening);
  expect(theirs.result).toMatchObject({ serverInfo: { name: 'workflowlookup' } });
  expect(theirs.result).toEqual({ ...ours.result, capabilities: theirs.result?.['capabilities'] });
  expect(theirs.result?.['capabilities']).toMatchObject(ours.result?.['capabilities'] as object);
  expect(await probed.request('workflow_list')).toMatchObject({
    result: { workflows: [{ id: 'review-flow' }] },
  });
});

test('A closed output ends the service', async () => {
  const session = serve([reviewFlow]);
  await session.open();
  session.output.destroy(new Error('EPIPE'));
  await session.service.ended;
  expect(session.output.destroyed).toBe(true);
});

test.each([{}, { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }])(
  'A call with an id that gets a session token is reported before its answer is sent, in every revision: %j',
  async (revision) => {
    const calls: IdentifiedCall[] = [];
    const meta = { session_token: 'wl_a' };
    const session = serve([], {
      tools: [
        testTool('begins', () => Promise.resolve({ text: 'begun', meta })),
        testTool('reads', () => Promise.resolve({ text: 'read' })),
      ],
      onIdentifiedCall: (call) => calls.push(call),
    });
    await session.open();
    const call = (name: string, id?: unknown): Promise<unknown> =>
      session.request('tools/call', {
        name,
        arguments: {},
        _meta: { ...revision, ...(id === undefined ? {} : { 'claudecode/toolUseId': id }) },
      });
    expect(await call('begins', 'toolu_1')).toMatchObject({ result: { _meta: meta } });
    expect(calls).toEqual([{ toolUseId: 'toolu_1', tool: 'begins', sessionToken: 'wl_a' }]);
    for (const [name, id] of [
      ['reads', 'toolu_2'],
      ['begins', undefined],
      ['begins', ''],
      ['begins', 7],
    ] as const)
      await call(name, id);
    expect(calls).toHaveLength(1);
  },
);
