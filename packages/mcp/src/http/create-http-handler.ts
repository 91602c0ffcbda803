import type { Caller } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import type { Decoded, DecodedText } from '../front-door/decode.ts';
import { decode } from '../front-door/decode.ts';
import { tooManyInBatch } from '../front-door/front-door.ts';
import type { RequestId, RpcMessage } from '../front-door/json-rpc.ts';
import { rpcCodes } from '../front-door/json-rpc.ts';
import { claimsVersion } from '../front-door/lifecycle.ts';
import { identityOf, introduce } from '../introduction.ts';
import { describeError } from '../log.ts';
import { once } from '../once.ts';
import type { MakeServer } from '../sdk/create-server.ts';
import { createToolDesk } from '../tool-desk.ts';
import { tools as allTools } from '../tools/table.ts';
import type { Tool } from '../tools/tool.ts';
import { createTurns } from '../turns.ts';
import { firstModern, legacyVersions } from '../versions.ts';
import { WaitingCalls } from '../waiting-calls.ts';
import type { HttpHandler, HttpHandlerOptions, Visitor } from './http-options.ts';
import { defaultHttpLimits } from './http-options.ts';
import { LiveSession } from './live-session.ts';
import { LiveSessions } from './live-sessions.ts';
import type { SharedParts } from './open-live-session.ts';
import { openLiveSession } from './open-live-session.ts';
import type { OpenStreams } from './open-streams.ts';
import { createOpenStreams } from './open-streams.ts';
import { answerOutside, sessionWanted } from './outside-session.ts';
import type { Body } from './read-body.ts';
import { largeBody, maxValues, readBody } from './read-body.ts';
import type { Reply } from './replies.ts';
import { acceptedBy, isJsonBody, refusal, responseOf } from './replies.ts';
import { createRevokedIds } from './revoked-ids.ts';
import type { SessionFacts } from './session-pass.ts';
import { createSessionPasses } from './session-pass.ts';

const sessionHeader = 'mcp-session-id';
const versionHeader = 'mcp-protocol-version';

/**
 * Serves Streamable HTTP: sessions for the revisions up to 2025-11-25, every request on its own for 2026-07-28.
 *
 * @see docs/decisions/0006-http-sessions.md
 */
export function createHttpHandler(options: HttpHandlerOptions): HttpHandler {
  return new Handler(options);
}

/** Serves another server of the SDK in the same way, with tools of its own. */
export function mountServer(options: Omit<HttpHandlerOptions, 'tools'>, makeServer: MakeServer): HttpHandler {
  return new Handler({ ...options, tools: [] }, makeServer);
}

class Handler implements HttpHandler {
  readonly #limits: typeof defaultHttpLimits;
  readonly #shared: SharedParts;
  readonly #revoked: NonNullable<HttpHandlerOptions['revoked']>;
  readonly #live: LiveSessions;
  readonly #streams: OpenStreams;
  readonly #waiting = new WaitingCalls();
  readonly #turns = createTurns();
  readonly #underWay = new Set<Promise<Response>>();
  readonly #toolsByName: ReadonlyMap<string, Tool>;
  readonly #passes;
  readonly #modern;
  #isClosed = false;
  #isModernOpen = false;

  constructor(options: HttpHandlerOptions, makeServer?: MakeServer) {
    const { now = () => Date.now(), tools = allTools, services, log, onCall, aroundCall } = options;
    const identity = identityOf(options.version);
    const onError = (error: unknown): void => log('error', 'failure', describeError(error));
    const watching = { ...(onCall && { onCall }), ...(aroundCall && { aroundCall }) };
    const ofCaller = (caller?: Caller): ReturnType<typeof services> =>
      caller === undefined ? Promise.reject(new Error('A call came without its caller')) : services(caller);
    this.#limits = { ...defaultHttpLimits, ...options.limits };
    this.#streams = createOpenStreams(this.#limits);
    this.#revoked = options.revoked ?? createRevokedIds(now);
    // A monotonic clock.
    const steady = options.now ?? ((): number => performance.now());
    this.#live = new LiveSessions(this.#limits.maxSessions, steady);
    this.#toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
    this.#passes = once(async () => createSessionPasses(await options.keys(), now, steady));
    this.#modern = once(async () => {
      const { openModern } = await import('../sdk/open-modern.ts');
      const { engine } = await services({ principal: 'server' });
      const keys = await options.keys();
      this.#isModernOpen = true;
      return openModern({
        engine,
        keys,
        maxStreams: this.#limits.maxStreams,
        services,
        tools,
        identity,
        waiting: this.#waiting,
        onError,
        makeServer,
        desk: await this.#shared.desk(),
      });
    });
    this.#shared = {
      tools,
      toolNames: new Set(this.#toolsByName.keys()),
      identity,
      makeServer,
      services,
      onError,
      desk: once(() =>
        Promise.resolve(createToolDesk({ tools, identity, services: ofCaller, onError, ...watching })),
      ),
      onOutlet: (principal, change) => this.#streams.change(principal, change),
      versions: options.versions ?? legacyVersions,
      onUnsupported: options.onUnsupported ?? 'reject',
    };
  }

  counts(): { sessions: number; streams: number } {
    return { sessions: this.#live.size, streams: this.#streams.count };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#live.close(), this.#waiting.end()]);
    // What is under way would be dropped by the SDK's handler, and refused where its body is still on the way.
    await Promise.all(this.#underWay);
    if (this.#isModernOpen) await (await this.#modern()).close();
  }

  fetch(request: Request, visitor: Visitor): Promise<Response> {
    const answer = this.#answer(request, visitor);
    this.#underWay.add(answer);
    void answer.then(() => this.#underWay.delete(answer));
    return answer;
  }

  async #answer(request: Request, visitor: Visitor): Promise<Response> {
    const reply = await this.#serve(request, visitor).catch((error: unknown) => this.#failed(error));
    return responseOf(reply, visitor.headers);
  }

  #failed(error: unknown): Reply {
    this.#shared.onError(error);
    if (error instanceof WorkflowError && error.code === 'STORAGE') return busy('Storage error');
    return refusal(500, 'Internal error', { code: rpcCodes.internalError });
  }

  async #serve(request: Request, visitor: Visitor): Promise<Reply | Response> {
    if (this.#isClosed) return refusal(503, 'Server is shutting down', { headers: { 'retry-after': '1' } });
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

  async #post(request: Request, visitor: Visitor): Promise<Reply | Response> {
    if (!isJsonBody(request)) return refusal(415, 'The content type must be application/json');
    const accepted = acceptedBy(request);
    if (!accepted.json && !accepted.stream)
      return refusal(406, 'Accept application/json and text/event-stream');
    const body = await readBody(request, this.#limits, this.#turns);
    if ('problem' in body) return bodyRefusal(body, this.#limits.maxBodyBytes);
    const unpaid = visitor.chargeBody?.(Buffer.byteLength(body.text));
    if (unpaid !== undefined) return unpaid;
    // Reading, parsing and answering a large body take long enough to serve others in between.
    const isLarge = body.text.length > largeBody;
    if (isLarge) await this.#turns();
    const decoded = decode(body.text);
    if (isLarge) await this.#turns();
    if (decoded.kind === 'ignored') return refusal(400, 'Parse error', { code: rpcCodes.parseError });
    const refused = this.#refusedBatch(decoded, visitor) ?? this.#forbidden(decoded, visitor);
    if (refused !== undefined) return refused;
    if (isModern(request, decoded)) return this.#fetchModern(request, decoded, visitor.caller);
    const passes = await this.#passes();
    const { principal } = visitor.caller;
    if (!request.headers.has(sessionHeader))
      return answerOutside(decoded, {
        ...this.#shared,
        issue: (session) => passes.issue(session, principal),
        introduce: (version) => introduce(version, this.#shared.identity, this.#shared.tools),
      });
    const entered = await this.#enter(request, visitor.caller);
    if (!(entered instanceof LiveSession)) return entered;
    const isFull = !this.#streams.hasRoom(principal);
    return entered.post(
      decoded,
      visitor.caller,
      isFull && accepted.json ? { json: true, stream: false } : accepted,
    );
  }

  async #fetchModern(request: Request, { message }: Modern, caller: Caller): Promise<Reply | Response> {
    const { principal } = caller;
    const listens = 'method' in message && message.method === 'subscriptions/listen';
    if (listens && !this.#streams.hasRoom(principal))
      return this.#tooManyStreams('id' in message ? message.id : null);
    return this.#streams.counted(principal, await (await this.#modern()).fetch(request, message, caller));
  }

  #tooManyStreams(id: RequestId | null = null): Reply {
    const { maxStreams, maxStreamsOfEach } = this.#limits;
    const isFull = this.#streams.count >= maxStreams;
    const details = isFull
      ? `All ${maxStreams} streams of this server are open: try another server, or later`
      : `${maxStreamsOfEach} streams are open for you, which is your share: close one`;
    return refusal(isFull ? 503 : 429, 'Too many streams are open', {
      id,
      details,
      headers: { 'retry-after': '5' },
    });
  }

  async #listen(request: Request, { caller }: Visitor): Promise<Reply> {
    if (namesModern(request)) return notAllowed('POST');
    if (!acceptedBy(request).stream) return refusal(406, 'Accept text/event-stream');
    const session = await this.#enter(request, caller);
    if (!(session instanceof LiveSession)) return session;
    if (!this.#streams.hasRoom(caller.principal)) return this.#tooManyStreams();
    return session.listen(request.headers.get('last-event-id'));
  }

  async #end(request: Request, { caller }: Visitor): Promise<Reply> {
    if (namesModern(request)) return notAllowed('POST');
    const facts = await this.#find(request, caller);
    if ('status' in facts) return facts;
    await this.#revoke(facts);
    return { status: 204, body: null };
  }

  async #revoke({ id, untilMs }: SessionFacts): Promise<void> {
    await this.#revoked.add(id, untilMs);
    void this.#live.leave(id).catch((error: unknown) => this.#shared.onError(error));
  }

  /** The live session a request belongs to, or why there is none. */
  async #enter(request: Request, caller: Caller): Promise<LiveSession | Reply> {
    const facts = await this.#find(request, caller);
    if ('status' in facts) return facts;
    const onShutdown = (): void =>
      void this.#revoke(facts).catch((error: unknown) => this.#shared.onError(error));
    const make = (): LiveSession => openLiveSession(facts, caller, { ...this.#shared, onShutdown });
    return this.#live.enter(facts, make) ?? busy('Too many sessions are live');
  }

  /** What the session id of a request says, or why that does not count. */
  async #find(request: Request, { principal }: Caller): Promise<SessionFacts | Reply> {
    const pass = request.headers.get(sessionHeader);
    if (pass === null) return refusal(400, 'Bad Request', { details: sessionWanted });
    const version = request.headers.get(versionHeader);
    const { versions } = this.#shared;
    if (version !== null && !versions.includes(version))
      return refusal(400, 'Unsupported protocol version', {
        details: `MCP-Protocol-Version must be one of ${versions.join(', ')} in a session`,
      });
    const facts = (await this.#passes()).read(pass, principal);
    // Whose session it is, or that it was one, is nobody else's affair.
    if (facts === undefined || (await this.#revoked.has(facts.id, facts.untilMs)))
      return refusal(404, 'Session not found', { details: 'Open a new session with initialize' });
    return facts;
  }

  /** A batch is charged by its messages, each of which may be a call: as a whole, so that none of it happened. */
  #refusedBatch(decoded: DecodedText, visitor: Visitor): Reply | Response | undefined {
    if (decoded.kind !== 'batch') return undefined;
    const { maxBatch } = this.#limits;
    const { length } = decoded.entries;
    if (length <= maxBatch) return visitor.charge?.(length);
    const details = tooManyInBatch(length, maxBatch);
    return refusal(400, 'Invalid Request', { code: rpcCodes.invalidRequest, details });
  }

  #forbidden(decoded: DecodedText, visitor: Visitor): Response | undefined {
    const entries: readonly Decoded[] = decoded.kind === 'batch' ? decoded.entries : [decoded];
    for (const entry of entries) {
      const tool = entry.kind === 'request' ? this.#toolOf(entry.message) : undefined;
      const response = tool && visitor.refuse?.(tool);
      if (response !== undefined) return response;
    }
    return undefined;
  }

  #toolOf({
    method,
    params,
  }: {
    method: string;
    params?: Readonly<Record<string, unknown>>;
  }): Tool | undefined {
    return this.#toolsByName.get(method === 'tools/call' ? String(params?.['name']) : method);
  }
}

type Modern = Extract<DecodedText, { readonly message: RpcMessage }>;

/** Whether a message is for the era in which each describes itself, by what it says or by its header. */
function isModern(request: Request, decoded: DecodedText): decoded is Modern {
  if (!('message' in decoded)) return false;
  return namesModern(request) || ('method' in decoded.message && claimsVersion(decoded.message));
}

function namesModern(request: Request): boolean {
  const version = request.headers.get(versionHeader)?.trim() ?? '';
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= firstModern;
}

function bodyRefusal({ problem }: Extract<Body, { problem: string }>, maxBytes: number): Reply {
  switch (problem) {
    case 'too-large':
      return refusal(413, 'Message too large', {
        code: rpcCodes.invalidRequest,
        details: `The body has more than ${maxBytes} bytes, the most it may have. Send less at once`,
        headers: { connection: 'close' },
      });
    case 'too-many-values':
      return refusal(413, 'Message too large', {
        code: rpcCodes.invalidRequest,
        details: `The body has more than ${maxValues} JSON values, the most it may have. Send fewer at once`,
      });
    case 'too-slow':
      return refusal(408, 'The body took too long', { headers: { connection: 'close' } });
    case 'broken':
      return refusal(400, 'The body broke off');
  }
}

function notAllowed(allow: string): Reply {
  return refusal(405, 'Method not allowed', { headers: { allow } });
}

function busy(message: string): Reply {
  return refusal(503, message, { headers: { 'retry-after': '5' } });
}
