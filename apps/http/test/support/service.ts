import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostOptions, NewApiKey } from '@workflowlookup/host';
import type { Environment } from '@workflowlookup/host/flags';
import type { Log } from '@workflowlookup/mcp';
import { createLog } from '@workflowlookup/mcp';
import { onTestFinished } from 'vitest';
import { createExpiredKey } from '../../../../packages/host/test/support/expired-key.ts';
import type { Service } from '../../src/app.ts';
import type { ServiceParts } from '../../src/create-service.ts';
import { createService } from '../../src/create-service.ts';
import { runKeysCommand } from '../../src/keys-command.ts';
import { readOptions } from '../../src/options.ts';
import type { Telemetry } from '../../src/telemetry/open-telemetry.ts';

/** A server without a port, with functions that send requests to it. */
export interface TestService {
  readonly service: Service;
  readonly state: string;
  /** Folder with its workflow. */
  readonly definitions: string;
  /** The lines that it has logged. */
  readonly logged: readonly string[];
  /** Creates a key, and returns its secret. */
  key(wanted: NewApiKey): Promise<string>;
  /** Creates a key that has expired, and returns its secret. */
  expiredKey(wanted: Omit<NewApiKey, 'expiresAt'>): Promise<string>;
  /** Revokes a key by its id. */
  revoke(id: string): Promise<void>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Posts a message to /mcp. */
  post(body: unknown, headers?: Headers): Promise<Response>;
  /** Opens an MCP session, and returns the headers for requests in it. */
  open(headers?: Headers, protocolVersion?: string): Promise<Headers>;
}

export type Headers = Readonly<Record<string, string>>;

/** Address of the server. */
const origin = 'http://127.0.0.1:8420';

const flow = {
  id: 'review-flow',
  name: 'Review',
  description: 'Review a change.',
  version: '1.0.0',
  steps: [
    { id: 'read-it', title: 'Read it', prompt: 'Read the change.' },
    { id: 'report', title: 'Report', prompt: 'Report on it.', requireConfirmation: true },
  ],
};

/** Opens a server with one workflow, a new state directory and these flags. */
export function openService(...flags: readonly string[]): TestService {
  return openServiceWith({}, ...flags);
}

/** Like {@link openService}, with other parts or environment variables. */
export function openServiceWith(
  {
    env = {},
    host = {},
    ...parts
  }: Partial<Pick<ServiceParts, 'processMetrics' | 'createHandler' | 'pages'>> & {
    readonly env?: Environment;
    readonly host?: Partial<HostOptions>;
    readonly telemetry?: (log: Log) => Telemetry;
    /** Gets the path of the audit log. Without this array, there is no audit log. */
    readonly audit?: string[];
    readonly auditPlace?: string;
  },
  ...flags: readonly string[]
): TestService {
  const root = mkdtempSync(join(tmpdir(), 'workflowlookup-http-'));
  writeFileSync(join(root, 'review-flow.json'), JSON.stringify(flow));
  const state = join(root, 'state');
  const own = ['--no-bundled', '--no-user', '--workflows', root, '--state', state];
  const { audit, auditPlace = join(root, 'audit.jsonl') } = parts;
  audit?.push(auditPlace);
  const audited = audit === undefined ? [] : ['--audit', auditPlace];
  // Most tests use `/mcp` without a token in its path; address.test.ts uses the address that the server prints.
  const auth = flags.includes('--auth') ? [] : ['--auth', 'open'];
  const request = readOptions([...own, ...audited, ...auth, ...flags], env);
  if (request.kind !== 'serve') throw new Error(JSON.stringify(request));
  const logged: string[] = [];
  const log = createLog((line) => logged.push(line));
  const telemetry = parts.telemetry?.(log);
  const service = createService(
    { ...request, host: { ...request.host, includeProject: false, ...host } },
    { version: '1.2.3', log, ...parts, telemetry },
  );
  onTestFinished(async () => {
    await service.drain();
    await service.close();
    rmSync(root, { recursive: true, force: true });
    if (/wlk_|eyJ/.test(logged.join())) throw new Error('a credential was logged');
  });
  const test: TestService = {
    service,
    state,
    definitions: root,
    logged,
    async key(key) {
      const { ok, text } = await runKeysCommand({ action: 'create', key, place: request.host });
      if (!ok) throw new Error(text);
      return text.trim();
    },
    async expiredKey(wanted) {
      const { secret } = await createExpiredKey(request.host, wanted);
      return secret;
    },
    async revoke(id) {
      const { ok, text } = await runKeysCommand({ action: 'revoke', id, place: request.host });
      if (!ok) throw new Error(text);
    },
    fetch: (path, init) => service.app.fetch(new Request(origin + path, init)),
    post: (body, headers) => test.fetch('/mcp', posting(body, headers)),
    async open(headers = {}, protocolVersion = '2025-11-25') {
      const params = { protocolVersion, capabilities: {} };
      const response = await test.post(rpc('initialize', params), headers);
      return { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
    },
  };
  return test;
}

/** Returns a POST request with a message, or with this exact text. */
export function posting(body: unknown, headers: Headers = {}): RequestInit {
  const accept = 'application/json, text/event-stream';
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** Returns a JSON-RPC request. */
export function rpc(method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method, params };
}

/** The response to a direct method. */
export interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly data?: Readonly<Record<string, unknown>> };
}

/** Returns the message in a response, whether it is JSON or an event stream. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return JSON.parse(text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}')) as Answer;
}

/** Returns the header with a bearer credential. */
export function bearer(credential: string): Headers {
  return { authorization: `Bearer ${credential}` };
}
