import type { RequestId, RpcMessage, RpcNotification, RpcReply, RpcRequest } from './json-rpc.ts';

/** The wire as the SDK's server sees it; the shape of the SDK's `Transport`, without importing it. */
export interface BackendTransport {
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  start(): Promise<void>;
  send(message: RpcMessage): Promise<void>;
  close(): Promise<void>;
}

/** Opens the server behind the door on this wire. */
export type OpenBackend = (transport: BackendTransport) => Promise<{ close(): Promise<void> }>;

/** The way from the front door to the server behind it, which is opened when first needed. */
export interface BackendLink {
  /** Whether anything was sent through. */
  readonly used: boolean;
  /** Opens the backend ahead of need. */
  warm(): Promise<unknown>;
  /** Passes a request on; `undefined` when it was cancelled, for then no reply is owed. */
  request(message: RpcRequest): Promise<RpcReply | undefined>;
  /** Passes on what owes no reply. */
  tell(message: RpcNotification | RpcReply): void;
  /** Lets go of a request whose client no longer waits. */
  release(id: RequestId): void;
  close(): Promise<void>;
}

/** Makes the link. `write` takes what the backend says of its own accord: notifications, and requests to the client. */
export function createBackendLink(open: OpenBackend, write: (message: RpcMessage) => void): BackendLink {
  const owed = new Map<RequestId, (reply: RpcReply | undefined) => void>();
  let opened: Promise<{ close(): Promise<void> }> | undefined;
  let used = false;

  const transport: BackendTransport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send(message) {
      if ('method' in message) write(message);
      else if (message.id !== null) settle(message.id, message);
      return Promise.resolve();
    },
  };

  function settle(id: RequestId, reply: RpcReply | undefined): void {
    const done = owed.get(id);
    owed.delete(id);
    done?.(reply);
  }

  async function deliver(message: RpcMessage): Promise<void> {
    used = true;
    await warm();
    transport.onmessage?.(message as never);
  }

  function warm(): Promise<unknown> {
    opened ??= open(transport);
    return opened;
  }

  return {
    get used() {
      return used;
    },
    warm,
    request(message) {
      return new Promise((resolve, reject) => {
        owed.set(message.id, resolve);
        deliver(message).catch((error: unknown) => {
          owed.delete(message.id);
          reject(error instanceof Error ? error : new Error('The backend did not open', { cause: error }));
        });
      });
    },
    tell(message) {
      // A backend that can't open fails each request with its reason; what owes no reply has nobody to tell.
      deliver(message).catch(() => undefined);
    },
    release: (id) => settle(id, undefined),
    async close() {
      if (opened === undefined) return;
      await (await opened).close();
    },
  };
}
