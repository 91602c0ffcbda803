import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/app.ts';
import { drainMs } from '../support/at-port.ts';
import { openService, rpc } from '../support/service.ts';

async function serve(...flags: readonly string[]) {
  const { service } = openService(...flags);
  return listen(service, { port: 0, address: '127.0.0.1', drainMs });
}

test('A stopping server keeps answering for its notice period, while /readyz answers 503 and connections close', async () => {
  const server = await serve();
  const ready = () => fetch(`${server.url}/readyz`);
  expect((await ready()).status).toBe(200);
  const stopped = server.stop(1000);
  expect((await ready()).status).toBe(503);
  const headers = { 'content-type': 'application/json' };
  const served = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify(rpc('ping')),
  });
  expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);
  await stopped;
  await expect(ready()).rejects.toThrow('fetch failed');
});

/** An authorization server that answers on command. `asked` resolves with its first request. */
async function holdingIssuer() {
  const issuer = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void issuer.close());
  await once(issuer, 'listening');
  const asked = once(issuer, 'request') as Promise<[unknown, ServerResponse]>;
  const { port } = issuer.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked };
}

test('A stopping server answers calls in progress, and does not wait for idle connections', async () => {
  const issuer = await holdingIssuer();
  const oauth = ['--auth', 'oauth', '--oauth-issuer', issuer.url, '--public-url', 'http://127.0.0.1'];
  const server = await serve(...oauth);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const headers = { authorization: 'Bearer a.b.c' };
  const answer = once(request(`${server.url}/mcp`, { agent, headers }).end(), 'response');
  const [, held] = await issuer.asked;
  const stopped = server.stop();
  const isServed = () =>
    fetch(server.url).then(
      () => true,
      () => false,
    );
  await expect.poll(isServed).toBe(false);
  held.destroy();
  const [{ statusCode }] = (await answer) as [{ statusCode: number }];
  expect(statusCode).toBe(503);
  await stopped;
});

test('A stopping server does not wait for connections that have sent nothing', async () => {
  const server = await serve();
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  await server.stop();
  expect(await closed).toEqual([false]);
});
