import type { CallToolResult, ListToolsResult, ServerContext, Transport } from '@modelcontextprotocol/server';
import {
  CLIENT_CAPABILITIES_META_KEY,
  McpServer,
  ProtocolError,
  createMcpHandler,
  isJSONRPCRequest,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Engine } from '@workflowlookup/core';
import type { Caller } from '@workflowlookup/core/sessions';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { CallInProgress } from '../json-rpc/connection.ts';
import { canElicit } from '../json-rpc/peers.ts';
import type { RpcMessage } from '../json-rpc/rpc-messages.ts';
import type { Backend, BackendTransport } from '../json-rpc/peers.ts';
import { capabilities, instructionsFor, listTools } from '../server-info.ts';
import type { CallContext, ToolRunner } from '../tool-support/run-tool.ts';
import { createToolRunner } from '../tool-support/run-tool.ts';
import type { Services } from '../tool-support/tool.ts';
import type { RepeatableCall } from './elicitation.ts';
import { elicitByRepeating, modernVersion, createRequestStates, processKeys } from './elicitation.ts';
import type { ServerParts } from './resources.ts';
import {
  withProtocolErrors,
  serveCompletion,
  servePrompts,
  serveSkills,
  announceChanges,
  serveResources,
  workflowUri,
} from './resources.ts';

export type MakeServer = (parts: ServerParts, use: ServerUse) => McpServer;

/**
 * What a server is created for: a whole connection; one request (others announce changes); or one request about tools,
 * which costs half as much because nothing else is registered.
 */
type ServerUse = 'connection' | 'request' | 'tools';

function createServer(parts: ServerParts, use: ServerUse): McpServer {
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
  const toolRunner = shared?.toolRunner ?? createToolRunner({ ...parts, services: () => parts });
  server.setRequestHandler('tools/list', () => listTools(parts.tools) as unknown as ListToolsResult);
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
    withProtocolErrors(parts, async () => {
      const call = new CallInProgress(mcpReq.signal);
      const elicit = elicitOf({ name: params.name, arguments: params.arguments }, mcpReq, parts);
      const context = {
        signal: call.signal,
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

/** Options for {@link openBackend}. */
interface BackendOptions extends Omit<ServerParts, keyof Services | 'states'> {
  services(): Services | Promise<Services>;
  /** Creates the server; by default this product's server. */
  readonly makeServer?: MakeServer | undefined;
}

export async function openBackend(
  transport: BackendTransport,
  { makeServer = createServer, ...parts }: BackendOptions,
): Promise<Backend> {
  const serverParts: ServerParts = {
    ...parts,
    ...(await parts.services()),
    states: createRequestStates(processKeys()),
  };
  const server = serveStdio(() => makeServer(serverParts, 'connection'), {
    transport: transport as unknown as Transport,
    onerror: (error) => parts.onError(error),
  });
  return { accepts: isJSONRPCRequest, close: () => server.close() };
}

/** Options for {@link openModern}. */
interface ModernOptions extends Omit<ServerParts, keyof Services | 'states' | 'shared'> {
  readonly toolRunner: ToolRunner;
  readonly engine: Engine;
  readonly keys: KeyRing;
  readonly maxStreams: number;
  services(caller: Caller): Services;
  /** Creates the server; by default this product's server. */
  readonly makeServer?: MakeServer | undefined;
}

/** Serves revision 2026-07-28 over HTTP, where each request stands on its own, with the SDK's server. */
export interface ModernHandler {
  /** Answers a request whose decoded body is `message`. */
  fetch(request: Request, message: RpcMessage, caller: Caller): Promise<Response>;
  close(): Promise<void>;
}

/** Opens the SDK's HTTP handler for revision 2026-07-28. */
export function openModern(modern: ModernOptions): ModernHandler {
  const { engine, keys, maxStreams, services, toolRunner, makeServer = createServer, ...parts } = modern;
  const asked = new WeakMap<Request, { readonly caller: Caller; readonly isOfTools: boolean }>();
  const handler = createMcpHandler(
    async ({ requestInfo }) => {
      const known = requestInfo && asked.get(requestInfo);
      if (known === undefined) throw new Error('A request came without its caller');
      const { caller, isOfTools } = known;
      const states = createRequestStates(keys, { principal: caller.principal });
      const all = { ...parts, ...services(caller), states, shared: { toolRunner, caller } };
      return makeServer(all, isOfTools ? 'tools' : 'request');
    },
    // The handler reports only invalid requests here. Our own errors are reported where they happen.
    { legacy: 'reject', onerror: () => undefined, maxSubscriptions: maxStreams },
  );
  const stop = forwardChanges(handler.notify, engine);
  return {
    fetch(request, message, caller) {
      const isOfTools = 'method' in message && message.method.startsWith('tools/');
      asked.set(request, { caller, isOfTools });
      return handler.fetch(request, { parsedBody: message });
    },
    async close() {
      stop();
      await handler.close();
    },
  };
}

/** Forwards changes of definitions to the clients that subscribed to them. */
function forwardChanges(notify: ReturnType<typeof createMcpHandler>['notify'], engine: Engine): () => void {
  return engine.watch((change) => {
    notify.resourcesChanged();
    notify.promptsChanged();
    if (change !== 'all') for (const id of change) notify.resourceUpdated(workflowUri(id));
  });
}
