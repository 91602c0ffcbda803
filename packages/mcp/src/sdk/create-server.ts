import type { CallToolResult, ListToolsResult, ServerContext } from '@modelcontextprotocol/server';
import { CLIENT_CAPABILITIES_META_KEY, McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { CallInProgress } from '../concurrency.ts';
import { canElicit } from '../json-rpc/ask-client.ts';
import { capabilities, instructionsFor, listTools } from '../server-info.ts';
import type { CallContext } from '../tool-support/run-tool.ts';
import { createToolRunner } from '../tool-support/run-tool.ts';
import type { RepeatableCall } from './elicitation.ts';
import { elicitByRepeating, modernVersion } from './elicitation.ts';
import type { ServerParts } from './handler-support.ts';
import { withProtocolErrors } from './handler-support.ts';
import { serveCompletion, servePrompts, serveSkills } from './prompts.ts';
import { announceChanges, serveResources } from './resources.ts';

export type MakeServer = (parts: ServerParts, use: ServerUse) => McpServer;

/**
 * What a server is created for: a whole connection; one request (others announce changes); or one request about tools,
 * which costs half as much because nothing else is registered.
 */
type ServerUse = 'connection' | 'request' | 'tools';

export function createServer(parts: ServerParts, use: ServerUse): McpServer {
  const mcp = new McpServer(parts.identity, {
    capabilities,
    instructions: instructionsFor(parts.tools),
    cacheHints,
  });
  serveTools(mcp, parts);
  if (use === 'tools') return mcp;
  serveResources(mcp, parts);
  serveSkills(mcp, parts);
  servePrompts(mcp, parts);
  serveCompletion(mcp, parts);
  if (use === 'connection') announceChanges(mcp, parts);
  return mcp;
}

/** How long clients may cache results. Tools never change while a server runs; definitions can, and then it notifies. */
const cacheHints = {
  'tools/list': { ttlMs: 3_600_000, cacheScope: 'public' },
  'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' },
  'resources/templates/list': { ttlMs: 3_600_000, cacheScope: 'public' },
  'resources/list': { ttlMs: 1000, cacheScope: 'private' },
  'resources/read': { ttlMs: 1000, cacheScope: 'private' },
  'prompts/list': { ttlMs: 1000, cacheScope: 'private' },
} as const;

function serveTools({ server }: McpServer, parts: ServerParts): void {
  const { shared } = parts;
  const toolRunner =
    shared?.toolRunner ?? createToolRunner({ ...parts, services: () => Promise.resolve(parts) });
  server.setRequestHandler('tools/list', () => listTools(parts.tools) as unknown as ListToolsResult);
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
    withProtocolErrors(parts, async () => {
      const call = new CallInProgress(mcpReq.signal);
      const elicit = elicitOf({ name: params.name, arguments: params.arguments }, mcpReq, parts);
      const context = {
        get signal() {
          return call.signal;
        },
        onWait: () => parts.waiting.add(call),
        notify: (method: string, more: object) =>
          void mcpReq.notify({ method, params: { ...more } }).catch(parts.onError),
        ...(shared === undefined ? {} : { caller: shared.caller }),
        ...elicit,
      };
      const outcome = await toolRunner.call(params, context).finally(() => call.finish());
      if ('error' in outcome)
        throw new ProtocolError(outcome.error.code, outcome.error.message, outcome.error.data);
      return outcome.result as unknown as CallToolResult;
    }),
  );
}

type Envelope = Readonly<Record<string, unknown>>;

/** Returns how this call asks the person; empty if the client can't show a form. */
function elicitOf(
  call: Pick<RepeatableCall, 'name' | 'arguments'>,
  { envelope, requestState, inputResponses }: ServerContext['mcpReq'],
  { states }: ServerParts,
): Pick<CallContext, 'elicit'> {
  if (!canElicit(modernVersion, (envelope as Envelope | undefined)?.[CLIENT_CAPABILITIES_META_KEY]))
    return {};
  return { elicit: elicitByRepeating({ ...call, requestState: requestState(), inputResponses }, states) };
}
