import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { createHost } from '@workflowlookup/host';
import { tools } from '@workflowlookup/mcp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from './built-app.ts';
import { buildApp, createSandbox } from './built-app.ts';
import { openServer } from './server-process.ts';
import type { Caller, Outcome } from './session-script.ts';
import { playScript } from './session-script.ts';

let entry: string;
let sandbox: Sandbox;
let states = 0;
let expected: readonly object[];

beforeAll(async () => {
  [entry, sandbox] = await Promise.all([buildApp('equivalence'), createSandbox()]);
  const server = await openServer({ entry, args: flags() });
  expected = await playScript(async (name, args) => {
    const { result } = await server.request('tools/call', { name, arguments: args });
    return outcomeOf(result);
  });
  server.kill('SIGKILL');
}, 60_000);

afterAll(async () => {
  await sandbox.dispose();
  await rm(dirname(entry), { recursive: true, force: true });
});

/** The bundled workflows, and a state directory of its own each time. */
function flags(): string[] {
  states += 1;
  return ['--no-user', '--no-project', '--state', join(sandbox.root, `state-${states}`)];
}

function outcomeOf(result: unknown): Outcome {
  const {
    content,
    isError = false,
    _meta = {},
  } = result as {
    readonly content: readonly [{ readonly text: string }];
    readonly isError?: boolean;
    readonly _meta?: Outcome['meta'];
  };
  return { isError, text: content[0].text, meta: tellingOf(_meta) };
}

/** The SDKs' servers may say more beside an answer than ours. */
function tellingOf({ session_token, trace_token, validation }: Outcome['meta']): Outcome['meta'] {
  return { session_token, trace_token, validation };
}

test('the script reaches answers and refusals', () => {
  const refused = expected.filter((outcome) => 'isError' in outcome && outcome.isError === true);
  expect(refused.length).toBeGreaterThan(8);
  expect(expected.length - refused.length).toBeGreaterThan(12);
});

describe('the same calls come to the same', () => {
  test('with the client of SDK 1', async () => {
    const client = new OlderClient({ name: 'older', version: '1.0.0' });
    await client.connect(new OlderTransport({ command: process.execPath, args: [entry, ...flags()] }));
    const found = await playScript(async (name, args) =>
      outcomeOf(await client.callTool({ name, arguments: { ...args } })),
    );
    await client.close();
    expect(found).toEqual(expected);
  });

  test.each([
    ['legacy', {}],
    ['modern', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ] as const)('with the client of SDK 2, %s', async (_, negotiation) => {
    const client = new ModernClient({ name: 'newer', version: '1.0.0' }, negotiation);
    await client.connect(new ModernTransport({ command: process.execPath, args: [entry, ...flags()] }));
    const found = await playScript(async (name, args) =>
      outcomeOf(await client.callTool({ name, arguments: { ...args } })),
    );
    await client.close();
    expect(found).toEqual(expected);
  });

  test('as methods of their own', async () => {
    const server = await openServer({ entry, args: flags() });
    const found = await playScript(async (name, args) => {
      const { result, error } = await server.request(name, args);
      if (error !== undefined) return { isError: true, text: String(error.data?.['details']), meta: {} };
      const { _meta = {}, ...fields } = result ?? {};
      const text = typeof fields['text'] === 'string' ? fields['text'] : JSON.stringify(fields);
      return { isError: false, text, meta: tellingOf(_meta as Outcome['meta']) };
    });
    server.kill('SIGKILL');
    const isExact = (text: unknown): boolean => text === 'undefined';
    const said = found.map((one, at) => ('text' in one && isExact(one.text) ? expected[at] : one));
    expect(said).toEqual(expected);
    // An unknown workflow and an unknown step have data without words there.
    expect(said.filter((one, at) => one !== found[at])).toMatchObject([
      { name: 'start_session' },
      { name: 'get_skill' },
    ]);
  });

  test('in process, where there is an answer', async () => {
    const stateDirectory = join(sandbox.root, 'state-in-process');
    const host = createHost({ includeUser: false, includeProject: false, stateDirectory });
    const identity = { name: 'workflowlookup', title: '', version: '0.1.0', description: '' };
    const call: Caller = async (name, args) => {
      const tool = tools.find((one) => one.name === name);
      const signal = AbortSignal.timeout(10_000);
      try {
        const answer = await tool?.run({ ...host, identity, signal }, args);
        const text = answer?.text ?? JSON.stringify(answer?.json);
        return { isError: false, text, meta: tellingOf(answer?.meta ?? {}) };
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error;
        return { isError: true, text: '', meta: {} };
      }
    };
    const found = await playScript(call);
    await host.close();
    expect(found.map(wordless)).toEqual(expected.map(wordless));
  });
});

/** A refusal is an error of another shape there. */
function wordless(outcome: object): object {
  return 'isError' in outcome && outcome.isError === true ? { ...outcome, text: '', meta: {} } : outcome;
}
