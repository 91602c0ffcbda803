import type { Engine } from '@workflowlookup/core';
import { callTool } from '../call-tool.ts';
import { rpcErrorOf } from '../error-reply.ts';
import type { Tool } from '../tools/tool.ts';
import { batchVersion } from '../versions.ts';
import type { BackendLink } from './backend-link.ts';
import type { Decoded } from './decode.ts';
import { decode } from './decode.ts';
import type { RequestId, RpcNotification, RpcReply, RpcRequest } from './json-rpc.ts';
import { errorReply, resultReply, rpcCodes } from './json-rpc.ts';
import type { Phase, VersionPolicy } from './lifecycle.ts';
import { route } from './lifecycle.ts';
import { polishReply } from './polish-reply.ts';

/** Messages one batch may hold. */
const maxBatch = 1000;

/** What stands behind a front door. */
export interface FrontDoorOptions extends VersionPolicy {
  readonly tools: readonly Tool[];
  /** Loads the engine; called again it gives the same one. */
  readonly engine: () => Promise<Engine>;
  readonly backend: BackendLink;
  /** The result of `initialize` at a revision. */
  introduce(version: string): object;
  /** Told of failures that are not the caller's. */
  onError(error: unknown): void;
  /** Called once, when `shutdown` has been answered. */
  onShutdown(): void;
}

/** One connection: texts in, at most one answer each out. */
export interface FrontDoor {
  /** Takes one text off the wire; resolves to what must be written for it, when it is due. */
  receive(text: string): Promise<RpcReply | readonly RpcReply[] | undefined>;
  /** Waits for the requests under way; open subscriptions are not waited for. */
  drain(): Promise<void>;
}

interface UnderWay {
  cancelled: boolean;
}

/**
 * Stands before the SDK's server and gives every message its one reply: legacy requests in the order received, requests
 * that describe themselves at once.
 *
 * @see docs/decisions/0001-front-door.md
 */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { backend } = options;
  const toolsByName = new Map(options.tools.map((tool) => [tool.name, tool]));
  const policy = { ...options, isTool: (name: string) => toolsByName.has(name) };
  const underWay = new Map<RequestId, UnderWay>();
  const draining = new Set<Promise<unknown>>();
  let phase: Phase = { kind: 'new' };
  let tail: Promise<unknown> = Promise.resolve();

  function inOrder<T>(job: () => Promise<T>): Promise<T> {
    const run = tail.then(job);
    tail = run.catch(() => undefined);
    return run;
  }

  async function handle(entry: Decoded): Promise<RpcReply | undefined> {
    switch (entry.kind) {
      case 'invalid':
        return entry.reply;
      case 'notification':
        return hear(entry.message);
      case 'response':
        return void backend.tell(entry.message);
      case 'request':
        return answer(entry.message);
      case 'ignored':
        return undefined;
    }
  }

  function hear(message: RpcNotification): undefined {
    if (message.method === 'notifications/cancelled') cancel(message.params?.['requestId']);
    if (backend.used) backend.tell(message);
  }

  function cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const request = underWay.get(id);
    if (request === undefined) return;
    request.cancelled = true;
    backend.release(id);
  }

  async function answer(request: RpcRequest): Promise<RpcReply | undefined> {
    const { id } = request;
    const chosen = route(request, phase, policy);
    if (chosen.kind === 'refuse') return errorReply(id, chosen.error);
    if (chosen.kind === 'ping') return resultReply(id, {});
    if (chosen.kind === 'initialize') return open(request, chosen.version);
    if (underWay.has(id))
      return errorReply(id, {
        code: rpcCodes.invalidRequest,
        message: 'Invalid Request',
        data: { details: 'The id is in use' },
      });
    const state: UnderWay = { cancelled: false };
    underWay.set(id, state);
    const job = (): Promise<RpcReply | undefined> =>
      state.cancelled ? Promise.resolve(undefined) : perform(request, chosen.kind);
    try {
      const reply = await (chosen.kind === 'concurrent' ? job() : inOrder(job));
      return state.cancelled ? undefined : reply;
    } finally {
      underWay.delete(id);
    }
  }

  async function perform(
    request: RpcRequest,
    kind: 'direct' | 'ordered' | 'concurrent' | 'shutdown',
  ): Promise<RpcReply | undefined> {
    if (kind === 'shutdown') return shutDown(request);
    const tool = kind === 'direct' ? toolsByName.get(request.method) : undefined;
    try {
      if (tool !== undefined)
        return resultReply(request.id, await callTool(tool, request.params ?? {}, options.engine));
      const reply = await backend.request(request);
      return reply === undefined || kind === 'concurrent' ? reply : polishReply(reply, request);
    } catch (error) {
      return failed(request, error);
    }
  }

  function failed({ id }: RpcRequest, error: unknown): RpcReply {
    const shown = rpcErrorOf(error);
    if (shown.data === undefined) options.onError(error);
    return errorReply(id, shown);
  }

  function shutDown({ id }: RpcRequest): RpcReply {
    phase = { kind: 'closing' };
    options.onShutdown();
    return resultReply(id, null);
  }

  /** Answers at once unless the backend has been spoken to; then the backend has a say in how the session opens. */
  async function open(request: RpcRequest, version: string): Promise<RpcReply | undefined> {
    const opening = withDefaults(request, version);
    if (backend.used) {
      const reply = await backend.request(opening);
      if (reply !== undefined && 'result' in reply) phase = { kind: 'legacy', version };
      return reply;
    }
    phase = { kind: 'legacy', version };
    backend.request(opening).catch(options.onError);
    return resultReply(request.id, options.introduce(version));
  }

  async function receiveBatch(
    entries: readonly Decoded[],
  ): Promise<RpcReply | readonly RpcReply[] | undefined> {
    const allowed = phase.kind === 'legacy' && phase.version === batchVersion && entries.length <= maxBatch;
    if (!allowed) {
      const details = `Batches of up to ${maxBatch} messages are part of revision ${batchVersion} alone`;
      return errorReply(null, {
        code: rpcCodes.invalidRequest,
        message: 'Invalid Request',
        data: { details },
      });
    }
    const replies = (await Promise.all(entries.map(handle))).filter((reply) => reply !== undefined);
    return replies.length === 0 ? undefined : replies;
  }

  return {
    receive(text) {
      const decoded = decode(text);
      const job = decoded.kind === 'batch' ? receiveBatch(decoded.entries) : handle(decoded);
      if (isSubscription(decoded)) return job;
      draining.add(job);
      return job.finally(() => draining.delete(job));
    },
    async drain() {
      await Promise.allSettled(draining);
    },
  };
}

function isSubscription(decoded: ReturnType<typeof decode>): boolean {
  return decoded.kind === 'request' && decoded.message.method === 'subscriptions/listen';
}

/** The specification lets a client leave out who it is; the SDK does not. */
function withDefaults(request: RpcRequest, version: string): RpcRequest {
  const { clientInfo } = request.params ?? {};
  const known = { name: 'unknown', version: '0.0.0', ...(clientInfo as object | undefined) };
  return { ...request, params: { ...request.params, protocolVersion: version, clientInfo: known } };
}
