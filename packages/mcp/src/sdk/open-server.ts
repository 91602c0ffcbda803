import type { Transport } from '@modelcontextprotocol/server';
import { createMcpHandler, isJSONRPCRequest } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Engine } from '@workflowlookup/core';
import type { Caller } from '@workflowlookup/core/sessions';
import type { KeyRing } from '@workflowlookup/core/tokens';
import type { Backend, BackendTransport } from '../json-rpc/sdk-link.ts';
import type { RpcMessage } from '../json-rpc/rpc-messages.ts';
import type { ToolRunner } from '../tool-support/run-tool.ts';
import type { Services } from '../tool-support/tool.ts';
import type { MakeServer } from './create-server.ts';
import { createServer } from './create-server.ts';
import { createRequestStates, processKeys } from './elicitation.ts';
import type { ServerParts } from './handler-support.ts';
import { workflowUri } from './resources.ts';

/** Options for {@link openBackend}. */
export interface BackendOptions extends Omit<ServerParts, keyof Services | 'states'> {
  services(): Promise<Services>;
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
export interface ModernOptions extends Omit<ServerParts, keyof Services | 'states' | 'shared'> {
  readonly toolRunner: ToolRunner;
  readonly engine: Engine;
  readonly keys: KeyRing;
  readonly maxStreams: number;
  services(caller: Caller): Promise<Services>;
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
      const own = await services(caller);
      const all = {
        ...parts,
        engine: own.engine,
        get sessions() {
          return own.sessions;
        },
        states,
        shared: { toolRunner, caller },
      };
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
