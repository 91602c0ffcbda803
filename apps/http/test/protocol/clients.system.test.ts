import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test } from 'vitest';
import { openInspector } from '../../../../test/support/inspector.ts';
import { serveAtPort } from '../support/at-port.ts';
import { expectEveryTool, writeBakery } from './every-tool.ts';
import { bearer } from '../support/service.ts';

async function serve(...flags: readonly string[]) {
  const served = await serveAtPort(['--min-response-seconds', '0', ...flags]);
  writeBakery(served.definitions);
  return served;
}

async function serveWithKey() {
  const { url, key } = await serve('--auth', 'keys');
  const scopes = ['read', 'write', 'checkpoints:respond'] as const;
  return { url, requestInit: { headers: bearer(await key({ principal: 'ann', scopes })) } };
}

test('The client of SDK version 1 lists and calls every tool, with a key', async () => {
  const { url, requestInit } = await serveWithKey();
  const client = new OlderClient({ name: 'older', version: '1' });
  const transport = new OlderTransport(url, { requestInit });
  await client.connect(transport);
  await expectEveryTool(client);
  await transport.terminateSession();
  await client.close();
});

test.each([
  ['legacy', '2025-11-25', 'legacy'],
  ['auto', '2026-07-28', 'auto'],
  ['modern', '2026-07-28', { pin: '2026-07-28' }],
] as const)(
  'The client of SDK version 2, opened as %s with %s, lists and calls every tool',
  async (_name, version, mode) => {
    const { url, requestInit } = await serveWithKey();
    const client = new ModernClient({ name: 'newer', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new ModernTransport(url, { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    await expectEveryTool(client);
    await client.close();
  },
);

test.each(['legacy', 'modern'])(
  'The command line of the MCP Inspector lists and calls every tool in the %s era',
  async (era) => {
    const { url } = await serve();
    const inspector = await openInspector(url.href, '--transport', 'http', '--protocol-era', era);
    onTestFinished(() => inspector.close());
    await expectEveryTool(inspector);
  },
  60_000,
);
