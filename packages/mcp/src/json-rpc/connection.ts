import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '@workflowlookup/core/sessions';
import { messages } from '../messages.ts';
import { listTools } from '../server-info.ts';
import type { CallContext, Outcome, ToolRunner } from '../tool-support/run-tool.ts';
import type { Tool } from '../tool-support/tool.ts';
import type { ClientRequests, BackendLink } from './peers.ts';
import { canElicit, elicitByRequest } from './peers.ts';
import type {
  Decoded,
  DecodedText,
  RequestId,
  RpcMessage,
  RpcNotification,
  RpcReply,
  RpcRequest,
  Phase,
} from './rpc-messages.ts';
import {
  addErrorDetails,
  decode,
  errorReply,
  invalidRequest,
  resultReply,
  rpcCodes,
  batchVersion,
  maxBatch,
  route,
} from './rpc-messages.ts';

/** Options for {@link RpcConnection}. */
export interface RpcConnectionOptions {
  /** The tools; in a legacy session, the name of each is a method too. If there are none, the SDK's server handles tools. */
  readonly tools: readonly Tool[];
  /** Loads the tool runner; returns the same one each time. */
  readonly toolRunner: () => Promise<ToolRunner>;
  readonly backend: BackendLink;
  readonly client: ClientRequests;
  readonly waiting: WaitingCalls;
  /** Returns the result of `initialize` for a protocol revision. */
  introduce(version: string): object;
  /** Called with errors that the caller did not cause. */
  onError(error: unknown): void;
  /** Called when a client has listed the tools, because it is then likely to call one. */
  onToolsListed(): void;
  /** Called once, when `shutdown` is answered. */
  onShutdown(): void;
  /** The initial phase; `new` by default. It differs if another replica opened the session. */
  readonly phase?: Phase;
  /** Whether legacy requests are answered one after another; default true. */
  readonly inOrder?: boolean;
}

/** Where a message came from, if the transport has several callers or streams. */
export interface MessageSource {
  readonly caller?: Caller;
  /** Sends messages to the client on behalf of this one, before its reply. */
  readonly write?: (message: RpcMessage) => void;
  /** Whether the server can ask the person while the client waits for this reply; default true. */
  readonly canAskPerson?: boolean;
  /** Called when the reply begins to wait for a person. */
  readonly onWait?: () => void;
  /** Whether the message is part of a batch. */
  readonly isInBatch?: boolean;
}

type Answer = RpcReply | undefined;

/** The routes that are not answered at once. */
type RouteToRun = 'tool' | 'ordered' | 'concurrent' | 'shutdown';

interface RequestInProgress {
  readonly request: RpcRequest;
  readonly kind: RouteToRun;
  readonly call: CallInProgress;
  readonly from: MessageSource;
  cancelled: boolean;
}

/**
 * One connection to a client. It receives every message and replies exactly once: to legacy requests in the order received,
 * to requests that name their own revision at once. It passes to the SDK's server what it does not handle itself.
 *
 * @see docs/decisions/0001-front-door.md
 */
export class RpcConnection {
  readonly #options: RpcConnectionOptions;
  readonly #inProgress = new Map<RequestId, RequestInProgress>();
  readonly #draining = new Set<Promise<unknown>>();
  readonly #queue = new Queue();
  /** The calls in batches, on a server that has other callers. */
  readonly #batched = new PacedQueue();
  readonly #toolNames: ReadonlySet<string>;
  #phase: Phase;

  constructor(options: RpcConnectionOptions) {
    this.#options = options;
    this.#toolNames = new Set(options.tools.map(({ name }) => name));
    this.#phase = options.phase ?? { kind: 'new' };
  }

  /** Handles one text from the client; resolves to the reply, or `undefined` if there is none. */
  receive(text: string): Promise<Answer | readonly RpcReply[]> {
    return this.receiveDecoded(decode(text));
  }

  /** Handles a decoded text, like `receive`. */
  receiveDecoded(decoded: DecodedText, from: MessageSource = {}): Promise<Answer | readonly RpcReply[]> {
    // Replies that need no work are created synchronously, so that they keep their order.
    const job = Promise.resolve(
      decoded.kind === 'batch' ? this.#handleBatch(decoded.entries, from) : this.#handle(decoded, from),
    );
    if (isSubscription(decoded)) return job;
    this.#draining.add(job);
    return job.finally(() => this.#draining.delete(job));
  }

  /** Waits for the requests in progress and aborts those that wait for a person. It does not wait for subscriptions. */
  async drain(): Promise<void> {
    void this.#options.waiting.abort();
    await Promise.allSettled(this.#draining);
  }

  #handle(entry: Decoded, from: MessageSource): Answer | Promise<Answer> {
    switch (entry.kind) {
      case 'invalid':
        return entry.reply;
      case 'notification':
        return this.#handleNotification(entry.message);
      case 'response':
        if (!this.#options.client.receive(entry.message) && this.#options.backend.isOpen)
          this.#options.backend.send(entry.message);
        return undefined;
      case 'request':
        return this.#answer(entry.message, from);
      case 'ignored':
        return undefined;
    }
  }

  #handleNotification(message: RpcNotification): undefined {
    const { backend } = this.#options;
    if (message.method === 'notifications/cancelled') this.#cancel(message.params?.['requestId']);
    if (backend.isOpen || message.method === 'notifications/initialized') backend.send(message);
  }

  #cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const request = this.#inProgress.get(id);
    if (request === undefined) return;
    request.cancelled = true;
    request.call.abort();
    this.#options.backend.release(id);
  }

  #answer(request: RpcRequest, from: MessageSource): Answer | Promise<Answer> {
    const { id } = request;
    const chosen = route(request, this.#phase, this.#toolNames);
    if (chosen.kind === 'refuse') return errorReply(id, chosen.error);
    if (chosen.kind === 'acknowledge') return resultReply(id, {});
    if (this.#inProgress.has(id)) return errorReply(id, invalidRequest(messages.idInUse(id)));
    return chosen.kind === 'initialize'
      ? this.#initialize(request, chosen.version)
      : this.#enqueue({ request, kind: chosen.kind, call: new CallInProgress(), from, cancelled: false });
  }

  async #enqueue(job: RequestInProgress): Promise<Answer> {
    const { request, kind, from } = job;
    const queue = this.#queueFor(kind, from);
    this.#inProgress.set(request.id, job);
    try {
      const reply = await (queue === undefined
        ? this.#process(job)
        : queue.run(async (leave) => {
            // A concurrent request only needs a turn; the next one need not wait for its reply.
            if (kind === 'concurrent') leave();
            return job.cancelled ? undefined : this.#process(job, leave);
          }));
      return job.cancelled ? undefined : reply;
    } finally {
      this.#inProgress.delete(request.id);
      job.call.finish();
    }
  }

  /** Returns the queue for a request, or `undefined` if it need not wait. */
  #queueFor(kind: RouteToRun, { isInBatch = false }: MessageSource): Queue | PacedQueue | undefined {
    if (this.#options.inOrder === false) return isInBatch ? this.#batched : undefined;
    return kind === 'concurrent' ? undefined : this.#queue;
  }

  async #process(job: RequestInProgress, leave?: () => void): Promise<Answer> {
    const { request, kind } = job;
    if (kind === 'shutdown') return this.#shutDown(request);
    try {
      if (kind === 'tool')
        return {
          jsonrpc: '2.0',
          id: request.id,
          ...(await this.#runTool(request, this.#callContext(job, leave))),
        };
      const reply = await this.#options.backend.request(request, job.from.write);
      return reply === undefined || kind === 'concurrent' ? reply : addErrorDetails(reply, request);
    } catch (error) {
      this.#options.onError(error);
      return errorReply(request.id, { code: rpcCodes.internalError, message: 'Internal error' });
    }
  }

  /** Returns the context of a tool call. When the call begins to wait for a person, it leaves the queue. */
  #callContext({ call, from }: RequestInProgress, leave?: () => void): CallContext {
    const { client, waiting } = this.#options;
    const { caller, write, canAskPerson = true } = from;
    const onWait = (): void => {
      waiting.add(call);
      leave?.();
      from.onWait?.();
    };
    const phase = this.#phase;
    const elicit =
      phase.kind === 'legacy' && phase.canElicit && canAskPerson
        ? elicitByRequest(client, { version: phase.version, signal: call.signal, onWait, write })
        : undefined;
    return {
      signal: call.signal,
      onWait,
      notify: (method, params) => client.notify(method, params, write),
      ...(caller !== undefined && { caller }),
      ...(elicit !== undefined && { elicit }),
    };
  }

  async #runTool({ method, params = {} }: RpcRequest, context: CallContext): Promise<Outcome> {
    if (method === 'tools/list') {
      this.#options.onToolsListed();
      return { result: listTools(this.#options.tools) };
    }
    const runner = await this.#options.toolRunner();
    return method === 'tools/call'
      ? runner.call(params, context)
      : runner.callDirectly(method, params, context);
  }

  async #shutDown({ id }: RpcRequest): Promise<RpcReply> {
    this.#phase = { kind: 'closing' };
    await this.#options.waiting.abort();
    this.#options.onShutdown();
    return resultReply(id, null);
  }

  /** Answers `initialize` at once. If the SDK's server is already open, it answers instead. */
  #initialize(request: RpcRequest, version: string): Answer | Promise<Answer> {
    const { backend, introduce } = this.#options;
    const opening = withDefaults(request, version);
    if (backend.isOpen) return this.#initializeBackend(opening, version);
    this.#phase = legacyPhase(request, version);
    // The reply of the SDK's server is dropped, so its id must not be that of any request of the client.
    backend.send({ ...opening, id: 'front-door/initialize' });
    return resultReply(request.id, introduce(version));
  }

  async #initializeBackend(opening: RpcRequest, version: string): Promise<Answer> {
    const reply = await this.#options.backend.request(opening);
    if (reply !== undefined && 'result' in reply) this.#phase = legacyPhase(opening, version);
    return reply;
  }

  async #handleBatch(
    entries: readonly Decoded[],
    from: MessageSource,
  ): Promise<Answer | readonly RpcReply[]> {
    const phase = this.#phase;
    if (phase.kind !== 'legacy' || phase.version !== batchVersion) {
      return errorReply(null, invalidRequest(messages.batchNotAllowed(batchVersion)));
    }
    if (entries.length > maxBatch)
      return errorReply(null, invalidRequest(messages.batchTooLarge(entries.length, maxBatch)));
    const answers = await Promise.all(
      entries.map(async (entry) => this.#handle(entry, { ...from, isInBatch: true })),
    );
    const replies = answers.filter((reply) => reply !== undefined);
    return replies.length === 0 ? undefined : replies;
  }
}

function isSubscription(decoded: ReturnType<typeof decode>): boolean {
  return decoded.kind === 'request' && decoded.message.method === 'subscriptions/listen';
}

function legacyPhase({ params }: RpcRequest, version: string): Phase {
  return { kind: 'legacy', version, canElicit: canElicit(version, params?.['capabilities']) };
}

/** Adds the client's name, which the specification makes optional and the SDK requires. */
function withDefaults(request: RpcRequest, version: string): RpcRequest {
  const { clientInfo } = request.params ?? {};
  const known = { name: 'unknown', version: '0.0.0', ...(clientInfo as object | undefined) };
  return { ...request, params: { ...request.params, protocolVersion: version, clientInfo: known } };
}

/** A call in progress, which can be aborted and says when it has finished. */
export class CallInProgress {
  readonly #controller = new AbortController();
  readonly #finished: () => void;
  /** Is aborted when the call ends early. */
  readonly signal: AbortSignal = this.#controller.signal;
  /** Resolves when the call has finished, whether it succeeded, failed or was aborted. */
  readonly done: Promise<void>;

  /** Creates a call that is also aborted by the signal `outer`. */
  constructor(outer?: AbortSignal) {
    let finished: () => void = () => undefined;
    this.done = new Promise((resolve) => {
      finished = resolve;
    });
    const abort = (): void => this.abort();
    this.#finished = () => {
      // After the answer, the SDK aborts each call that came over HTTP without a session. Here, that would make an exception.
      outer?.removeEventListener('abort', abort);
      finished();
    };
    if (outer?.aborted === true) this.abort();
    else outer?.addEventListener('abort', abort, { once: true });
  }

  abort(): void {
    this.#controller.abort();
  }

  finish(): void {
    this.#finished();
  }
}

/** The calls of one connection that wait for a person. They are aborted when the connection ends. */
export class WaitingCalls {
  readonly #calls = new Set<CallInProgress>();
  #isOver = false;

  /** Adds a call that begins to wait. If the connection has already ended, the call is aborted at once. */
  add(call: CallInProgress): void {
    this.#calls.add(call);
    void call.done.then(() => this.#calls.delete(call));
    if (this.#isOver) call.abort();
  }

  /** Aborts all waiting calls and every later one; resolves when the current ones have finished. */
  async abort(): Promise<void> {
    this.#isOver = true;
    const calls = [...this.#calls];
    for (const call of calls) call.abort();
    await Promise.all(calls.map(({ done }) => done));
  }
}

/** Runs jobs one at a time, in the order they were added. A job may leave the queue early to let the next one begin. */
class Queue {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs a job when its turn comes, and returns its result. */
  run<T>(job: (leave: () => void) => Promise<T>): Promise<T> {
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const run = this.#tail.then(() => job(leave));
    // A failed job does not stop the next one.
    this.#tail = Promise.race([left, run.catch(() => undefined)]);
    return run;
  }
}

/** The longest pause between two jobs of a paced queue, in milliseconds. */
const maxPauseMs = 50;

/**
 * A queue that leaves at least half of the time to other work: before each job it pauses for as long as the previous job
 * took. Otherwise the calls of a batch would keep every other client waiting until the last one has finished.
 */
class PacedQueue {
  readonly #queue = new Queue();
  #pauseMs = 0;

  /** Runs a job when its turn comes, and returns its result. */
  run<T>(job: (leave: () => void) => Promise<T>): Promise<T> {
    return this.#queue.run(async (leave) => {
      await (this.#pauseMs < 1 ? nextTurn() : pause(this.#pauseMs));
      const startMs = performance.now();
      try {
        return await job(leave);
      } finally {
        this.#pauseMs = Math.min(maxPauseMs, performance.now() - startMs);
      }
    });
  }
}
