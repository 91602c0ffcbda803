import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { serveAtPort } from '../at-port.ts';
import type { ServiceAtPort } from '../at-port.ts';
import { bearer, openService, posting, rpc } from '../service.ts';
import { openBrowser } from './browser.ts';

const signIn = '/console/api/sign-in';

/** Sends the head of a request and one byte of its body, and never the rest. */
function startBody(server: ServiceAtPort, path: string, length: string): Promise<void> {
  const { port, hostname, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
  return new Promise((resolve) => {
    socket.write(`${head}${length.startsWith('Content') ? '{' : '1\r\n{\r\n'}`, () => resolve());
  });
}

/** A body that never ends. */
const endless = (): ReadableStream => new ReadableStream({ start: (to) => to.enqueue(Buffer.from('{')) });

describe('requests without a credential', () => {
  test.each([
    ['a sign-in', signIn, 'Content-Length: 1000'],
    ['a sign-in in chunks', signIn, 'Transfer-Encoding: chunked'],
    ['a route that requires a sign-in', '/console/api/runs', 'Content-Length: 1000'],
    ['such a route, in chunks', '/console/api/runs', 'Transfer-Encoding: chunked'],
  ])('that stop in the body of %s leave room for those with one', async (_, path, length) => {
    const server = await serveAtPort(['--auth', 'keys', '--max-requests', '8']);
    const key = bearer(await server.key({ principal: 'ann', scopes: ['read'] }));
    // The console is loaded with its first request.
    await server.fetch('/console/api/me');
    await Promise.all(Array.from({ length: 20 }, () => startBody(server, path, length)));
    await vi.waitUntil(() => server.logged.length > 5, { timeout: 5000 });
    expect(server.service.app.underWay()).toBeLessThanOrEqual(2);
    expect((await fetch(server.url, posting(rpc('ping'), key))).status).toBe(200);
  });

  test('are few at once from one address, and those of other addresses are still taken', async () => {
    const { service } = openService('--auth', 'keys');
    const from = (peer: string, body: NonNullable<RequestInit['body']>): Promise<Response> => {
      const init = { method: 'POST', body, duplex: 'half' } as const;
      return service.app.fetch(new Request(`http://127.0.0.1:8420${signIn}`, init), peer);
    };
    for (let at = 0; at < 16; at += 1) void from('192.0.2.1', endless());
    const refused = await from('192.0.2.1', '{"key":"wrong"}');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await from('192.0.2.2', '{"key":"wrong"}')).status).toBe(401);
  });

  test('have small bodies', async () => {
    const response = await openBrowser(openService('--auth', 'keys')).signIn({ key: 'x'.repeat(20_000) });
    expect([response.status, await response.json()]).toMatchObject([413, { data: { maxBytes: 16_384 } }]);
  });

  describe('that are slow', () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    test('are answered after five seconds, and give their place back', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { service, fetch } = openService('--auth', 'keys');
      const init = { method: 'POST', body: endless(), duplex: 'half' } as const;
      const answer = fetch(signIn, init);
      await vi.advanceTimersByTimeAsync(4900);
      expect(service.app.underWay()).toBe(1);
      await vi.advanceTimersByTimeAsync(200);
      const { status, headers } = await answer;
      expect([status, headers.get('connection')]).toEqual([408, 'close']);
      expect(service.app.underWay()).toBe(0);
    });
  });
});
