import type { Caller } from '@workflowlookup/core';
import { CallUnderWay } from '../call-under-way.ts';
import { elicitByRequest } from '../elicitation/legacy.ts';
import { canElicit } from '../elicitation/question-form.ts';
import type { CallContext, Outcome, ToolDesk } from '../tool-desk.ts';
import { createTurns } from '../turns.ts';
import { batchVersion, maxBatch } from '../versions.ts';
import type { WaitingCalls } from '../waiting-calls.ts';
import type { BackendLink } from './backend-link.ts';
import type { ClientRequests } from './client-requests.ts';
import type { Decoded, DecodedText } from './decode.ts';
import { decode } from './decode.ts';
import type { RequestId, RpcError, RpcMessage, RpcNotification, RpcReply, RpcRequest } from './json-rpc.ts';
import { errorReply, resultReply, rpcCodes } from './json-rpc.ts';
import type { Phase, VersionPolicy } from './lifecycle.ts';
import { route } from './lifecycle.ts';
import { polishReply } from './polish-reply.ts';
import { Queue } from './queue.ts';

/** What stands behind a front door. */
export interface FrontDoorOptions extends VersionPolicy {
  /** Names of the tools; each is a method of its own in a legacy session. Without any, tools are the backend's affair. */
  readonly toolNames: ReadonlySet<string>;
  /** Loads the tool desk; called again it gives the same one. */
  readonly desk: () => Promise<ToolDesk>;
  readonly backend: BackendLink;
  /** Requests of the door itself to the client. */
  readonly client: ClientRequests;
  readonly waiting: WaitingCalls;
  /** The result of `initialize` at a revision. */
  introduce(version: string): object;
  /** Told of failures that are not the caller's. */
  onError(error: unknown): void;
  /** Called when a client has been shown the tools: it is likely to call one. */
  onToolsListed(): void;
  /** Called once, when `shutdown` has been answered. */
  onShutdown(): void;
  /** Default `new`; another one where the session was opened elsewhere. */
  readonly phase?: Phase;
  /** Whether legacy requests wait for those before them; default true. */
  readonly inOrder?: boolean;
}

/** Where a message came from, on a wire that has several callers or several ways back. */
export interface Sender {
  readonly caller?: Caller;
  /** Takes what is sent to the client on behalf of this message, before its answer. */
  readonly write?: (message: RpcMessage) => void;
  /** Whether the client can be asked while it waits for this answer; default true. */
  readonly canBeAsked?: boolean;
  /** Told once the answer begins to wait for a person. */
  readonly onWait?: () => void;
}

type Answer = RpcReply | undefined;

/** Routes that take time. */
type Work = 'desk' | 'ordered' | 'concurrent' | 'shutdown';

interface UnderWay {
  readonly request: RpcRequest;
  readonly kind: Work;
  readonly call: CallUnderWay;
  readonly from: Sender;
  cancelled: boolean;
}

/**
 * One connection: stands before the SDK's server and gives every message its one reply, legacy requests in the order
 * received, requests that describe themselves at once.
 *
 * @see docs/decisions/0001-front-door.md
 */
export class FrontDoor {
  readonly #options: FrontDoorOptions;
  readonly #underWay = new Map<RequestId, UnderWay>();
  readonly #draining = new Set<Promise<unknown>>();
  readonly #queue = new Queue();
  #phase: Phase;

  constructor(options: FrontDoorOptions) {
    this.#options = options;
    this.#phase = options.phase ?? { kind: 'new' };
  }

  /** Takes one text off the wire; resolves to what must be written for it, when it is due. */
  receive(text: string): Promise<Answer | readonly RpcReply[]> {
    return this.take(decode(text));
  }

  /** Takes what one text turned out to be, as `receive` does. */
  take(decoded: DecodedText, from: Sender = {}): Promise<Answer | readonly RpcReply[]> {
    // What is known at once is answered at once, so that such answers keep their order.
    const job = Promise.resolve(
      decoded.kind === 'batch' ? this.#batch(decoded.entries, from) : this.#handle(decoded, from),
    );
    if (isSubscription(decoded)) return job;
    this.#draining.add(job);
    return job.finally(() => this.#draining.delete(job));
  }

  /** Waits for the requests under way; those that wait for a person are ended, open subscriptions are left. */
  async drain(): Promise<void> {
    void this.#options.waiting.end();
    await Promise.allSettled(this.#draining);
  }

  #handle(entry: Decoded, from: Sender): Answer | Promise<Answer> {
    switch (entry.kind) {
      case 'invalid':
        return entry.reply;
      case 'notification':
        return this.#hear(entry.message);
      case 'response':
        if (!this.#options.client.take(entry.message) && this.#options.backend.isOpen)
          this.#options.backend.tell(entry.message);
        return undefined;
      case 'request':
        return this.#answer(entry.message, from);
      case 'ignored':
        return undefined;
    }
  }

  #hear(message: RpcNotification): undefined {
    const { backend } = this.#options;
    if (message.method === 'notifications/cancelled') this.#cancel(message.params?.['requestId']);
    if (backend.isOpen || message.method === 'notifications/initialized') backend.tell(message);
  }

  #cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const request = this.#underWay.get(id);
    if (request === undefined) return;
    request.cancelled = true;
    request.call.end();
    this.#options.backend.release(id);
  }

  #answer(request: RpcRequest, from: Sender): Answer | Promise<Answer> {
    const { id } = request;
    const { versions, onUnsupported, toolNames } = this.#options;
    const chosen = route(request, this.#phase, { versions, onUnsupported, toolNames });
    if (chosen.kind === 'refuse') return errorReply(id, chosen.error);
    if (chosen.kind === 'acknowledge') return resultReply(id, {});
    if (this.#underWay.has(id)) return errorReply(id, invalidRequest('The id is in use'));
    return chosen.kind === 'initialize'
      ? this.#open(request, chosen.version)
      : this.#carryOut({ request, kind: chosen.kind, call: new CallUnderWay(), from, cancelled: false });
  }

  async #carryOut(underWay: UnderWay): Promise<Answer> {
    const { request, kind } = underWay;
    const isFree = kind === 'concurrent' || this.#options.inOrder === false;
    this.#underWay.set(request.id, underWay);
    try {
      const reply = await (isFree
        ? this.#perform(underWay)
        : this.#queue.run(async (leave) =>
            underWay.cancelled ? undefined : this.#perform(underWay, leave),
          ));
      return underWay.cancelled ? undefined : reply;
    } finally {
      this.#underWay.delete(request.id);
      underWay.call.finish();
    }
  }

  async #perform(underWay: UnderWay, leave?: () => void): Promise<Answer> {
    const { request, kind } = underWay;
    if (kind === 'shutdown') return this.#shutDown(request);
    try {
      if (kind === 'desk')
        return {
          jsonrpc: '2.0',
          id: request.id,
          ...(await this.#useDesk(request, this.#contextOf(underWay, leave))),
        };
      const reply = await this.#options.backend.request(request, underWay.from.write);
      return reply === undefined || kind === 'concurrent' ? reply : polishReply(reply, request);
    } catch (error) {
      this.#options.onError(error);
      return errorReply(request.id, { code: rpcCodes.internalError, message: 'Internal error' });
    }
  }

  /** A call that waits for a person leaves the queue, and does not outlast the connection. */
  #contextOf({ call, from }: UnderWay, leave?: () => void): CallContext {
    const { client, waiting } = this.#options;
    const { caller, write, canBeAsked = true } = from;
    const onWait = (): void => {
      waiting.add(call);
      leave?.();
      from.onWait?.();
    };
    const phase = this.#phase;
    const elicit =
      phase.kind === 'legacy' && phase.canElicit && canBeAsked
        ? elicitByRequest(client, { version: phase.version, signal: call.signal, onWait, write })
        : undefined;
    return {
      get signal() {
        return call.signal;
      },
      onWait,
      ...(caller !== undefined && { caller }),
      ...(elicit !== undefined && { elicit }),
    };
  }

  async #useDesk({ method, params = {} }: RpcRequest, context: CallContext): Promise<Outcome> {
    const desk = await this.#options.desk();
    if (method === 'tools/list') {
      this.#options.onToolsListed();
      return { result: desk.listing };
    }
    return method === 'tools/call' ? desk.call(params, context) : desk.callDirectly(method, params, context);
  }

  async #shutDown({ id }: RpcRequest): Promise<RpcReply> {
    this.#phase = { kind: 'closing' };
    await this.#options.waiting.end();
    this.#options.onShutdown();
    return resultReply(id, null);
  }

  /** Answers at once unless the backend is open; then it has a say in how the session opens. */
  #open(request: RpcRequest, version: string): Answer | Promise<Answer> {
    const { backend, introduce } = this.#options;
    const opening = withDefaults(request, version);
    if (backend.isOpen) return this.#openBehind(opening, version);
    this.#phase = legacyPhase(request, version);
    // The backend's own answer goes nowhere: no request of the client may share its id.
    backend.tell({ ...opening, id: 'front-door/initialize' });
    return resultReply(request.id, introduce(version));
  }

  async #openBehind(opening: RpcRequest, version: string): Promise<Answer> {
    const reply = await this.#options.backend.request(opening);
    if (reply !== undefined && 'result' in reply) this.#phase = legacyPhase(opening, version);
    return reply;
  }

  async #batch(entries: readonly Decoded[], from: Sender): Promise<Answer | readonly RpcReply[]> {
    const phase = this.#phase;
    if (phase.kind !== 'legacy' || phase.version !== batchVersion) {
      const details = `Only sessions of revision ${batchVersion} take batches. Send each message by itself`;
      return errorReply(null, invalidRequest(details));
    }
    if (entries.length > maxBatch) return errorReply(null, invalidRequest(tooManyInBatch(entries.length)));
    // Where others are served, each message begins in a turn of its own, so that they are served in between.
    const turn = this.#options.inOrder === false ? createTurns() : undefined;
    const answers = await Promise.all(
      entries.map(async (entry) => {
        if (turn !== undefined) await turn();
        return this.#handle(entry, from);
      }),
    );
    const replies = answers.filter((reply) => reply !== undefined);
    return replies.length === 0 ? undefined : replies;
  }
}

/** Why a batch of so many messages is refused. */
export function tooManyInBatch(length: number, most = maxBatch): string {
  return `The batch has ${length} messages, and one may have at most ${most}. Send it in parts`;
}

function isSubscription(decoded: ReturnType<typeof decode>): boolean {
  return decoded.kind === 'request' && decoded.message.method === 'subscriptions/listen';
}

function invalidRequest(details: string): RpcError {
  return { code: rpcCodes.invalidRequest, message: 'Invalid Request', data: { details } };
}

function legacyPhase({ params }: RpcRequest, version: string): Phase {
  return { kind: 'legacy', version, canElicit: canElicit(version, params?.['capabilities']) };
}

/** The specification lets a client leave out who it is; the SDK does not. */
function withDefaults(request: RpcRequest, version: string): RpcRequest {
  const { clientInfo } = request.params ?? {};
  const known = { name: 'unknown', version: '0.0.0', ...(clientInfo as object | undefined) };
  return { ...request, params: { ...request.params, protocolVersion: version, clientInfo: known } };
}
