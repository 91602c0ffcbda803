import { setTimeout } from 'node:timers/promises';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { describe, expect, test } from 'vitest';
import { legacyVersions } from '../../src/json-rpc/rpc-messages.ts';
import { messages } from '../../src/messages.ts';
import { reviewFlow } from '../support/flow.ts';
import { messageOf, openWeb, posting, request, keyRing, url } from './web.ts';

const initialize = (protocolVersion?: unknown) =>
  request('initialize', { protocolVersion, capabilities: {} });

/** Counts the turns of the event loop during a promise. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(count);
  function count(): void {
    turns += 1;
    next = setImmediate(count);
  }
  await work;
  clearImmediate(next);
  return turns;
}

describe('a session over HTTP', () => {
  test.each(legacyVersions)('opens with version %s and is identified by its id', async (version) => {
    const web = openWeb([reviewFlow]);
    const opened = await web.post(initialize(version));
    expect(opened.status).toBe(200);
    expect((await messageOf(opened)).result).toMatchObject({ protocolVersion: version });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    expect(session['mcp-session-id']).toMatch(/^[\x21-\x7e]{40,512}$/);
    const accepted = await web.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    expect([accepted.status, await accepted.text()]).toEqual([202, '']);
    const listed = await web.post(request('tools/list'), { ...session, 'mcp-protocol-version': version });
    expect((await messageOf(listed)).result?.['tools']).toHaveLength(24);
  });

  test.each(['2024-01-01', '2026-07-28', '9'])(
    'does not open at %s, and says why with 200',
    async (version) => {
      const response = await openWeb().post(initialize(version));
      expect([response.status, response.headers.get('mcp-session-id')]).toEqual([200, null]);
      expect((await messageOf(response)).error).toEqual({
        code: -32000,
        message: 'Unsupported protocol version',
        data: { supportedVersions: legacyVersions, requestedVersion: version },
      });
    },
  );

  test('requires a version', async () => {
    const { error } = await messageOf(await openWeb().post(initialize()));
    expect(error).toMatchObject({
      code: -32602,
      data: { details: messages.fieldRequired('protocolVersion') },
    });
  });

  test.each(['tools/list', 'workflow_list', 'shutdown'])('refuses %s before it is open', async (method) => {
    const response = await openWeb().post(request(method));
    expect(response.status).toBe(400);
    expect((await messageOf(response)).error).toMatchObject({
      code: -32000,
      message: 'Server not initialized',
    });
  });

  test('answers ping without a session', async () => {
    expect((await messageOf(await openWeb().post(request('ping')))).result).toEqual({});
  });

  test.each([undefined, null, {}])(
    'accepts params %j for a direct method and for tools/list',
    async (params) => {
      const web = openWeb([reviewFlow]);
      const session = await web.open('2024-11-05');
      const direct = await messageOf(await web.post(request('workflow_list', params), session));
      expect(direct.result).toMatchObject({ workflows: [{ id: 'review-flow' }] });
      expect((await messageOf(await web.post(request('tools/list', params), session))).result).toBeDefined();
    },
  );

  test('returns the errors of direct methods and of tools', async () => {
    const web = openWeb([reviewFlow]);
    const session = await web.open();
    const direct = await messageOf(await web.post(request('workflow_get', { id: 'none' }), session));
    expect(direct.error).toMatchObject({ code: -32001, data: { workflowId: 'none' } });
    const params = { name: 'workflow_get', arguments: { id: 'none' } };
    const { result } = await messageOf(await web.post(request('tools/call', params), session));
    expect(result).toMatchObject({ isError: true, _meta: { 'workflowlookup/error': { code: -32001 } } });
    const unknown = await messageOf(await web.post(request('no/such'), session));
    expect(unknown.error).toMatchObject({ code: -32601, data: { method: 'no/such' } });
  });

  test('serves resources and prompts from the SDK server', async () => {
    const web = openWeb([reviewFlow]);
    const session = await web.open();
    const [resources, prompts] = await Promise.all([
      web.post(request('resources/list', {}, 1), session).then(messageOf),
      web.post(request('prompts/list', {}, 2), session).then(messageOf),
    ]);
    expect(JSON.stringify(resources.result)).toContain('workflow://review-flow');
    expect(prompts.result).toMatchObject({ prompts: [{ name: 'review-flow' }] });
  });

  test('accepts batches only with version 2025-03-26', async () => {
    const web = openWeb();
    const batch = [request('ping', {}, 1), { jsonrpc: '2.0', method: 'notifications/initialized' }];
    const taken = await web.post(batch, await web.open('2025-03-26'));
    expect(await taken.json()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    const refused = await web.post(batch, await web.open('2025-06-18'));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      id: null,
      error: { code: -32600, data: { details: messages.batchNotAllowed('2025-03-26') } },
    });
  });

  test('starts each message of a batch in its own turn, so that others are served in between', async () => {
    const web = openWeb([reviewFlow]);
    const session = await web.open('2025-03-26');
    const calls = Array.from({ length: 100 }, (_, id) => request('workflow_list', {}, id));
    await web.post(calls[0], session);
    const answered = web.post(calls, session);
    const turns = await turnsDuring(answered);
    expect(await (await answered).json()).toHaveLength(100);
    expect(turns).toBeGreaterThanOrEqual(100);
  });

  test('runs the calls of the batches of a session one at a time, and pauses after each for its duration', async () => {
    let running = 0;
    let most = 0;
    const times: { begun: number; ended: number }[] = [];
    const web = openWeb([reviewFlow], {
      wrapCall: async (_call, work) => {
        most = Math.max(most, (running += 1));
        const begun = performance.now();
        await setTimeout(20);
        const answer = await work();
        running -= 1;
        times.push({ begun, ended: performance.now() });
        return answer;
      },
    });
    const session = await web.open('2025-03-26');
    const batchOf = (first: number): object[] =>
      Array.from({ length: 3 }, (_, at) => request('workflow_list', {}, first + at));
    const answers = await Promise.all([0, 3].map((first) => web.post(batchOf(first), session)));
    for (const answer of answers) expect(await answer.json()).toHaveLength(3);
    expect([times.length, most]).toEqual([6, 1]);
    for (const [at, { begun }] of times.slice(1).entries())
      expect(begun - (times[at]?.ended ?? 0)).toBeGreaterThanOrEqual(15);
  });

  test('reads, parses and answers a large body in separate turns', async () => {
    const web = openWeb();
    const session = await web.open();
    const turnsFor = (length: number): Promise<number> =>
      turnsDuring(web.post(request('ping', { text: 'x'.repeat(length) }), session));
    const small = await turnsFor(100);
    expect(await turnsFor(1_000_000)).toBeGreaterThanOrEqual(small + 3);
  });

  test('reports the maximum number of values, not of bytes, for a body with too many values', async () => {
    const web = openWeb();
    const refused = await web.post(Array.from({ length: 20_001 }, () => 1));
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({
      error: { code: -32600, data: { details: messages.tooManyValues(20_000) } },
    });
  });

  test('is served by any replica with the same keys, and ended on all that share the revocations', async () => {
    const ended = new Set<string>();
    const revoked = () =>
      Promise.resolve({
        revokeId: (id: string) => Promise.resolve(void ended.add(id)),
        isRevoked: (id: string) => Promise.resolve(ended.has(id)),
      });
    const [first, second] = [openWeb([], { revoked }), openWeb([], { revoked })];
    const session = await first.open();
    expect((await second.post(request('tools/list'), session)).status).toBe(200);
    expect((await first.fetch({ method: 'DELETE', headers: session })).status).toBe(204);
    expect((await second.post(request('tools/list'), session)).status).toBe(404);
    expect((await first.post(request('tools/list'), session)).status).toBe(404);
    expect((await first.fetch({ method: 'DELETE', headers: session })).status).toBe(404);
  });

  test('is ended by shutdown, but the server and other sessions continue', async () => {
    const web = openWeb();
    const [one, other] = [await web.open(), await web.open()];
    expect(await messageOf(await web.post(request('shutdown'), one))).toMatchObject({ result: null });
    expect((await web.post(request('ping'), one)).status).toBe(404);
    expect((await web.post(request('ping'), other)).status).toBe(200);
  });

  test('is unknown to another principal, after its expiry, and with a modified id', async () => {
    let now = Date.parse('2026-11-01T00:00:00Z');
    const web = openWeb([], { now: () => now });
    const session = await web.open();
    const id = session['mcp-session-id'];
    const statusOf = async (pass: string, principal = 'ann'): Promise<number> =>
      (await web.post(request('ping'), { 'mcp-session-id': pass }, { principal })).status;
    expect(await statusOf(id)).toBe(200);
    expect(await statusOf(id, 'bob')).toBe(404);
    for (const other of ['x', `${id}x`, id.slice(0, -2), id.replace(/^./, 'f'), `${'a'.repeat(600)}.b`])
      expect(await statusOf(other)).toBe(404);
    now += 7 * 24 * 3_600_000;
    expect(await statusOf(id)).toBe(404);
  });

  test('ends a minute after the key that signed its id was removed', async () => {
    let now = Date.parse('2026-11-01T00:00:00Z');
    let keys = keyRing(1);
    const living: KeyRing = {
      get signing() {
        return keys.signing;
      },
      get verifying() {
        return keys.verifying;
      },
    };
    const web = openWeb([], { now: () => now, keys: () => Promise.resolve(living) });
    const session = await web.open();
    const ask = async () => (await web.post(request('tools/list'), session)).status;
    expect(await ask()).toBe(200);
    keys = keyRing(2);
    now += 60_000;
    expect(await ask()).toBe(404);
  });

  test('makes room for others when it is idle', async () => {
    const web = openWeb([], { limits: { maxSessions: 1 } });
    const [one, other] = [await web.open(), await web.open()];
    expect((await web.post(request('ping'), one)).status).toBe(200);
    expect((await web.post(request('ping'), other)).status).toBe(200);
    expect(web.handler.counts()).toEqual({ sessions: 1, streams: 0 });
    const listening = await web.fetch({ headers: { ...other, accept: 'text/event-stream' } });
    expect((await web.post(request('ping'), one)).status).toBe(503);
    await listening.body?.cancel();
    expect((await web.post(request('ping'), one)).status).toBe(200);
  });

  test('runs requests concurrently, so that a slow one delays no other', async () => {
    const web = openWeb();
    const session = await web.open();
    const both = [request('ping', {}, 'a'), request('ping', {}, 'b')].map((body) => web.post(body, session));
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('HTTP itself', () => {
  test.each<[status: number, what: string, init: RequestInit]>([
    [405, 'another method', { method: 'PUT', body: '{}' }],
    [415, 'another content type', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }],
    [415, 'no content type', { method: 'POST', body: new Uint8Array([123, 125]) }],
    [406, 'a client that reads neither', posting('{}', { accept: 'text/html' })],
    [406, 'a GET that reads no stream', { headers: { accept: 'application/json' } }],
    [400, 'a GET without a session', { headers: { accept: 'text/event-stream' } }],
    [400, 'a DELETE without a session', { method: 'DELETE' }],
    [405, 'a GET of 2026-07-28', { headers: { 'mcp-protocol-version': '2026-07-28' } }],
    [405, 'a DELETE of 2026-07-28', { method: 'DELETE', headers: { 'mcp-protocol-version': '2026-07-28' } }],
    [400, 'an empty body', posting('', { 'content-type': 'application/json; charset=utf-8' })],
    [413, 'a body over the limit', posting(`"${'x'.repeat(2000)}"`)],
    [413, 'a body said to be over the limit', posting('{}', { 'content-length': '2000' })],
    [413, 'a body over the limit that comes in pieces', posting(pieces(3, 'x'.repeat(500)))],
    [408, 'a body that stops coming', posting(pieces(1, '{', false))],
  ])('answers %i to %s', async (status, _what, init) => {
    const web = openWeb([], { limits: { maxBodyBytes: 1000, bodyTimeoutMs: 20 } });
    const response = await web.fetch(init);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: expect.any(Number) },
    });
  });

  test.each([
    ['{', -32700, null],
    ['[]', -32600, null],
    ['{"jsonrpc":"1.0","id":4,"method":"ping"}', -32600, 4],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', -32602, 5],
  ])('answers 400 to %s with its one error', async (text, code, id) => {
    const web = openWeb();
    for (const headers of [{}, await web.open()]) {
      const response = await web.post(text, headers);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ id, error: { code } });
    }
  });

  test('answers 400 to a version header that does not match the session', async () => {
    const web = openWeb();
    const response = await web.post(request('ping'), {
      ...(await web.open()),
      'mcp-protocol-version': '2020-01-01',
    });
    expect(response.status).toBe(400);
  });

  test('answers with a stream if the client accepts nothing else', async () => {
    const web = openWeb();
    const response = await web.post(request('ping'), { ...(await web.open()), accept: 'text/event-stream' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await messageOf(response)).toMatchObject({ result: {} });
  });

  test('carries the headers of the visit on every response', async () => {
    const web = openWeb();
    const visitor = { caller: { principal: 'ann' }, headers: { 'x-request-id': 'r1' } };
    const responses = await Promise.all(
      ['POST', 'GET', 'DELETE', 'PUT'].map((method) =>
        web.handler.fetch(new Request(url, { method }), visitor),
      ),
    );
    expect(responses.map(({ headers }) => headers.get('x-request-id'))).toEqual(['r1', 'r1', 'r1', 'r1']);
  });

  test('answers 503 after it is closed', async () => {
    const web = openWeb();
    await web.handler.close();
    expect((await web.post(request('ping'))).status).toBe(503);
  });
});

function pieces(count: number, piece: string, ends = true): ReadableStream<Uint8Array> {
  let left = count;
  return new ReadableStream({
    pull(controller) {
      left -= 1;
      if (left >= 0) controller.enqueue(new TextEncoder().encode(piece));
      else if (ends) controller.close();
      else return new Promise<void>(() => undefined);
      return Promise.resolve();
    },
  });
}
