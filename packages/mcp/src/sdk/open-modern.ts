import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Caller, Engine, KeyRing } from '@workflowlookup/core';
import { createRequestStates } from '../elicitation/request-state.ts';
import type { RpcMessage } from '../front-door/json-rpc.ts';
import type { Services } from '../tools/tool.ts';
import { createQuietServer } from './create-server.ts';
import { workflowUri } from './resources.ts';
import type { ServerParts } from './server-parts.ts';

/** What serving requests that describe themselves takes. */
export interface ModernParts extends Omit<ServerParts, keyof Services | 'states'> {
  readonly engine: Engine;
  readonly keys: KeyRing;
  readonly maxStreams: number;
  services(caller: Caller): Promise<Services>;
}

/** Serves 2026-07-28 over HTTP: each request on its own, by the SDK's server. */
export interface Modern {
  /** `message` is the body of the request, decoded. */
  fetch(request: Request, message: RpcMessage, caller: Caller): Promise<Response>;
  close(): Promise<void>;
}

/** Opens it. */
export function openModern({ engine, keys, maxStreams, services, ...parts }: ModernParts): Modern {
  const callers = new WeakMap<Request, Caller>();
  const handler = createMcpHandler(
    async ({ requestInfo }) => {
      const caller = requestInfo && callers.get(requestInfo);
      if (caller === undefined) throw new Error('A request came without its caller');
      const states = createRequestStates(keys, { principal: caller.principal });
      return createQuietServer({ ...parts, ...(await services(caller)), states });
    },
    // What it reports are refusals of what clients sent; failures of ours are reported where they happen.
    { legacy: 'reject', onerror: () => undefined, maxSubscriptions: maxStreams },
  );
  const stop = announceTo(handler.notify, engine);
  return {
    fetch(request, message, caller) {
      callers.set(request, caller);
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
