import { midway } from '../definitions/definitions.mjs';
import { openSession } from './http-client.mjs';

/**
 * The calls that the clients of a server make.
 *
 * @typedef {object} HttpCalls
 * @property {(url: string) => Promise<Readonly<Record<string, string>>>} open returns the headers of one client
 * @property {(number: number) => object} message returns the message about the definition with this number
 * @property {string} holds a text that every answer contains
 */

const next = { name: 'workflow_next', argumentsOf: midway, holds: '"isComplete":false' };
const echo = { name: 'echo', argumentsOf: () => ({ text: 'hello' }), holds: 'hello' };

/** Calls of a tool in which each client has a legacy MCP session. */
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

/** Calls of a tool in MCP revision 2026-07-28, which has no sessions. */
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
  /** Sends the same bytes as `nextDirect`, for a server without sessions. */
  bare: { open: async () => ({ 'mcp-session-id': 'x'.repeat(180) }), message: directly, holds: 'files' },
};

function directly(number) {
  return { method: next.name, params: next.argumentsOf(number) };
}

function callOf({ name, argumentsOf }, number, more) {
  return { method: 'tools/call', params: { name, arguments: argumentsOf(number), ...more } };
}
