import type { RequestId, RpcMessage, RpcReply, RpcRequest } from './json-rpc.ts';

/** The wire as the SDK's server sees it; the shape of the SDK's `Transport`, without importing it. */
export interface BackendTransport {
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  start(): Promise<void>;
  /** `relatedRequestId` names the request on whose behalf the message is sent. */
  send(message: RpcMessage, options?: { readonly relatedRequestId?: RequestId }): Promise<void>;
  close(): Promise<void>;
}

/** Opens the server behind the door on this wire. */
export type OpenBackend = (transport: BackendTransport) => Promise<{ close(): Promise<void> }>;

/** The way from the front door to the server behind it, which is opened by the first request that needs it. */
export interface BackendLink {
  /** Whether a request has gone through. */
  readonly isOpen: boolean;
  /**
   * Passes a request on; `undefined` when it was cancelled, for then no reply is owed. `write` takes what is sent on its
   * behalf meanwhile, where that has a way of its own.
   */
  request(message: RpcRequest, write?: Write): Promise<RpcReply | undefined>;
  /** Passes on what owes the client nothing; before the backend is open it is kept until it is. */
  tell(message: RpcMessage): void;
  /** Lets go of a request whose client no longer waits. */
  release(id: RequestId): void;
  close(): Promise<void>;
}

type Write = (message: RpcMessage) => void;

/** A request whose reply is due. */
interface Owed {
  readonly write: Write | undefined;
  settle(reply: RpcReply | undefined): void;
}

/** Messages kept for a backend that is not open: an opening and what follows it are two. */
const maxKept = 16;

/** Makes the link. `write` takes what the backend says of its own accord: notifications, and requests to the client. */
export function createBackendLink(open: OpenBackend, write: Write): BackendLink {
  const owed = new Map<RequestId, Owed>();
  let kept: RpcMessage[] = [];
  let opening: Promise<{ close(): Promise<void> }> | undefined;

  const transport: BackendTransport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send(message, { relatedRequestId } = {}) {
      if ('method' in message) (ownWay(relatedRequestId) ?? write)(message);
      else if (message.id !== null) settle(message.id, message);
      return Promise.resolve();
    },
  };

  function ownWay(id: RequestId | undefined): Write | undefined {
    return id === undefined ? undefined : owed.get(id)?.write;
  }

  function settle(id: RequestId, reply: RpcReply | undefined): void {
    const request = owed.get(id);
    owed.delete(id);
    request?.settle(reply);
  }

  /** Opens, hands over what was kept, then the message; a failed opening is tried again by the next request. */
  async function deliver(message: RpcMessage): Promise<void> {
    opening ??= open(transport).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    await opening;
    const first = kept;
    kept = [];
    for (const next of [...first, message]) transport.onmessage?.(next as never);
  }

  return {
    get isOpen() {
      return opening !== undefined;
    },
    request(message, own) {
      return new Promise((resolve, reject) => {
        owed.set(message.id, { write: own, settle: resolve });
        deliver(message).catch((error: unknown) => {
          owed.delete(message.id);
          reject(error instanceof Error ? error : new Error('The backend did not open', { cause: error }));
        });
      });
    },
    tell(message) {
      if (opening === undefined) {
        if (kept.length < maxKept) kept.push(message);
        return;
      }
      // A backend that can't open fails each request with its reason; what owes no reply has nobody to tell.
      deliver(message).catch(() => undefined);
    },
    release: (id) => settle(id, undefined),
    async close() {
      if (opening !== undefined) await (await opening).close();
    },
  };
}
