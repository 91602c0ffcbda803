import { Client } from 'undici';

/**
 * A client that keeps its own connection open.
 *
 * @typedef {object} HttpClient
 * @property {(message: object, headers?: Readonly<Record<string, string>>) => Prepared} prepare
 * @property {(prepared: Prepared) => Promise<string>} send returns the body of the answer; rejects on any status but 200
 * @property {(name: string, args: object, headers?: Readonly<Record<string, string>>) => Promise<any>} tool `tools/call`;
 *   rejects on a tool error too
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Prepared a request that can be sent again and again
 */

const jsonHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/**
 * Opens a client. It uses the callbacks of undici and not a promise for each part of a response, because client and
 * server may share a processor, and a cheap client disturbs the server less.
 *
 * @param {string} url where messages are posted
 * @returns {HttpClient}
 */
export function createHttpClient(url) {
  const { origin, pathname: path } = new URL(url);
  const client = new Client(origin);
  const prepare = (message, headers = {}) => ({
    path,
    method: 'POST',
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  const send = (prepared) =>
    new Promise((resolve, reject) => client.dispatch(prepared, collector(resolve, reject)));
  return {
    prepare,
    send,
    async tool(name, given, headers) {
      const message = { id: 1, method: 'tools/call', params: { name, arguments: given } };
      const reply = JSON.parse(await send(prepare(message, headers)));
      if (reply.error !== undefined || reply.result.isError === true)
        throw new Error(`${name}: ${JSON.stringify(reply.error ?? reply.result.content)}`);
      return reply;
    },
    close: () => client.close(),
  };
}

/**
 * Opens a legacy MCP session. Resolves to the headers for its requests.
 *
 * @param {string} url
 */
export async function openSession(url) {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'benchmarks', version: '0.0.0' },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: jsonHeaders,
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  const session = response.headers.get('mcp-session-id');
  if (session === null) throw new Error(`No session was opened: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
  return { 'mcp-session-id': session, 'mcp-protocol-version': params.protocolVersion };
}

/** Collects the parts of a response that undici passes to its callbacks. */
function collector(resolve, reject) {
  const pieces = [];
  let status = 0;
  return {
    onRequestStart() {},
    onResponseStart(_controller, statusCode) {
      status = statusCode;
    },
    onResponseData(_controller, piece) {
      pieces.push(piece);
    },
    onResponseEnd() {
      const text = (pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)).toString();
      if (status === 200) resolve(text);
      else reject(new Error(`The server answered ${status}: ${text.slice(0, 500)}`));
    },
    onResponseError: (_controller, error) => reject(error),
  };
}
