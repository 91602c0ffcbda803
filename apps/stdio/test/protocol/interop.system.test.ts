import { join } from 'node:path';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openInspector } from '../../../../test/support/inspector.ts';
import type { Sandbox } from '../support/built-app.ts';
import { buildApp, createSandbox, flagsOf } from '../support/built-app.ts';

let entry: string;
let sandbox: Sandbox;

beforeAll(async () => {
  [entry, sandbox] = await Promise.all([buildApp(), createSandbox()]);
}, 60_000);

afterAll(() => sandbox.dispose());

const calls: readonly { name: string; arguments: Record<string, unknown>; answer: object }[] = [
  { name: 'workflow_list', arguments: {}, answer: { workflows: [{ id: 'review-flow' }] } },
  {
    name: 'workflow_get',
    arguments: { id: 'review-flow' },
    answer: { totalSteps: 2, firstStep: { id: 'read-it' } },
  },
  {
    name: 'workflow_next',
    arguments: { workflowId: 'review-flow', completedSteps: ['read-it'], context: { depth: 'full' } },
    answer: { step: { id: 'report', prompt: 'Report on full depth.' }, isComplete: false },
  },
  {
    name: 'workflow_validate',
    arguments: { workflowId: 'review-flow', stepId: 'read-it', output: 'beta' },
    answer: { valid: false, issues: ['Say alpha'] },
  },
  { name: 'workflow_validate_json', arguments: { workflowJson: '{' }, answer: { valid: false } },
];
const names = calls.map(({ name }) => name);
const allTools = 24;
const end = { workflowId: 'review-flow', completedSteps: ['read-it', 'report'] };

const server = () => ({
  command: process.execPath,
  args: [entry, ...flagsOf(sandbox), '--state', join(sandbox.root, 'state')],
  stderr: 'inherit' as const,
});

/** The part of a client that is the same in both SDKs. */
interface ToolClient {
  listTools(): Promise<{ tools: readonly { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

/** Lists the tools and calls each of them, also when no step is left and for an unknown workflow. */
async function expectTools(client: ToolClient): Promise<void> {
  const listed = (await client.listTools()).tools.map(({ name }) => name);
  expect(listed).toHaveLength(allTools);
  expect(listed.slice(0, names.length)).toEqual(names);
  for (const { name, arguments: args, answer } of calls) {
    expect(await client.callTool({ name, arguments: args })).toMatchObject({ structuredContent: answer });
  }
  const last = await client.callTool({ name: 'workflow_next', arguments: end });
  expect(last).toMatchObject({ structuredContent: { step: null, isComplete: true } });
  const missing = await client.callTool({ name: 'workflow_get', arguments: { id: 'nope-nope' } });
  expect(missing).toMatchObject({ isError: true, _meta: { 'workflowlookup/error': { code: -32001 } } });
  await expectSession(client);
}

/** Starts a session, enters and reads its first activity, and expects that a forged token is refused. */
async function expectSession(client: ToolClient): Promise<void> {
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, _meta: meta } = (await client.callTool({ name, arguments: args })) as {
      readonly content: readonly { readonly text: string }[];
      readonly _meta: { readonly session_token: string };
    };
    return { text: content[0]?.text, token: meta.session_token };
  };
  const started = await call('start_session', { agent_id: 'interop', workflow_id: 'review-flow' });
  const entered = await call('next_activity', { session_token: started.token });
  expect(entered.text).toContain('"activity_id":"read-it"');
  const read = await call('get_activity', { session_token: entered.token });
  expect(read.text).toContain('Read the change.');
  const forged = { name: 'get_activity', arguments: { session_token: 'wl_nothing' } };
  expect(await client.callTool(forged)).toMatchObject({ isError: true });
}

describe('the client of SDK 1', () => {
  test('lists and calls every tool, and reaches the end of a workflow', async () => {
    const client = new OlderClient({ name: 'older', version: '1.0.0' });
    await client.connect(new OlderTransport(server()));
    try {
      await expectTools(client);
      expect((await client.listResources()).resources).toHaveLength(8);
      expect((await client.listPrompts()).prompts).toHaveLength(1);
    } finally {
      await client.close();
    }
  });
});

describe.each([
  { mode: 'legacy', negotiation: {} },
  { mode: 'auto', negotiation: { versionNegotiation: { mode: 'auto' } } },
  { mode: 'modern', negotiation: { versionNegotiation: { mode: { pin: '2026-07-28' } } } },
] as const)('the client of SDK 2, $mode', ({ mode, negotiation }) => {
  test('lists and calls every tool, and reaches the end of a workflow', async () => {
    const client = new ModernClient({ name: 'newer', version: '1.0.0' }, negotiation);
    await client.connect(new ModernTransport(server()));
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28');
      await expectTools(client);
      expect((await client.readResource({ uri: 'workflow://review-flow' })).contents).toHaveLength(1);
      expect((await client.getPrompt({ name: 'review-flow' })).messages).toHaveLength(1);
    } finally {
      await client.close();
    }
  });
});

describe.each(['legacy', 'modern'])("the Inspector's command line, %s", (era) => {
  test('lists every tool, and calls the ones that only read', async () => {
    const { command, args: serverArgs } = server();
    const inspector = await openInspector(command, ...serverArgs, '--protocol-era', era);
    onTestFinished(() => inspector.close());
    const { tools } = (await inspector.listTools()) as { tools: readonly { name: string }[] };
    expect(tools).toHaveLength(allTools);
    expect(tools.map(({ name }) => name).slice(0, names.length)).toEqual(names);
    for (const { answer, ...call } of calls)
      expect(await inspector.callTool(call)).toMatchObject({ structuredContent: answer });
  }, 60_000);
});
