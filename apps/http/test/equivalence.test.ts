import { PassThrough } from 'node:stream';
import { createHost } from '@workflowlookup/host';
import type { ToolAnswer } from '@workflowlookup/mcp';
import { serveStdio } from '@workflowlookup/mcp';
import { afterEach, expect, test } from 'vitest';
import type { TestService } from './service.ts';
import { answerOf, openService, rpc } from './service.ts';

/** Sends one call and gives its whole reply but the id. */
type Wire = (method: string, params: object) => Promise<unknown>;

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The same calls in the same order: `$token` is the newest one. */
const script: readonly (readonly [method: string, params: object])[] = [
  ['workflow_list', {}],
  ['workflow_get', { id: 'review-flow' }],
  ['workflow_get', { id: 'none' }],
  ['workflow_next', { workflowId: 'review-flow', completedSteps: ['read-it'] }],
  ['workflow_next', { workflowId: 'review-flow' }],
  ['workflow_validate', { workflowId: 'review-flow', stepId: 'read-it', output: 'x' }],
  ['workflow_validate_json', { workflowJson: '{' }],
  ['list_workflows', {}],
  ['start_session', { agent_id: 'a', workflow_id: 'review-flow' }],
  ['get_workflow', { session_token: '$token' }],
  ['next_activity', { session_token: '$token' }],
  ['get_activity', { session_token: '$token' }],
  ['next_activity', { session_token: '$token', step_manifest: [{ step_id: 'read-it', output: 'Read' }] }],
  ['get_activity', { session_token: 'wl_none' }],
  ['yield_checkpoint', { session_token: '$token', checkpoint_id: 'confirm' }],
  ['next_activity', { session_token: '$token' }],
  ['present_checkpoint', { session_token: '$token' }],
  ['respond_checkpoint', { session_token: '$token', option_id: 'confirm' }],
  ['resume_checkpoint', { session_token: '$token' }],
  ['get_workflow_status', { session_token: '$token' }],
  ['no_such_tool', {}],
];

async function play(wire: Wire, asToolCalls: boolean): Promise<readonly unknown[]> {
  let token = '';
  const replies = [];
  for (const [name, params] of script) {
    const args = JSON.parse(JSON.stringify(params).replaceAll('$token', token)) as object;
    const reply = await (asToolCalls ? wire('tools/call', { name, arguments: args }) : wire(name, args));
    const text = JSON.stringify(reply);
    token = /"session_token":"(wl_[^"]+)"/.exec(text)?.[1] ?? token;
    replies.push(JSON.parse(plain(text)));
  }
  return replies;
}

/** Without what no two runs have alike. */
function plain(text: string): string {
  return text
    .replaceAll(/(wlt?)_[\w-]{20,}/g, '$1_…')
    .replaceAll(/[0-9a-f]{20}/g, 'sid')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'then')
    .replaceAll(/in \d+ s or later/g, 'in a while');
}

function overStdio({ state, definitions }: TestService): Wire {
  const host = createHost({
    includeBundled: false,
    includeUser: false,
    includeProject: false,
    directories: [definitions],
    stateDirectory: `${state}-stdio`,
    minResponseMs: 0,
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const service = serveStdio({
    services: () => Promise.resolve(host),
    version: '1.2.3',
    input,
    output,
    log: () => undefined,
  });
  closing.push(async () => {
    await service.stop();
    await host.close();
  });
  const lines = output[Symbol.asyncIterator]();
  const send: Wire = async (method, params) => {
    input.write(`${JSON.stringify(rpc(method, params))}\n`);
    const { value } = (await lines.next()) as { value: Buffer };
    return JSON.parse(value.toString());
  };
  return send;
}

const opening = { protocolVersion: '2025-11-25', capabilities: {} };

test.each([false, true])(
  'a script answers alike over stdio and HTTP, as tools/call: %s',
  async (asToolCalls) => {
    const http = openService('--min-response-seconds', '0');
    const session = await http.open();
    const stdio = overStdio(http);
    await stdio('initialize', opening);
    const there = await play(
      async (...call) => answerOf(await http.post(rpc(...call), session)),
      asToolCalls,
    );
    expect(there).toEqual(await play(stdio, asToolCalls));
    expect(JSON.stringify(there)).toContain('resolved');
  },
);

test('2026-07-28 answers the same but for what its results carry besides', async () => {
  const http = openService('--min-response-seconds', '0');
  const session = await http.open();
  const legacy = await play(async (...call) => answerOf(await http.post(rpc(...call), session)), true);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const modern = await play(async (method, params) => {
    const { name } = params as { name: string };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name };
    return answerOf(await http.post(rpc(method, { ...params, _meta: meta }), headers));
  }, true);
  const core = (replies: readonly unknown[]) =>
    (replies as { result?: ToolAnswer & { content?: unknown; structuredContent?: unknown } }[]).map(
      ({ result }) => [result?.content, result?.structuredContent],
    );
  expect(core(modern)).toEqual(core(legacy));
});
