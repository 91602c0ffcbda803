/** How an agent speaks: in a session of 2025-11-25, or with requests that describe themselves. */
export type Era = 'legacy' | 'modern';

/** What a tool answered, and how. */
export interface HttpAnswer {
  /** Of HTTP. */
  readonly status: number;
  /** Name of the tool's error, or of the one of HTTP; `''` where the call did what it should. */
  readonly error: string;
  /** Whether the answer says that the same call may succeed in a moment. */
  readonly isRetryable: boolean;
  readonly text: string;
  /** The token to go on with; `''` where there is none. */
  readonly token: string;
  /** All of it, as it came. */
  readonly raw: string;
}

/** Calls tools at any replica it is told to. */
export interface HttpAgent {
  /** Rejects where no whole response came. */
  call(url: string, name: string, args?: object): Promise<HttpAnswer>;
  /** Opens a stream of what the server says of its own accord, where it has a session; gives how to leave it. */
  listen(url: string): Promise<() => void>;
  /** Ends its session, where it has one. */
  end(url: string): Promise<void>;
}

/** Nothing may hang, on a machine that has much else to do either. */
const patienceMs = 60_000;

const clientMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Makes an agent; one of the legacy era opens its session at this replica. */
export async function openAgent(url: string, era: Era): Promise<HttpAgent> {
  const session = era === 'legacy' ? await openSession(url) : '';
  let lastId = 0;
  return {
    async call(to, name, args = {}) {
      lastId += 1;
      const params = { name, arguments: args, ...(era === 'modern' && { _meta: clientMeta }) };
      const message = { jsonrpc: '2.0', id: lastId, method: 'tools/call', params };
      const response = await post(to, message, headersOf(era, session, name));
      return answerOf(response.status, await response.text());
    },
    async listen(at) {
      const leaving = new AbortController();
      const headers = { accept: 'text/event-stream', 'mcp-session-id': session };
      if (session !== '') await fetch(at, { headers, signal: leaving.signal });
      return () => leaving.abort();
    },
    async end(at) {
      if (session === '') return;
      const { status } = await fetch(at, { method: 'DELETE', headers: { 'mcp-session-id': session } });
      if (status !== 204) throw new Error(`the session was not ended: HTTP ${status}`);
    },
  };
}

/** Why no answer came, of what `fetch` or `call` failed with. */
export function noAnswer(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return cause?.code ?? String(error);
}

function headersOf(era: Era, session: string, name: string): Readonly<Record<string, string>> {
  if (era === 'legacy') return { 'mcp-session-id': session };
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
}

async function openSession(url: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {} };
  const opened = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const text = await opened.text();
  const session = opened.headers.get('mcp-session-id');
  if (session === null) throw new Error(`no session was opened: ${opened.status} ${text}`);
  return session;
}

function post(
  url: string,
  message: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(patienceMs),
  });
}

interface Result {
  readonly isError?: boolean;
  readonly content: readonly [{ readonly text: string }];
  readonly _meta?: {
    readonly session_token?: string;
    readonly 'workflowlookup/error'?: {
      readonly name: string;
      readonly data: { readonly retryable?: boolean };
    };
  };
}

/** By these a server says that it read nothing: a 408 where it was itself kept from reading for long. */
const unread: ReadonlySet<number> = new Set([408, 503]);

/** Reads the body of a response to `tools/call`. */
function answerOf(status: number, raw: string): HttpAnswer {
  const { result } = JSON.parse(raw || '{}') as { readonly result?: Result };
  if (result === undefined)
    return { status, error: `HTTP ${status}`, isRetryable: unread.has(status), text: '', token: '', raw };
  const { content, isError = false, _meta: meta = {} } = result;
  const failure = meta['workflowlookup/error'];
  return {
    status,
    error: isError ? (failure?.name ?? 'nameless') : '',
    isRetryable: failure?.data.retryable === true,
    text: content[0].text,
    token: meta.session_token ?? '',
    raw,
  };
}
