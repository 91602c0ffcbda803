import { createEngine } from '@workflowlookup/core';
import type { Caller } from '@workflowlookup/core/sessions';
import type { KeyRing } from '@workflowlookup/core/tokens';
import type { Workflow } from '@workflowlookup/schema';
import type { MemoryStore } from '@workflowlookup/storage/memory';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import type { HttpHandler, HttpHandlerOptions, RequestSender } from '../../src/http.ts';
import { createHttpHandler } from '../../src/http.ts';
import { noSessions } from '../support/services.ts';
import type { Message } from '../support/streams.ts';

/** A replica of the server, and functions that send requests to it. */
export interface Web {
  readonly handler: HttpHandler;
  readonly workflows: MemoryStore;
  /** Everything logged so far. */
  readonly logged: readonly string[];
  /** Sends a request from this caller. */
  fetch(init: RequestInit, caller?: Caller): Promise<Response>;
  /** Posts a message as JSON, or a text unchanged. */
  post(body: unknown, headers?: Readonly<Record<string, string>>, caller?: Caller): Promise<Response>;
  /** Opens a session and returns the header with its id. */
  open(version?: string, capabilities?: object): Promise<Session>;
}

/** The headers of requests in a session. */
export type Session = Readonly<{ 'mcp-session-id': string }>;

/** Returns a key ring with one key, which depends on the byte. */
export const keyRing = (byte: number): KeyRing => {
  const signing = { id: `k${byte}`, secret: new Uint8Array(32).fill(byte) };
  return { signing, verifying: [signing] };
};

/** The address of all requests. */
export const url = 'http://127.0.0.1/mcp';

/** Opens a replica. Replicas with the same keys accept each other's sessions. */
export function openWeb(served: readonly Workflow[] = [], more: Partial<HttpHandlerOptions> = {}): Web {
  const logged: string[] = [];
  const workflows = createMemoryStore(served);
  const handler = createHttpHandler({
    engine: createEngine({ workflows }),
    sessionsOf: () => noSessions,
    keys: () => Promise.resolve(keyRing(1)),
    version: '1.2.3',
    onError: (error) => logged.push(String(error)),
    ...more,
  });
  const visitor = (caller: Caller = { principal: 'ann' }): RequestSender => ({ caller });
  const web: Web = {
    handler,
    workflows,
    logged,
    fetch: (init, caller) => handler.fetch(new Request(url, init), visitor(caller)),
    post: (body, headers, caller) => web.fetch(posting(body, headers), caller),
    async open(protocolVersion = '2025-11-25', capabilities = {}) {
      const response = await web.post(request('initialize', { protocolVersion, capabilities }));
      return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
    },
  };
  return web;
}

/** Returns a POST request with a message as JSON, or with a text or a stream unchanged. */
export function posting(body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  const accept = 'application/json, text/event-stream';
  const own = { 'content-type': 'application/json', accept, ...headers };
  if (body instanceof ReadableStream) return { method: 'POST', body, headers: own, duplex: 'half' };
  return { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers: own };
}

/** Returns a JSON-RPC request. */
export function request(method: string, params?: unknown, id: number | string = 1): object {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
}

/** Returns the only message of a response, from JSON or from an event stream. */
export async function messageOf(response: Response): Promise<Message> {
  const text = await response.text();
  const data = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}');
  return JSON.parse(data) as Message;
}

/** An event of a stream. */
export interface StreamEvent {
  readonly id: string;
  /** Absent if the event has only an id. */
  readonly message?: Message & { readonly params?: Readonly<Record<string, unknown>> };
}

/** Reads the events of a response one by one. */
export function eventsOf(response: Response): {
  next(): Promise<StreamEvent | undefined>;
  cancel(): Promise<void>;
} {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let rest = '';
  async function next(): Promise<StreamEvent | undefined> {
    const end = rest.indexOf('\n\n');
    if (end >= 0) {
      const block = rest.slice(0, end);
      rest = rest.slice(end + 2);
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      if (data === undefined) return next();
      const id = /^id: (.*)$/m.exec(block)?.[1] ?? '';
      return data === '' ? { id } : { id, message: JSON.parse(data) as Message };
    }
    const { done, value } = await reader.read();
    if (done) return undefined;
    rest += Buffer.from(value).toString('utf8');
    return next();
  }
  return { next, cancel: () => reader.cancel() };
}
