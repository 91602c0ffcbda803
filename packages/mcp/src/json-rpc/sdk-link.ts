import { messages } from '../messages.ts';
import type { RequestId, RpcMessage, RpcReply, RpcRequest } from './rpc-messages.ts';
import { errorReply, invalidRequest } from './rpc-messages.ts';

/** The transport of the SDK's server. It has the shape of the SDK's `Transport`, which is not imported to keep starts fast. */
export interface BackendTransport {
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  start(): Promise<void>;
  /** `relatedRequestId` names the request on whose behalf the message is sent. */
  send(message: RpcMessage, options?: { readonly relatedRequestId?: RequestId }): Promise<void>;
  close(): Promise<void>;
}

/** The SDK's server. */
export interface Backend {
  /** Whether the server answers a request of this form. It drops any other without a reply. */
  accepts(request: RpcRequest): boolean;
  close(): Promise<void>;
}

export type OpenBackend = (transport: BackendTransport) => Promise<Backend>;

/** The link to the SDK's server, which the first request that needs it opens. */
export interface BackendLink {
  readonly isOpen: boolean;
  /**
   * Sends a request and returns the reply, or `undefined` if the request was cancelled. `write` receives the messages the
   * server sends on behalf of this request; by default they go to the `write` of the link.
   */
  request(message: RpcRequest, write?: Write): Promise<RpcReply | undefined>;
  /** Sends a message that gets no reply. Until the server is open, the message is kept. */
  send(message: RpcMessage): void;
  /** Gives up a request whose client no longer waits. */
  release(id: RequestId): void;
  close(): Promise<void>;
}

type Write = (message: RpcMessage) => void;

/** A request that waits for its reply. */
interface PendingRequest {
  readonly write: Write | undefined;
  settle(reply: RpcReply | undefined): void;
}

/** The maximum number of messages kept for a server that is not open. Normally there are two. */
const maxKept = 16;

/** Creates the link. `write` receives the notifications and requests that the server sends to the client. */
export function createBackendLink(open: OpenBackend, write: Write): BackendLink {
  const pending = new Map<RequestId, PendingRequest>();
  let kept: RpcMessage[] = [];
  let opening: Promise<Backend> | undefined;

  const transport: BackendTransport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send(message, { relatedRequestId } = {}) {
      if ('method' in message) (writeFor(relatedRequestId) ?? write)(message);
      else if (message.id !== null) settle(message.id, message);
      return Promise.resolve();
    },
  };

  function writeFor(id: RequestId | undefined): Write | undefined {
    return id === undefined ? undefined : pending.get(id)?.write;
  }

  function settle(id: RequestId, reply: RpcReply | undefined): void {
    const request = pending.get(id);
    pending.delete(id);
    request?.settle(reply);
  }

  /** Opens the server if necessary, then sends the kept messages and this one. After a failure, the next request retries. */
  async function deliver(message: RpcMessage): Promise<void> {
    opening ??= open(transport).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    const { accepts } = await opening;
    const first = kept;
    kept = [];
    for (const next of [...first, message])
      if ('method' in next && 'id' in next && !accepts(next))
        settle(next.id, errorReply(next.id, invalidRequest(messages.notARequest())));
      else transport.onmessage?.(next as never);
  }

  return {
    get isOpen() {
      return opening !== undefined;
    },
    request(message, own) {
      return new Promise((resolve, reject) => {
        pending.set(message.id, { write: own, settle: resolve });
        deliver(message).catch((error: unknown) => {
          pending.delete(message.id);
          reject(error instanceof Error ? error : new Error('The backend did not open', { cause: error }));
        });
      });
    },
    send(message) {
      if (opening === undefined) {
        if (kept.length < maxKept) kept.push(message);
        return;
      }
      // If the server can't open, each request fails with the reason. Messages without a reply are dropped.
      deliver(message).catch(() => undefined);
    },
    release: (id) => settle(id, undefined),
    async close() {
      if (opening !== undefined) await (await opening).close();
    },
  };
}
