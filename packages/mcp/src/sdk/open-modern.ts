import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Caller, Engine, KeyRing } from '@workflowlookup/core';
import { createRequestStates } from '../elicitation/request-state.ts';
import type { RpcMessage } from '../front-door/json-rpc.ts';
import type { ToolDesk } from '../tool-desk.ts';
import type { Services } from '../tools/tool.ts';
import type { MakeServer } from './create-server.ts';
import { createServer } from './create-server.ts';
import { workflowUri } from './resources.ts';
import type { ServerParts } from './server-parts.ts';

/** What serving requests that describe themselves takes. */
export interface ModernParts extends Omit<ServerParts, keyof Services | 'states' | 'shared'> {
  readonly desk: ToolDesk;
  readonly engine: Engine;
  readonly keys: KeyRing;
  readonly maxStreams: number;
  services(caller: Caller): Promise<Services>;
  /** Default this product's server. */
  readonly makeServer?: MakeServer | undefined;
}

/** Serves 2026-07-28 over HTTP: each request on its own, by the SDK's server. */
export interface Modern {
  /** `message` is the body of the request, decoded. */
  fetch(request: Request, message: RpcMessage, caller: Caller): Promise<Response>;
  close(): Promise<void>;
}

/** Opens it. */
export function openModern(modern: ModernParts): Modern {
  const { engine, keys, maxStreams, services, desk, makeServer = createServer, ...parts } = modern;
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
        shared: { desk, caller },
      };
      return makeServer(all, isOfTools ? 'tools' : 'request');
    },
    // What it reports are refusals of what clients sent; failures of ours are reported where they happen.
    { legacy: 'reject', onerror: () => undefined, maxSubscriptions: maxStreams },
  );
  const stop = announceTo(handler.notify, engine);
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

/** Tells the streams that listen what changed. */
function announceTo(notify: ReturnType<typeof createMcpHandler>['notify'], engine: Engine): () => void {
  return engine.watch((change) => {
    notify.resourcesChanged();
    notify.promptsChanged();
    if (change !== 'all') for (const id of change) notify.resourceUpdated(workflowUri(id));
  });
}
