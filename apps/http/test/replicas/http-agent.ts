/** `legacy`: an MCP session of 2025-11-25. `modern`: requests of 2026-07-28, which need no session. */
export type Era = 'legacy' | 'modern';

/** The answer to a tool call over HTTP. */
export interface HttpAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Name of the error of the tool, or `HTTP` with the status; empty if the call succeeded. */
  readonly error: string;
  /** Whether the answer says that the same call can succeed later. */
  readonly isRetryable: boolean;
  readonly text: string;
  /** Session token for the next call; empty if the answer has none. */
  readonly token: string;
  /** Body of the response. */
  readonly raw: string;
}

/** Calls tools at the replica whose address it is given. */
export interface HttpAgent {
  /** Rejects if there is no complete response. */
  call(url: string, name: string, args?: object): Promise<HttpAnswer>;
  /**
   * Opens the stream for messages from the server, if the agent has an MCP session. Returns a function that closes it.
   */
  listen(url: string): Promise<() => void>;
  /** Ends the MCP session of the agent, if it has one. */
  end(url: string): Promise<void>;
}

/** Time limit of a request. It is long, so that only a request that hangs reaches it, even on a busy machine. */
const patienceMs = 60_000;

const clientMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Creates an agent. A legacy agent opens its MCP session at this replica. */
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

/** Returns why there was no answer, from the error of `fetch` or `call`. */
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

/**
 * Statuses of a request that the server did not process. It answers 408 if it could not read the request for too long.
 */
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
