import { join } from 'node:path';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { createHost } from '@workflowlookup/host';
import { toolSet } from '@workflowlookup/mcp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { buildApp, removeApp } from '../support/built-app.ts';
import {
  byClient,
  byMethod,
  byToolsCall,
  expectSameMethods,
  inProcess,
  wordless,
} from '../support/callers.ts';
import { openServer } from '../support/server-process.ts';
import { playScript, scriptedTools } from '../support/session-script.ts';
import { relayFiles } from '../support/relay-workflow.ts';
import type { StateFolder } from '../support/state-folder.ts';
import { stateFolder } from '../support/state-folder.ts';

let entry: string;
let folder: StateFolder;
let states = 0;
let expected: readonly object[];

beforeAll(async () => {
  [entry, folder] = await Promise.all([buildApp(), stateFolder(relayFiles)]);
  const server = await openServer({ entry, args: flags() });
  expected = await playScript(byToolsCall((method, params) => server.request(method, params)));
  server.kill('SIGKILL');
}, 60_000);

afterAll(async () => {
  await folder.dispose();
  await removeApp(entry);
});

/** Returns flags for the bundled workflows and one more, with a new state directory for each call. */
function flags(): string[] {
  states += 1;
  const state = ['--state', join(folder.root, `state-${states}`), '--min-response-seconds', '0'];
  return ['--no-user', '--no-project', '--workflows', folder.definitions, ...state];
}

test('The script calls every tool, and gets both results and errors', () => {
  expect(scriptedTools.toSorted()).toEqual(
    toolSet('all')
      .map(({ name }) => name)
      .toSorted(),
  );
  const refused = expected.filter((outcome) => 'isError' in outcome && outcome.isError === true);
  expect(refused.length).toBeGreaterThan(8);
  expect(expected.length - refused.length).toBeGreaterThan(20);
});

describe('the calls of a script have the same results', { timeout: 60_000 }, () => {
  test('with the client of SDK 1', async () => {
    const client = new OlderClient({ name: 'older', version: '1.0.0' });
    await client.connect(new OlderTransport({ command: process.execPath, args: [entry, ...flags()] }));
    const found = await playScript(byClient(client));
    await client.close();
    expect(found).toEqual(expected);
  });

  test.each([
    ['legacy', {}],
    ['modern', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ] as const)('with the client of SDK 2, %s', async (_, negotiation) => {
    const client = new ModernClient({ name: 'newer', version: '1.0.0' }, negotiation);
    await client.connect(new ModernTransport({ command: process.execPath, args: [entry, ...flags()] }));
    const found = await playScript(byClient(client));
    await client.close();
    expect(found).toEqual(expected);
  });

  test('with methods named after the tools', async () => {
    const server = await openServer({ entry, args: flags() });
    const found = await playScript(byMethod((method, params) => server.request(method, params)));
    server.kill('SIGKILL');
    expectSameMethods(found, expected);
  });

  test('in the same process, for calls with a result', async () => {
    const host = createHost({
      includeUser: false,
      includeProject: false,
      directories: [folder.definitions],
      stateDirectory: join(folder.root, 'state-in-process'),
      minResponseMs: 0,
    });
    const found = await playScript(inProcess(host, manifest.version));
    await host.close();
    expect(found.map(wordless)).toEqual(expected.map(wordless));
  });
});
