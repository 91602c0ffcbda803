import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '@workflowlookup/core';
import type { Caller, Sessions } from '@workflowlookup/core/sessions';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { WorkflowError, isStoreFailure } from '@workflowlookup/schema';
import { WaitingCalls } from '../json-rpc/connection.ts';
import { canElicit } from '../json-rpc/peers.ts';
import type { Decoded, DecodedText, RequestId, RpcMessage, RpcRequest } from '../json-rpc/rpc-messages.ts';
import {
  maxBatch,
  namesVersion,
  firstModernVersion,
  legacyVersions,
  route,
  decode,
  rpcCodes,
  errorReply,
  resultReply,
} from '../json-rpc/rpc-messages.ts';
import { messages } from '../messages.ts';
import type { MakeServer, ModernHandler } from '../sdk/create-server.ts';
import { serverIdentity, initializeResult } from '../server-info.ts';
import type { CallWatchers } from '../tool-support/run-tool.ts';
import { createToolRunner } from '../tool-support/run-tool.ts';
import type { Services, Tool } from '../tool-support/tool.ts';
import { tools as allTools } from '../tools/table.ts';
import type { RevokedIds, SessionFacts, SharedOptions } from './live-sessions.ts';
import { LiveSession, LiveSessions, createRevokedIds, createSessionIds } from './live-sessions.ts';
import type { BodyLimits, Body, Reply } from './requests.ts';
import {
  acceptedTypes,
  createTurns,
  isJsonBody,
  refusal,
  toResponse,
  largeBodyBytes,
  maxValues,
  readBody,
  jsonReply,
} from './requests.ts';

/** The limits of one replica. */
export interface HttpLimits extends BodyLimits {
  /** The maximum number of open legacy sessions. Idle ones are closed to make room. */
  readonly maxSessions: number;
  /**
   * The maximum number of streams that are read at once. Beyond it, clients can't listen, and replies in legacy sessions are
   * single JSON bodies, so that no person can be asked.
   */
  readonly maxStreams: number;
  /** The maximum number of streams of one principal. */
  readonly maxStreamsOfEach: number;
  /** The maximum number of messages in a batch of revision 2025-03-26. */
  readonly maxBatch: number;
}

/** Options for {@link createHttpHandler}. */
export interface HttpHandlerOptions extends CallWatchers {
  readonly engine: Engine;
  /** Returns the sessions of a caller. It is called for every call of a tool. */
  sessionsOf(caller: Caller): Sessions;
  /** Loads the keys that sign session ids and the state of calls. All replicas must share them. */
  keys(): Promise<KeyRing>;
  /**
   * Opens the store of the ids of ended sessions, which replicas should share. It is called for every request, so it
   * should cache the store. By default the ids are kept in this process.
   */
  revoked?(): Promise<RevokedIds>;
  /** The version of the package, which clients are shown. */
  readonly version: string;
  /** Called with errors that no caller caused, such as failures of the database. */
  onError(error: unknown): void;
  readonly tools?: readonly Tool[];
  readonly limits?: Partial<HttpLimits>;
  readonly now?: () => number;
}

/** The authenticated sender of a request, with the checks that apply to them. */
export interface RequestSender {
  readonly caller: Caller;
  /** Returns the response to a call of a tool the sender may not use, or `undefined` if they may use it. */
  refuse?(tool: Tool): Response | undefined;
  /**
   * Called with the number of messages in a batch, before any of them is handled. A response refuses the whole batch. It is
   * not called for single messages.
   */
  charge?(messages: number): Response | undefined;
  /** Called with the size of a body, before it is decoded. A response refuses the request. */
  chargeBody?(bytes: number): Response | undefined;
  /** Additional headers of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an HTTP handler currently keeps open. */
export interface HttpCounts {
  /** The number of open legacy sessions. */
  readonly sessions: number;
  /** The number of streams that are being read. */
  readonly streams: number;
}

/** Serves `/mcp`: every MCP revision, and in legacy sessions each tool as a method of its own. */
export interface HttpHandler {
  /** Answers a request. */
  fetch(request: Request, visitor: RequestSender): Promise<Response>;
  /** Returns the number of open sessions and streams. */
  counts(): HttpCounts;
  /** Waits for the requests in progress and ends every stream. Later requests are refused. */
  close(): Promise<void>;
}

const defaultHttpLimits: HttpLimits = {
  maxBodyBytes: 10_000_000,
  bodyTimeoutMs: 30_000,
  maxSessions: 1000,
  maxStreams: 1000,
  maxStreamsOfEach: 1000,
  maxBatch,
};

const sessionHeader = 'mcp-session-id';
const versionHeader = 'mcp-protocol-version';

/**
 * Serves Streamable HTTP: with sessions for the revisions up to 2025-11-25, and without them for 2026-07-28.
 *
 * @see docs/decisions/0006-http-sessions.md
 * @example
 *   const { engine, sessionsOf } = createHost();
 *   const handler = createHttpHandler({ engine, sessionsOf, keys, version: '1.0.0', onError: console.error });
 *   const response = await handler.fetch(request, { caller: { principal: 'ann' } });
 */
export function createHttpHandler(options: HttpHandlerOptions): HttpHandler {
  return new Handler(options);
}

/** Serves a server of the SDK other than this product's, in the same way. */
export function mountServer(options: Omit<HttpHandlerOptions, 'tools'>, makeServer: MakeServer): HttpHandler {
  return new Handler({ ...options, tools: [] }, makeServer);
}

class Handler implements HttpHandler {
  readonly #options: HttpHandlerOptions;
  readonly #limits: typeof defaultHttpLimits;
  readonly #shared: SharedOptions;
  readonly #revoked: () => Promise<RevokedIds>;
  readonly #live: LiveSessions;
  readonly #streams: StreamCounts;
  readonly #waiting = new WaitingCalls();
  readonly #turns = createTurns();
  readonly #inProgress = new Set<Promise<Response>>();
  readonly #toolsByName: ReadonlyMap<string, Tool>;
  readonly #sessionIds;
  /** The SDK's handler, once it has been needed. */
  #modern: Promise<ModernHandler> | undefined;
  #isClosed = false;

  constructor(options: HttpHandlerOptions, makeServer?: MakeServer) {
    const { now = () => Date.now(), tools = allTools, engine, sessionsOf, onError } = options;
    const identity = serverIdentity(options.version);
    const services = (caller?: Caller): Services => {
      if (caller === undefined) throw new Error('A call came without its caller');
      return {
        get engine() {
          return engine.as(caller.principal);
        },
        sessions: sessionsOf(caller),
      };
    };
    const toolRunner = createToolRunner({ ...options, tools, identity, services, onStoreFailure: onError });
    const ofProcess = createRevokedIds(now);
    let sessionIds: ReturnType<typeof createSessionIds> | undefined;
    this.#options = options;
    this.#limits = { ...defaultHttpLimits, ...options.limits };
    this.#streams = new StreamCounts(this.#limits);
    this.#revoked = options.revoked ?? (() => Promise.resolve(ofProcess));
    // A monotonic clock.
    this.#live = new LiveSessions(this.#limits.maxSessions, options.now ?? (() => performance.now()));
    this.#toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
    this.#sessionIds = async () => (sessionIds ??= createSessionIds(await options.keys(), now));
    this.#shared = {
      tools,
      identity,
      makeServer,
      services,
      onError,
      toolRunner: () => Promise.resolve(toolRunner),
      onReaderChange: (principal, change) => this.#streams.change(principal, change),
    };
  }

  counts(): { sessions: number; streams: number } {
    return { sessions: this.#live.size, streams: this.#streams.count };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#live.close(), this.#waiting.abort()]);
    // The SDK's handler would drop the requests in progress, so they are finished first.
    await Promise.all(this.#inProgress);
    // These requests may have opened sessions.
    await this.#live.close();
    await (await this.#modern)?.close();
  }

  fetch(request: Request, visitor: RequestSender): Promise<Response> {
    const answer = this.#answer(request, visitor);
    this.#inProgress.add(answer);
    void answer.then(() => this.#inProgress.delete(answer));
    return answer;
  }

  async #answer(request: Request, visitor: RequestSender): Promise<Response> {
    const reply = await this.#serve(request, visitor).catch((error: unknown) => this.#failed(error));
    return toResponse(reply, visitor.headers);
  }

  #failed(error: unknown): Reply {
    this.#shared.onError(error);
    if (error instanceof WorkflowError && isStoreFailure(error.code)) return busy('Storage error');
    return refusal(500, 'Internal error', { code: rpcCodes.internalError });
  }

  async #serve(request: Request, visitor: RequestSender): Promise<Reply | Response> {
    if (this.#isClosed) return refusal(503, 'Server is shutting down', { headers: { 'retry-after': '1' } });
    // Requests that arrive in one turn are all read before the first is handled. Otherwise their senders are woken one by
    // one, which costs about a tenth of a call.
    await nextTurn();
    switch (request.method) {
      case 'POST':
        return this.#post(request, visitor);
      case 'GET':
        return this.#listen(request, visitor);
      case 'DELETE':
        return this.#end(request, visitor);
      default:
        return notAllowed('GET, POST, DELETE');
    }
  }

  async #post(request: Request, visitor: RequestSender): Promise<Reply | Response> {
    if (!isJsonBody(request))
      return refusal(415, messages.wrongContentType(headerOf(request, 'content-type')));
    const accepted = acceptedTypes(request);
    if (!accepted.json && !accepted.stream)
      return refusal(406, messages.wrongAccept(headerOf(request, 'accept')));
    const body = await readBody(request, this.#limits, this.#turns);
    if ('problem' in body) return bodyRefusal(body, this.#limits.maxBodyBytes);
    const unpaid = visitor.chargeBody?.(Buffer.byteLength(body.text));
    if (unpaid !== undefined) return unpaid;
    // Each step of handling a large body takes long enough that other requests are served in between.
    const isLarge = body.text.length > largeBodyBytes;
    if (isLarge) await this.#turns();
    const decoded = decode(body.text);
    if (isLarge) await this.#turns();
    if (decoded.kind === 'ignored') return refusal(400, 'Parse error', { code: rpcCodes.parseError });
    const refused = this.#refusedBatch(decoded, visitor) ?? this.#forbidden(decoded, visitor);
    if (refused !== undefined) return refused;
    if (isModernRequest(request, decoded)) return this.#fetchModern(request, decoded, visitor.caller);
    const sessionIds = await this.#sessionIds();
    const { principal } = visitor.caller;
    if (!request.headers.has(sessionHeader))
      return this.#answerWithoutSession(decoded, (session) => sessionIds.issue(session, principal));
    const entered = await this.#sessionOf(request, visitor.caller);
    if (!(entered instanceof LiveSession)) return entered;
    const isFull = !this.#streams.hasRoom(principal);
    return entered.post(
      decoded,
      visitor.caller,
      isFull && accepted.json ? { json: true, stream: false } : accepted,
    );
  }

  /** Answers a message without a session id: `initialize` opens a session, `ping` is answered, and all else is refused. */
  #answerWithoutSession(decoded: DecodedText, issue: (session: NewSession) => string): Reply {
    if (decoded.kind === 'invalid') return jsonReply(decoded.reply, 400);
    if (decoded.kind !== 'request')
      return refusal(400, 'Server not initialized', { details: messages.sessionIdMissing() });
    const { message: request } = decoded;
    const { id } = request;
    const chosen = route(request, { kind: 'new' }, new Set());
    switch (chosen.kind) {
      case 'acknowledge':
        return jsonReply(resultReply(id, {}));
      case 'initialize': {
        const { version } = chosen;
        const session = { version, canElicit: canElicit(version, request.params?.['capabilities']) };
        const { identity, tools } = this.#shared;
        const headers = { 'mcp-session-id': issue(session) };
        return jsonReply(resultReply(id, initializeResult(version, identity, tools)), 200, headers);
      }
      case 'refuse':
        // A refused `initialize` has status 200, because clients show the error data only then.
        return jsonReply(errorReply(id, chosen.error), request.method === 'initialize' ? 200 : 400);
      default:
        return refusal(400, 'Server not initialized', { id, code: rpcCodes.serverError });
    }
  }

  async #fetchModern(request: Request, { message }: Modern, caller: Caller): Promise<Reply | Response> {
    const { principal } = caller;
    const listens = 'method' in message && message.method === 'subscriptions/listen';
    if (listens && !this.#streams.hasRoom(principal))
      return this.#tooManyStreams('id' in message ? message.id : null);
    return this.#streams.track(principal, await (await this.#openModern()).fetch(request, message, caller));
  }

  #tooManyStreams(id: RequestId | null = null): Reply {
    const { maxStreams, maxStreamsOfEach } = this.#limits;
    const isFull = this.#streams.count >= maxStreams;
    const details = isFull ? messages.allStreamsOpen(maxStreams) : messages.ownStreamsOpen(maxStreamsOfEach);
    return refusal(isFull ? 503 : 429, 'Too many streams are open', {
      id,
      details,
      headers: { 'retry-after': '5' },
    });
  }

  async #listen(request: Request, { caller }: RequestSender): Promise<Reply> {
    if (hasModernHeader(request)) return notAllowed('POST');
    if (!acceptedTypes(request).stream) return refusal(406, messages.streamNotAccepted());
    const session = await this.#sessionOf(request, caller);
    if (!(session instanceof LiveSession)) return session;
    if (!this.#streams.hasRoom(caller.principal)) return this.#tooManyStreams();
    return session.listen(request.headers.get('last-event-id'));
  }

  async #end(request: Request, { caller }: RequestSender): Promise<Reply> {
    if (hasModernHeader(request)) return notAllowed('POST');
    const facts = await this.#sessionFacts(request, caller);
    if ('status' in facts) return facts;
    await this.#revoke(facts);
    return { status: 204, body: null };
  }

  async #revoke({ id, untilMs }: SessionFacts): Promise<void> {
    await (await this.#revoked()).revokeId(id, new Date(untilMs).toISOString());
    void this.#live.closeSession(id).catch((error: unknown) => this.#shared.onError(error));
  }

  /** Opens the SDK's handler. If that fails, the next request tries again. */
  #openModern(): Promise<ModernHandler> {
    const open = async (): Promise<ModernHandler> => {
      const { openModern } = await import('../sdk/create-server.ts');
      return openModern({
        ...this.#shared,
        engine: this.#options.engine,
        keys: await this.#options.keys(),
        maxStreams: this.#limits.maxStreams,
        waiting: this.#waiting,
        toolRunner: await this.#shared.toolRunner(),
      });
    };
    return (this.#modern ??= open().catch((error: unknown) => {
      this.#modern = undefined;
      throw error;
    }));
  }

  /** Returns the open session of a request, or the error response if there is none. */
  async #sessionOf(request: Request, caller: Caller): Promise<LiveSession | Reply> {
    const facts = await this.#sessionFacts(request, caller);
    if ('status' in facts) return facts;
    const onShutdown = (): void =>
      void this.#revoke(facts).catch((error: unknown) => this.#shared.onError(error));
    const make = (): LiveSession => {
      const session = new LiveSession(facts, caller, { ...this.#shared, onShutdown });
      // The request came before the server began to close.
      if (this.#isClosed) session.endWaiting();
      return session;
    };
    return this.#live.getOrOpen(facts, make) ?? busy(messages.tooManySessions());
  }

  /** Returns what the session id of a request says, or the error response if it is invalid. */
  async #sessionFacts(request: Request, { principal }: Caller): Promise<SessionFacts | Reply> {
    const id = request.headers.get(sessionHeader);
    if (id === null) return refusal(400, 'Bad Request', { details: messages.sessionIdMissing() });
    const version = request.headers.get(versionHeader);
    if (version !== null && !legacyVersions.includes(version))
      return refusal(400, 'Unsupported protocol version', {
        details: messages.wrongVersionHeader(version.slice(0, 64), legacyVersions),
      });
    const facts = (await this.#sessionIds()).read(id, principal);
    // Another user's session, an expired one and an unknown one get the same response.
    if (facts === undefined || (await (await this.#revoked()).isRevoked(facts.id)))
      return refusal(404, 'Session not found', { details: messages.sessionNotFound() });
    return facts;
  }

  /** Returns the error response for a batch that is too large or exceeds the rate limit, before any message is handled. */
  #refusedBatch(decoded: DecodedText, visitor: RequestSender): Reply | Response | undefined {
    if (decoded.kind !== 'batch') return undefined;
    const { length } = decoded.entries;
    const most = this.#limits.maxBatch;
    if (length <= most) return visitor.charge?.(length);
    const details = messages.batchTooLarge(length, most);
    return refusal(400, 'Invalid Request', { code: rpcCodes.invalidRequest, details });
  }

  #forbidden(decoded: DecodedText, visitor: RequestSender): Response | undefined {
    const entries: readonly Decoded[] = decoded.kind === 'batch' ? decoded.entries : [decoded];
    for (const entry of entries) {
      const tool = entry.kind === 'request' ? this.#toolOf(entry.message) : undefined;
      const response = tool && visitor.refuse?.(tool);
      if (response !== undefined) return response;
    }
    return undefined;
  }

  #toolOf({ method, params }: RpcRequest): Tool | undefined {
    return this.#toolsByName.get(method === 'tools/call' ? String(params?.['name']) : method);
  }
}

/** What is known about a session before it has an id. */
type NewSession = Pick<SessionFacts, 'version' | 'canElicit'>;

type Modern = Extract<DecodedText, { readonly message: RpcMessage }>;

/** Returns whether a message belongs to revision 2026-07-28 or later, by its content or its header. */
function isModernRequest(request: Request, decoded: DecodedText): decoded is Modern {
  if (!('message' in decoded)) return false;
  return hasModernHeader(request) || ('method' in decoded.message && namesVersion(decoded.message));
}

function hasModernHeader(request: Request): boolean {
  const version = request.headers.get(versionHeader)?.trim() ?? '';
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= firstModernVersion;
}

function bodyRefusal({ problem }: Extract<Body, { problem: string }>, maxBytes: number): Reply {
  switch (problem) {
    case 'too-large':
      return tooLarge(messages.bodyTooLarge(maxBytes), { connection: 'close' });
    case 'too-many-values':
      return tooLarge(messages.tooManyValues(maxValues));
    case 'too-slow':
      return refusal(408, messages.bodyTooSlow(), { headers: { connection: 'close' } });
    case 'broken':
      return refusal(400, messages.bodyIncomplete());
  }
}

function tooLarge(details: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return refusal(413, 'Message too large', { code: rpcCodes.invalidRequest, details, headers });
}

/** Returns the beginning of a header, short enough for a message. */
function headerOf(request: Request, name: string): string | null {
  return request.headers.get(name)?.slice(0, 64) ?? null;
}

function notAllowed(allow: string): Reply {
  return refusal(405, 'Method not allowed', { headers: { allow } });
}

function busy(message: string): Reply {
  return refusal(503, message, { headers: { 'retry-after': '5' } });
}

/** Counts the streams that are being read, in total and by each principal, so that no principal can use up all of them. */
class StreamCounts {
  readonly #limits: Pick<HttpLimits, 'maxStreams' | 'maxStreamsOfEach'>;
  readonly #byPrincipal = new Map<string, number>();
  #count = 0;

  constructor(limits: Pick<HttpLimits, 'maxStreams' | 'maxStreamsOfEach'>) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  /** Returns whether this principal may read another stream. */
  hasRoom(principal: string): boolean {
    const { maxStreams, maxStreamsOfEach } = this.#limits;
    return this.#count < maxStreams && (this.#byPrincipal.get(principal) ?? 0) < maxStreamsOfEach;
  }

  change(principal: string, by: 1 | -1): void {
    this.#count += by;
    const own = (this.#byPrincipal.get(principal) ?? 0) + by;
    if (own === 0) this.#byPrincipal.delete(principal);
    else this.#byPrincipal.set(principal, own);
  }

  /** Counts a response while it is being read, if it is an event stream. */
  track(principal: string, response: Response): Response {
    const { headers, status } = response;
    if (headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
    // Only here, because Hono's adapter replaces its fast response with a slower one as soon as the body is read.
    const { body } = response;
    if (body === null) return response;
    this.change(principal, 1);
    const counted = withEndCallback(body, () => this.change(principal, -1));
    return new Response(counted, { status, headers });
  }
}

/**
 * Returns the same stream, but calls `onEnd` once when it ends, fails or is cancelled. `finished` of `node:stream` does
 * not notice that the SDK's stream is cancelled.
 */
function withEndCallback(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isOver = false;
  const end = (): void => {
    if (!isOver) onEnd();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
}
