import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { rotateKey } from '@workflowlookup/host';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openTelemetry } from '../../src/telemetry/open-telemetry.ts';
import { serveAtPort } from '../support/at-port.ts';
import type { TestService } from '../support/service.ts';
import { answerOf, openService, openServiceWith, posting, rpc } from '../support/service.ts';
import { openReceiver } from '../support/otlp-receiver.ts';

const open = (...flags: readonly string[]): TestService => openService('--auth', 'none', ...flags);
const asked = rpc('workflow_list', {});
const initialize = rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {} });

test('An agent connects at the printed address, and is refused without the token in it', async () => {
  const { service, fetch } = open();
  const path = service.mcpPath();
  expect(path).toMatch(/^\/mcp\/[\w-]{32}$/);
  expect((await fetch(path, posting(initialize))).status).toBe(200);
  const other = openService('--auth', 'none').service.mcpPath();
  const wrong = [
    '/mcp',
    '/mcp/',
    '/mcp/x',
    other,
    `${path}x`,
    path.slice(0, -1),
    `/mcp?token=${path.slice(5)}`,
  ];
  for (const one of wrong) {
    const response = await fetch(one, posting(initialize));
    expect(one === '/mcp/' ? [404, 403] : [403], one).toContain(response.status);
    expect(response.headers.get('mcp-session-id')).toBeNull();
  }
  const refused = await fetch('/mcp', posting(asked));
  expect(await refused.json()).toMatchObject({ error: 'address_token_required' });
});

test('A web page on this machine needs the token too, whatever its origin', async () => {
  const { service, fetch } = open();
  for (const origin of ['http://127.0.0.1:9999', 'http://localhost:3000']) {
    const refused = await fetch('/mcp', posting(initialize, { origin }));
    expect([refused.status, refused.headers.get('mcp-session-id')]).toEqual([403, null]);
    expect((await fetch(service.mcpPath(), posting(initialize, { origin }))).status).toBe(200);
  }
  const foreign = await fetch(service.mcpPath(), posting(initialize, { origin: 'https://evil.example' }));
  expect(await foreign.json()).toEqual({ error: 'origin_not_allowed' });
});

test('The address stays the same after a restart, and an older address works while its key is in the ring', async () => {
  const before = open();
  const path = before.service.mcpPath();
  const after = open('--state', before.state);
  expect(after.service.mcpPath()).toBe(path);
  rotateKey({ stateDirectory: before.state });
  await nextTurn();
  const later = open('--state', before.state);
  expect(later.service.mcpPath()).not.toBe(path);
  for (const { fetch } of [before, after, later])
    for (const one of [path, later.service.mcpPath()])
      expect((await fetch(one, posting(initialize))).status, one).toBe(200);
  rmSync(join(before.state, 'keys'), { recursive: true });
  const anew = open('--state', before.state);
  expect((await anew.fetch(path, posting(initialize))).status).toBe(403);
});

test('Only the current user can read the keys that the token is made from', () => {
  const { service, state } = open();
  service.mcpPath();
  expect(statSync(join(state, 'keys', 'token-key')).mode & 0o077).toBe(0);
});

test('The token is in no log, metric, trace or error', async () => {
  const receiver = await openReceiver();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const telemetry = (log: Parameters<typeof openTelemetry>[0]['log']) =>
    openTelemetry({ version: '1.2.3', database: 'sqlite', log });
  const { service, fetch, logged } = openServiceWith({ telemetry }, '--auth', 'none');
  const path = service.mcpPath();
  const token = path.slice('/mcp/'.length);
  await answerOf(await fetch(path, posting(initialize)));
  const refusal = await (await fetch(`${path}x`, posting(initialize))).text();
  const page = await (await fetch('/metrics')).text();
  await service.drain();
  await service.close();
  const traced = JSON.stringify(receiver.spans);
  expect(page).toContain('route="/mcp",method="POST",status="200"');
  expect(traced).toContain('POST /mcp');
  for (const text of [page, refusal, traced, logged.join('\n')])
    expect(text).not.toContain(token.slice(0, 16));
});

test.each([['open'], ['keys']])('The address has no token with --auth %s', async (auth) => {
  const { service, fetch } = openService('--auth', auth);
  expect(service.mcpPath()).toBe('/mcp');
  expect((await fetch('/mcp/x', posting(initialize))).status).toBe(404);
  expect((await fetch('/mcp', posting(initialize))).status).toBe(auth === 'open' ? 200 : 401);
});

test('The client of the SDK opens, uses and ends a session at the address', async () => {
  const { server, url } = await serveAtPort(['--auth', 'none']);
  const client = new Client({ name: 'address-test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(url);
  await client.connect(transport);
  expect((await client.listTools()).tools.length).toBeGreaterThan(5);
  await transport.terminateSession();
  await client.close();
  const lost = new Client({ name: 'address-test', version: '1.0.0' });
  await expect(lost.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))).rejects.toThrow(
    'address_token_required',
  );
});
