import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Hono } from 'hono';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { admitUnauthenticated } from '../../../src/console/account/account-routes.ts';
import { createFailedCredentials } from '../../../src/guards.ts';
import { serveAtPort } from '../../support/at-port.ts';
import type { ServiceAtPort } from '../../support/at-port.ts';
import { bearer, openService, posting, rpc } from '../../support/service.ts';
import { openBrowser } from '../../support/browser.ts';

const signIn = '/console/api/sign-in';

/** Sends the headers of a request and one byte of its body, but never the rest. The connection is closed after the test. */
function startBody(server: ServiceAtPort, path: string, length: string): Promise<void> {
  const { port, hostname, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  // Otherwise, the server would wait for the rest of the body when it stops.
  onTestFinished(() => void socket.destroy());
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
  return new Promise((resolve) => {
    socket.write(`${head}${length.startsWith('Content') ? '{' : '1\r\n{\r\n'}`, () => resolve());
  });
}

/** Returns a body that never ends. */
const endless = (): ReadableStream => new ReadableStream({ start: (to) => to.enqueue(Buffer.from('{')) });

describe('requests without a credential', () => {
  test.each([
    ['a sign-in', signIn, 'Content-Length: 1000'],
    ['a sign-in in chunks', signIn, 'Transfer-Encoding: chunked'],
    ['a route that requires a sign-in', '/console/api/sessions', 'Content-Length: 1000'],
    ['such a route, in chunks', '/console/api/sessions', 'Transfer-Encoding: chunked'],
  ])('that stop within the body of %s leave room for requests with a credential', async (_, path, length) => {
    const server = await serveAtPort(['--auth', 'keys', '--max-requests', '8']);
    const key = bearer(await server.key({ principal: 'ann', scopes: ['read'] }));
    // The first request loads the console.
    await server.fetch('/console/api/me');
    await Promise.all(Array.from({ length: 20 }, () => startBody(server, path, length)));
    await vi.waitUntil(() => server.logged.length > 5, { timeout: 5000 });
    expect(server.service.app.inFlight()).toBeLessThanOrEqual(2);
    expect((await fetch(server.url, posting(rpc('ping'), key))).status).toBe(200);
  });

  const from = (
    { service }: ReturnType<typeof openService>,
    peer: string,
    body: NonNullable<RequestInit['body']>,
  ): Promise<Response> => {
    const init = { method: 'POST', body, duplex: 'half' } as const;
    return service.app.fetch(new Request(`http://127.0.0.1:8420${signIn}`, init), peer);
  };

  test('are limited for each address while they are processed', async () => {
    const failed = createFailedCredentials({ authFailures: 0, trustedProxies: [] });
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const app = new Hono().post(
      '/',
      admitUnauthenticated({ failed, network: { maxRequests: 512 } }),
      async (context) => {
        await ended;
        return context.text('done');
      },
    );
    const send = (peer: string): Promise<Response> => {
      const request = new Request('http://127.0.0.1/', { method: 'POST', body: '{}' });
      failed.note(request, peer);
      return Promise.resolve(app.fetch(request, { asked: request }));
    };
    const first = Array.from({ length: 16 }, () => send('192.0.2.1'));
    const other = send('192.0.2.2');
    await setImmediate();
    const refused = await send('192.0.2.1');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    end();
    const statuses = (await Promise.all([...first, other])).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await send('192.0.2.1')).status).toBe(200);
  });

  test('make room for the next one from their address while their bodies are unread', async () => {
    const opened = openService('--auth', 'keys');
    const idle = Array.from({ length: 16 }, () => from(opened, '192.0.2.1', endless()));
    const wrong = '{"key":"wrong"}';
    expect((await from(opened, '192.0.2.1', wrong)).status).toBe(401);
    const { status, headers } = (await idle[0]) ?? {};
    expect([status, headers?.get('connection'), headers?.get('retry-after')]).toEqual([429, 'close', '1']);
    expect(opened.service.app.inFlight()).toBe(15);
    expect((await from(opened, '192.0.2.2', wrong)).status).toBe(401);
  });

  test('make room for other addresses too if all have their share', async () => {
    const opened = openService('--auth', 'keys', '--max-requests', '8');
    const idle = ['192.0.2.1', '192.0.2.1'].map((peer) => from(opened, peer, endless()));
    expect((await from(opened, '192.0.2.2', '{"key":"wrong"}')).status).toBe(401);
    expect((await idle[0])?.status).toBe(429);
  });

  test('are refused if their bodies are large', async () => {
    const response = await openBrowser(openService('--auth', 'keys')).signIn({ key: 'x'.repeat(20_000) });
    expect([response.status, await response.json()]).toMatchObject([413, { data: { maxBytes: 16_384 } }]);
  });

  describe('that send their body slowly', () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    test('are answered after five seconds, and make room for others', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { service, fetch } = openService('--auth', 'keys');
      const init = { method: 'POST', body: endless(), duplex: 'half' } as const;
      const answer = fetch(signIn, init);
      await vi.advanceTimersByTimeAsync(4900);
      expect(service.app.inFlight()).toBe(1);
      await vi.advanceTimersByTimeAsync(200);
      const { status, headers } = await answer;
      expect([status, headers.get('connection')]).toEqual([408, 'close']);
      expect(service.app.inFlight()).toBe(0);
    });
  });
});
