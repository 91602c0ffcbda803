import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import type { Listening } from '../../src/app.ts';
import { serveAtPort } from '../support/at-port.ts';
import { answerOf, posting, rpc } from '../support/service.ts';

describe('clients of a port', () => {
  test('release their stream when they disconnect', async () => {
    const { url, fetch: ask, open } = await serveAtPort();
    const leaving = new AbortController();
    const headers = { ...(await open()), accept: 'text/event-stream' };
    await fetch(url, { headers, signal: leaving.signal });
    const streams = async () =>
      /^workflowlookup_streams (.*)$/m.exec(await (await ask('/metrics')).text())?.[1];
    expect(await streams()).toBe('1');
    leaving.abort();
    await vi.waitUntil(async () => (await streams()) === '0');
  });

  test('are disconnected when the server stops, after waiting calls are answered and streams end', async () => {
    const { url, server } = await serveAtPort();
    const post = (body: object, headers = {}) => fetch(url, posting(body, headers));
    const opened = await post(rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} }));
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const call = async (method: string, params: object) => {
      const { result } = await answerOf(await post(rpc(method, params), session));
      const meta = result?.['_meta'] as { session_token: string } | undefined;
      return { session_token: result?.['session_token'] ?? meta?.session_token };
    };
    const started = await call('start_session', { agent_id: 'a', workflow_id: 'review-flow' });
    const first = await call('next_activity', started);
    const manifest = [{ step_id: 'read-it', output: 'Read' }];
    const second = await call('next_activity', { ...first, step_manifest: manifest });
    const stopped = await call('yield_checkpoint', { ...second, checkpoint_id: 'confirm' });
    const waiting = await post(rpc('resume_checkpoint', { ...stopped, wait_ms: 50_000 }), session);
    expect(waiting.headers.get('content-type')).toBe('text/event-stream');
    const stream = await fetch(url, { headers: { ...session, accept: 'text/event-stream' } });
    const ended = stream.text();
    await server.stop();
    expect((await answerOf(waiting)).error).toMatchObject({ code: -32005 });
    expect(await ended).toBe('');
    await expect(post(rpc('ping'))).rejects.toThrow('fetch failed');
  });
});

/** Sends these exact bytes. Returns everything that the server sends until it closes the connection. */
function send(server: Listening, text: string, ends = true): Promise<string> {
  const { port, hostname } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => void socket.write(text));
    let got = '';
    socket.setTimeout(5000, () => socket.destroy(new Error(`No end after: ${got}`)));
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString();
      if (ends) socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(got));
  });
}

const head = 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';

describe('the bytes of a request', () => {
  test.each<[says: RegExp, what: string, text: string]>([
    [/^HTTP\/1.1 400/, 'two lengths', `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    [
      /^HTTP\/1.1 400/,
      'a length and chunks',
      `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      /^HTTP\/1.1 400/,
      'a coding with a space before the colon',
      `${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    ],
    [/^HTTP\/1.1 400/, 'an unknown coding', `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    [/^HTTP\/1.1 400/, 'a folded header', `${head}X-A: b\r\n c: d\r\nContent-Length: 0\r\n\r\n`],
    [/^HTTP\/1.1 400/, 'no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    [/^HTTP\/1.1 403/, 'an evil host', 'GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    [/^HTTP\/1.1 200/, 'a health check with any host', 'GET /healthz HTTP/1.1\r\nHost: 10.0.0.7\r\n\r\n'],
    [
      /^HTTP\/1.1 (400|403)/,
      'a URL with an evil host, and a good Host header',
      'GET http://evil.example/metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    ],
    [
      /^HTTP\/1.1 431/,
      'too long headers',
      `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ],
    [/^HTTP\/1.1 400/, 'another protocol', 'SSH-2.0-x\r\n\r\n'],
    [
      /^HTTP\/1.1 404/,
      'a path that leads out of its folder',
      'GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    ],
  ])('are answered %s if they have %s', async (says, _what, text) => {
    const { server } = await serveAtPort();
    const got = await send(server, text);
    expect(got).toMatch(says);
    expect(got.match(/HTTP\/1.1 /g)).toHaveLength(1);
  });

  test('are answered 408 if they stop arriving', async () => {
    const times = {
      headersTimeout: 50,
      requestTimeout: 100,
      keepAliveTimeout: 100,
      connectionsCheckingInterval: 20,
    };
    const { server } = await serveAtPort([], { times });
    expect(await send(server, 'POST /mcp HTTP/1.1\r\nHost: 127', false)).toMatch(/^HTTP\/1.1 408/);
    expect(await send(server, `${head}Content-Length: 10\r\n\r\n{`, false)).toMatch(/^HTTP\/1.1 408/);
  });

  test('are refused unread if their declared length is over the limit', async () => {
    const { server } = await serveAtPort(['--max-body-bytes', '1000']);
    const got = await send(server, `${head}Content-Length: 99999999\r\n\r\n{`, false);
    expect(got).toMatch(/^HTTP\/1.1 413/);
  });
});
