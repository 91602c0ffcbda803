import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildApp, removeApp } from '../../../stdio/test/support/built-app.ts';
import type { Request } from '../../../stdio/test/support/callers.ts';
import { byClient, byMethod, byToolsCall, expectSameMethods } from '../../../stdio/test/support/callers.ts';
import { openServer } from '../../../stdio/test/support/server-process.ts';
import { playScript } from '../../../stdio/test/support/session-script.ts';
import { relayFiles } from '../../../stdio/test/support/relay-workflow.ts';
import type { StateFolder } from '../../../stdio/test/support/state-folder.ts';
import { stateFolder } from '../../../stdio/test/support/state-folder.ts';
import type { Headers } from '../support/service.ts';
import { answerOf, rpc } from '../support/service.ts';
import type { Replica } from '../support/replica.ts';
import { startReplica } from '../support/replica.ts';

const app = fileURLToPath(new URL('../..', import.meta.url));
let [overHttp, overStdio] = ['', ''];
let folder: StateFolder;
let states = 0;
let expected: readonly object[];
const started: Replica[] = [];

beforeAll(async () => {
  [overHttp, overStdio, folder] = await Promise.all([buildApp(app), buildApp(), stateFolder(relayFiles)]);
  const server = await openServer({ entry: overStdio, args: flags() });
  expected = await playScript(byToolsCall((method, params) => server.request(method, params)));
  server.kill('SIGKILL');
}, 60_000);

afterEach(async () => {
  for (const replica of started.splice(0)) await replica.kill();
});

afterAll(async () => {
  await folder.dispose();
  for (const entry of [overHttp, overStdio]) await removeApp(entry);
});

/** Returns flags for the bundled workflows and one more, with a new state directory for each call. */
function flags(): string[] {
  states += 1;
  const state = ['--state', join(folder.root, `state-${states}`), '--min-response-seconds', '0'];
  return ['--no-user', '--no-project', '--workflows', folder.definitions, ...state];
}

async function serve(): Promise<URL> {
  const replica = await startReplica({ entry: overHttp, flags: flags() });
  started.push(replica);
  return new URL(replica.url);
}

function post(url: URL, body: object, headers: Headers): Promise<Response> {
  const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return fetch(url, { method: 'POST', headers: { ...types, ...headers }, body: JSON.stringify(body) });
}

/** Sends requests in a session of 2025-11-25. */
async function inSession(url: URL): Promise<Request> {
  const opened = await post(url, rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {} }), {});
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  return async (method, params) => answerOf(await post(url, rpc(method, params), session));
}

/** Sends requests of 2026-07-28, which need no session. */
function alone(url: URL): Request {
  const version = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return async (method, params) => {
    const { name } = params as { name: string };
    const headers = { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name };
    return answerOf(await post(url, rpc(method, { ...params, _meta: meta }), headers));
  };
}

describe('the calls of a script have the same results as over stdio', { timeout: 60_000 }, () => {
  test('with tools/call in a session', async () => {
    expect(await playScript(byToolsCall(await inSession(await serve())))).toEqual(expected);
  });

  test('with methods named after the tools', async () => {
    expectSameMethods(await playScript(byMethod(await inSession(await serve()))), expected);
  });

  test('with requests of the revision 2026-07-28', async () => {
    expect(await playScript(byToolsCall(alone(await serve())))).toEqual(expected);
  });

  test('with the client of SDK 1', async () => {
    const client = new OlderClient({ name: 'older', version: '1' });
    await client.connect(new OlderTransport(await serve()));
    const found = await playScript(byClient(client));
    await client.close();
    expect(found).toEqual(expected);
  });

  test.each([
    ['legacy', {}],
    ['modern', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ] as const)('with the client of SDK 2, %s', async (_, negotiation) => {
    const client = new ModernClient({ name: 'newer', version: '1' }, negotiation);
    await client.connect(new ModernTransport(await serve()));
    const found = await playScript(byClient(client));
    await client.close();
    expect(found).toEqual(expected);
  });
});
