import { midway } from '../definitions/definitions.mjs';
import { openSession } from './http-client.mjs';

/**
 * What the clients of a server send.
 *
 * @typedef {object} HttpCalls
 * @property {(url: string) => Promise<Readonly<Record<string, string>>>} open the headers of one client
 * @property {(number: number) => object} message about the definition of that number
 * @property {string} holds a part of every answer
 */

const next = { name: 'workflow_next', argumentsOf: midway, holds: '"isComplete":false' };
const echo = { name: 'echo', argumentsOf: () => ({ text: 'hello' }), holds: 'hello' };

/** `tools/call` in a legacy session of each client. */
const inSession = (tool) => ({
  open: openSession,
  message: (number) => callOf(tool, number),
  holds: tool.holds,
});

const version = '2026-07-28';
const claims = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** `tools/call` of 2026-07-28: each call on its own. */
const onItsOwn = (tool) => ({
  open: async () => ({ 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': tool.name }),
  message: (number) => callOf(tool, number, { _meta: claims }),
  holds: tool.holds,
});

/** The calls of the HTTP rows. */
export const httpCalls = {
  nextInSession: inSession(next),
  echoInSession: inSession(echo),
  nextOnItsOwn: onItsOwn(next),
  echoOnItsOwn: onItsOwn(echo),
  nextDirect: { ...inSession(next), message: directly },
  /** The same bytes to a server that knows no sessions. */
  bare: { open: async () => ({ 'mcp-session-id': 'x'.repeat(180) }), message: directly, holds: 'files' },
};

function directly(number) {
  return { method: next.name, params: next.argumentsOf(number) };
}

function callOf({ name, argumentsOf }, number, more) {
  return { method: 'tools/call', params: { name, arguments: argumentsOf(number), ...more } };
}
