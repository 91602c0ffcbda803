import type { JsonObject } from '@workflowlookup/schema';
import { messages } from '../messages.ts';
import type { Choice, Question, ToolContext } from '../tool-support/tool.ts';
import type { RequestId, RpcMessage, RpcReply, RpcRequest } from './rpc-messages.ts';
import { isRecord, errorReply, invalidRequest } from './rpc-messages.ts';

/** How to send a question to the person. */
interface QuestionOptions extends ClientRequestOptions {
  /** The protocol revision of the session. */
  readonly version: string;
  /** Called before the question is sent. */
  onWait(): void;
}

/** Returns the `elicit` function of a call that asks by a request to the client, for revisions up to 2025-11-25. */
export function elicitByRequest(
  client: ClientRequests,
  options: QuestionOptions,
): NonNullable<ToolContext['elicit']> {
  return async (question) => {
    options.onWait();
    const form = formOf(question, options.version);
    return choiceOf(await client.send('elicitation/create', form, options), question);
  };
}

/** The first revision with elicitation. */
const firstRevision = '2025-06-18';

/** The first revision in which each option of a form has its own title. */
const titledRevision = '2025-11-25';

/** Returns whether a client with these capabilities can show a form to the person. */
export function canElicit(version: string, capabilities: unknown): boolean {
  const elicitation = isRecord(capabilities) ? capabilities['elicitation'] : undefined;
  if (version < firstRevision || !isRecord(elicitation)) return false;
  // A client that names no mode supports forms.
  return 'form' in elicitation || !('url' in elicitation);
}

/** Returns the parameters of `elicitation/create` for a question. */
export function formOf({ message, options }: Question, version: string): JsonObject {
  const titled = options.map(({ id, label, description }) => ({
    id,
    title: description === undefined ? label : `${label}: ${description}`,
  }));
  const choices =
    version < titledRevision
      ? { enum: titled.map(({ id }) => id), enumNames: titled.map(({ title }) => title) }
      : { oneOf: titled.map(({ id, title }) => ({ const: id, title })) };
  return {
    ...(version < titledRevision ? {} : { mode: 'form' }),
    message,
    requestedSchema: {
      type: 'object',
      properties: { choice: { type: 'string', title: 'Choice', ...choices } },
      required: ['choice'],
    },
  };
}

/** Returns the option the person chose, or `undefined` if they declined or chose something else. */
export function choiceOf(result: unknown, { options }: Question): Choice {
  if (!isRecord(result) || result['action'] !== 'accept' || !isRecord(result['content'])) return undefined;
  const { choice } = result['content'];
  return options.find(({ id }) => id === choice)?.id;
}

export interface ClientRequests {
  /** Sends a request and returns its result, or `undefined` if the client refused or the request was aborted. */
  send(method: string, params: object, options: ClientRequestOptions): Promise<unknown>;
  /** Sends a notification; by default the connection does. */
  notify(method: string, params: object, write?: (message: RpcMessage) => void): void;
  /** Handles a response; returns `false` if it belongs to no request sent here. */
  receive(reply: RpcReply): boolean;
}

interface ClientRequestOptions {
  readonly signal: AbortSignal;
  /** Sends the request; by default the connection does. */
  readonly write?: ((message: RpcMessage) => void) | undefined;
}

/** The prefix of the ids of these requests. The ids of the SDK's server are numbers. */
const prefix = 'front-door/';

/** How long a request waits for its response, so that a person has time to answer. */
const tenMinutesMs = 600_000;

/** Creates the requests of one connection. Each is cancelled after `patienceMs`. */
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
    notify(method, params, write = writeAnywhere) {
      write({ jsonrpc: '2.0', method, params: { ...params } });
    },
    receive(reply) {
      const { id } = reply;
      if (typeof id !== 'string' || !id.startsWith(prefix)) return false;
      open.get(id)?.('result' in reply ? reply.result : undefined);
      return true;
    },
  };
}

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
