import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostOptions, NewApiKey } from '@workflowlookup/host';
import type { Environment } from '@workflowlookup/host/flags';
import type { Log } from '@workflowlookup/mcp';
import { createLog } from '@workflowlookup/mcp';
import { afterEach } from 'vitest';
import type { Service, ServiceParts } from '../../src/create-service.ts';
import { createService } from '../../src/create-service.ts';
import { runKeysCommand } from '../../src/keys-command.ts';
import { readOptions } from '../../src/options.ts';
import type { Telemetry } from '../../src/telemetry/open-telemetry.ts';

/** A server without a port, and the hands of its clients. */
export interface TestService {
  readonly service: Service;
  readonly state: string;
  /** Where its workflow is. */
  readonly definitions: string;
  /** Everything logged so far. */
  readonly logged: readonly string[];
  /** Makes a key and gives its secret. */
  key(wanted: NewApiKey): Promise<string>;
  /** Revokes one by its id. */
  revoke(id: string): Promise<void>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Posts a message to /mcp. */
  post(body: unknown, headers?: Headers): Promise<Response>;
  /** Opens a session and gives the headers to go on with. */
  open(headers?: Headers, protocolVersion?: string): Promise<Headers>;
}

/** Headers by name. */
export type Headers = Readonly<Record<string, string>>;

/** Where the server is reached. */
const origin = 'http://127.0.0.1:8420';

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

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

/** Opens a server over one workflow, in a state directory of its own, with these flags. */
export function openService(...flags: readonly string[]): TestService {
  return openServiceWith({}, ...flags);
}

/** The same with other parts, or with variables of the process. */
export function openServiceWith(
  {
    env = {},
    host = {},
    ...parts
  }: Partial<Pick<ServiceParts, 'processMetrics' | 'createHandler' | 'pages'>> & {
    readonly env?: Environment;
    readonly host?: Partial<HostOptions>;
    readonly telemetry?: (log: Log) => Telemetry;
    /** Called with the file of the audit log; without it, there is no audit log. */
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
  // Most tests ask for `/mcp` as it is; address.test.ts asks the server for its address, as clients do.
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
  opened.push(async () => {
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

/** A post of a message, or of text as it is. */
export function posting(body: unknown, headers: Headers = {}): RequestInit {
  const accept = 'application/json, text/event-stream';
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** A request of JSON-RPC. */
export function rpc(method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method, params };
}

/** What a direct method answered. */
export interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly data?: Readonly<Record<string, unknown>> };
}

/** The message of a response, whichever way it came. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return JSON.parse(text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}')) as Answer;
}

/** The header of a bearer credential. */
export function bearer(credential: string): Headers {
  return { authorization: `Bearer ${credential}` };
}
