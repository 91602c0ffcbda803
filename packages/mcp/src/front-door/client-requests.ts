import type { RequestId, RpcMessage, RpcReply } from './json-rpc.ts';

/** Requests of the front door itself to the client. */
export interface ClientRequests {
  /** Sends one; gives its result, or `undefined` where the client refused or nobody waits for it any more. */
  send(method: string, params: object, way: ClientRequestWay): Promise<unknown>;
  /** Takes a response; `false` where it answers no request of the front door. */
  take(reply: RpcReply): boolean;
}

/** How a request goes out. */
export interface ClientRequestWay {
  /** Withdraws it. */
  readonly signal: AbortSignal;
  /** Takes it in place of the connection's own way, where the client has several. */
  readonly write?: ((message: RpcMessage) => void) | undefined;
}

/** Begins the ids of these requests; those of the SDK's server are numbers. */
const prefix = 'front-door/';

/** How long a request stays open: a person may have to be found first. */
const tenMinutesMs = 600_000;

/** Makes the requests of one connection; each is given up after `patienceMs`. */
export function createClientRequests(
  writeAnywhere: (message: RpcMessage) => void,
  patienceMs: number = tenMinutesMs,
): ClientRequests {
  const open = new Map<RequestId, (result: unknown) => void>();
  let sent = 0;

  return {
    send: (method, params, { signal, write = writeAnywhere }) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve(undefined);
          return;
        }
        sent += 1;
        const id = `${prefix}${sent}`;
        const settle = (result: unknown): void => {
          open.delete(id);
          clearTimeout(patience);
          signal.removeEventListener('abort', giveUp);
          resolve(result);
        };
        const giveUp = (): void => {
          write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
          settle(undefined);
        };
        const patience = setTimeout(giveUp, patienceMs).unref();
        signal.addEventListener('abort', giveUp, { once: true });
        open.set(id, settle);
        write({ jsonrpc: '2.0', id, method, params: { ...params } });
      }),
    take(reply) {
      const { id } = reply;
      if (typeof id !== 'string' || !id.startsWith(prefix)) return false;
      open.get(id)?.('result' in reply ? reply.result : undefined);
      return true;
    },
  };
}
