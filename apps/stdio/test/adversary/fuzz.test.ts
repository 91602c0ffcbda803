import { afterAll, beforeAll, expect, test } from 'vitest';
import { fuzz, fuzzOptions } from '../../../../test/support/fuzz.ts';
import { releaseFiles } from '../support/release-workflow.ts';
import type { ServedHost } from '../support/served-host.ts';
import { hello, serveHost } from '../support/served-host.ts';
import type { StateFolder } from '../support/state-folder.ts';
import { stateFolder } from '../support/state-folder.ts';

let folder: StateFolder;
let server: ServedHost;
let token: string;

beforeAll(async () => {
  folder = await stateFolder(releaseFiles);
  server = serveHost(folder.host);
  ({ token } = await server.call('start_session', { agent_id: 'agent', workflow_id: 'release' }));
});

afterAll(async () => {
  await server.close();
  await folder.dispose();
});

const request = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const call = (name: string, args: object): string => request('tools/call', { name, arguments: args });

/** Returns whether a code is in the range of JSON-RPC errors, which includes our codes in docs/errors.md. */
const isCode = (code: unknown): boolean =>
  Number.isInteger(code) && Number(code) >= -32_768 && Number(code) <= -32_000;

type Message = Readonly<Record<string, unknown>>;

/**
 * Returns whether a message is a result, a request or notification of the server, or an error with a code and a text.
 */
function isMessage({ jsonrpc, error, result, method }: Message): boolean {
  if (jsonrpc !== '2.0') return false;
  if (error === undefined) return result !== undefined || method !== undefined;
  const { code, message } = error as Message;
  return isCode(code) && typeof message === 'string' && message.trim() !== '';
}

/** Returns what kind of message a line of the server is, and expects that it is valid and shows no internals. */
function saidBy(line: string): string {
  const messages = [JSON.parse(line)].flat() as readonly Message[];
  expect(messages.every(isMessage), line).toBe(true);
  expect(line).not.toMatch(/\\n +at |\.[cm]?[jt]s:\d|node:/);
  expect(line).not.toContain(folder.root);
  return line.includes('"error":') || line.includes('"isError":true') ? 'refused' : 'answered';
}

test(
  'The server answers every request and keeps running, whatever lines it receives',
  fuzzOptions,
  async () => {
    const seeds = [
      JSON.stringify(hello),
      call('start_session', { agent_id: 'agent', workflow_id: 'release' }),
      call('get_activity', { session_token: token }),
      call('next_activity', {
        session_token: token,
        activity_id: 'sign',
        step_manifest: [{ step_id: 'x', output: 'y' }],
      }),
      request('get_workflow_status', { session_token: token }),
      request('workflow_next', { workflowId: 'release', completedSteps: ['a'], context: { a: 1 } }),
      call('workflow_validate', { output: 'x', criteria: [{ type: 'contains', value: 'x' }] }),
      request('resources/read', { uri: 'workflowlookup://schemas/workflow' }),
      request('resources/list'),
      `[${request('ping')},${request('tools/list')}]`,
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    ];
    const names = [
      'jsonrpc',
      'id',
      'method',
      'params',
      'arguments',
      '_meta',
      '__proto__',
      'session_token',
      'name',
    ];
    const tokens = [
      ...names.map((name) => JSON.stringify(name)),
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '\\',
      '\n',
      '\r',
      '\0',
      'null',
      '1e999',
      '-1',
      '\uFEFF',
      '"ping"',
      token,
    ];
    await fuzz('JSON-RPC lines', { seeds, tokens }, async (text) => {
      const said = (await server.tell(text)).map(saidBy);
      return said[0] ?? 'no answer needed';
    });
    expect((await server.call('get_workflow_status', { session_token: token })).isError).toBe(false);
  },
);
