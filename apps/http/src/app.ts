import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import type { AuditContext, AuditLog } from '@workflowlookup/host';
import type { Log } from '@workflowlookup/mcp';
import { describeError } from '@workflowlookup/mcp';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import type { Authentication, ExtraHeaders, Identity } from './auth/authentication.ts';
import { withHeaders } from './auth/authentication.ts';
import type { Console } from './console/requests.ts';
import type { AllowList, McpAddress, FailedCredentials } from './guards.ts';
import { isMcpPath } from './guards.ts';
import type { NetworkOptions } from './options.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { StoreWatch } from './telemetry/store-watch.ts';
import type { Telemetry, TracedRequest } from './telemetry/open-telemetry.ts';

export interface AppParts {
  readonly allowed: AllowList;
  readonly authentication: Authentication;
  readonly address: Pick<McpAddress, 'refuse'>;
  /** Handles requests under `/sessions`, which report evidence that was collected elsewhere. */
  readonly evidence: (request: Request, who: Identity) => Promise<Response>;
  /** Handles requests under `/console`. */
  readonly console: Pick<Console, 'fetch'>;
  /** Learns the client address of each request. */
  readonly failed: Pick<FailedCredentials, 'note' | 'addressOf'>;
  readonly audit: AuditLog;
  readonly metrics: Metrics;
  readonly store: Pick<StoreWatch, 'look'>;
  /** Whether the server is shutting down. */
  isDraining(): boolean;
  /** The maximum number of requests in progress at once. Streams that wait for messages do not count. */
  readonly maxRequests: number;
  /** The protected resource metadata of RFC 9728; present if authorization servers issue credentials. */
  readonly resourceMetadata?: object;
  /** Traces requests; absent if tracing is off. */
  readonly telemetry?: Telemetry | undefined;
  readonly log: Log;
}

/** The server as a function: a `Request` in, a `Response` out. */
export interface App {
  /** Answers a request. `peer` is the address of the other end of the connection. */
  fetch(request: Request, peer?: string): Promise<Response>;
  inFlight(): number;
}

/** A server without a port. */
export interface Service {
  readonly app: App;
  /** Returns the path that agents connect to. @throws KEYS_UNUSABLE if its token can't be created */
  mcpPath(): string;
  /**
   * Returns the path of the console, or `undefined` if there is no console. Without credentials, the path has a secret
   * that signs in the user of this machine; it works once and soon expires. The secret comes after `#`, a part that
   * browsers don't send, so an agent that uses the server does not see it. @throws KEYS_UNUSABLE
   */
  consoleLink(): string | undefined;
  /** Reads the definitions, so that no request has to wait for them, and starts the webhook if one is configured. */
  warm(): Promise<void>;
  /** Opens the files of the audit log again, after they were moved away. */
  reopen(): void;
  /** Tells load balancers to send no more requests. Requests that still arrive are served. */
  leave(): void;
  /** Ends streams and waiting calls. Other requests under way are completed. */
  drain(): Promise<void>;
  /** Writes what is pending and closes everything. */
  close(): Promise<void>;
}

export interface Listening {
  /** The address at which it listens, such as `http://127.0.0.1:8420`. */
  readonly url: string;
  /**
   * Serves for another `noticeMs` milliseconds while `/readyz` answers 503, so that load balancers send no more
   * requests. Then it accepts no more connections, lets the requests in progress finish for a limited time, and closes.
   */
  stop(noticeMs?: number): Promise<void>;
}

/** The timeouts of `node:http`, in milliseconds. */
export type ConnectionTimes = Record<
  'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout' | 'connectionsCheckingInterval',
  number
>;

const ordinary: ConnectionTimes = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // Longer than load balancers keep idle connections, so that no connection closes just as a request arrives.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
};

const maxConnections = 10_000;

/** How often a stopping server closes idle and unused connections. */
const sweepMs = 50;

export async function listen(
  service: Service,
  network: Pick<NetworkOptions, 'port' | 'address' | 'drainMs'>,
  times: ConnectionTimes = ordinary,
): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: (request, { incoming }) => service.app.fetch(request, incoming.socket.remoteAddress),
    serverOptions: { ...times, maxHeaderSize: 16_384, requireHostHeader: true },
  }) as Server;
  server.maxConnections = maxConnections;
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(network.port, network.address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const name = network.address.includes(':') ? `[${network.address}]` : network.address;

  return {
    url: `http://${name}:${port}`,
    async stop(noticeMs = 0) {
      service.leave();
      // A client with more requests must connect to another server, which it would not do if the connection stayed
      // open.
      server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
      await setTimeout(noticeMs);
      const closed = new Promise((resolve) => server.close(resolve));
      // A connection that was busy when the server closed becomes idle after its response, and would stay open until
      // its timeout. Node doesn't count a connection as idle if it was opened in advance and never used.
      const sweep = setInterval(() => {
        server.closeIdleConnections();
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      }, sweepMs);
      const done = service.drain().then(() => closed);
      await Promise.race([done, setTimeout(network.drainMs, undefined, { ref: false })]);
      clearInterval(sweep);
      server.closeAllConnections();
      await service.close();
    },
  };
}

const resourcePath = '/.well-known/oauth-protected-resource';
const noSniff = { 'x-content-type-options': 'nosniff' };

/** The request headers that a page of another origin may send, and the response headers that it may read. */
const corsHeaders = {
  allowHeaders: [
    'authorization',
    'content-type',
    'last-event-id',
    'mcp-method',
    'mcp-name',
    'mcp-protocol-version',
    'mcp-session-id',
    'traceparent',
    'tracestate',
  ],
  exposeHeaders: ['mcp-session-id', 'www-authenticate', 'retry-after', 'x-request-id'],
  allowMethods: ['GET', 'POST', 'DELETE'],
};

/**
 * Creates the app. It checks every request in this order: the allow lists (403), then the limit of simultaneous
 * requests (503), then, on guarded routes, the credential (401, 403) and the rate limit (429).
 *
 * @see docs/security.md#over-http
 */
export function createApp(parts: AppParts): App {
  const { allowed, authentication, metrics, resourceMetadata } = parts;
  const hono = new Hono();
  // Mounted before the CORS headers, because only the console's own pages may call it.
  for (const path of ['/console', '/console/*'])
    hono.all(path, (context) => parts.console.fetch(context.req.raw));
  const origin = (from: string): string | undefined => (allowed.allowsOrigin(from) ? from : undefined);
  const forPages = cors({ origin: (from) => origin(from) ?? null, ...corsHeaders });
  // Only pages have an origin.
  hono.use((context, next) =>
    context.req.header('origin') === undefined ? next() : forPages(context, next),
  );
  hono.get('/healthz', (context) => context.json({ status: 'ok' }));
  // While the server shuts down, the database is not checked.
  hono.get('/readyz', async (context) => {
    if (parts.isDraining()) return context.json({ status: 'draining' }, 503);
    const { ok, ...found } = await parts.store.look();
    return context.json({ status: ok ? 'ready' : 'not_ready', ...found }, ok ? 200 : 503);
  });
  for (const path of ['/sessions/:sid/evidence', '/sessions/:sid/statements'])
    hono.all(path, ({ req: { raw } }) => authentication.enter(raw, (who) => parts.evidence(raw, who)));
  // Metrics are needed most during an outage, when credentials can't be looked up.
  hono.get('/metrics', (context) => authentication.enter(context.req.raw, () => metrics.page(), true));
  for (const path of ['/mcp', '/mcp/:token'])
    hono.all(path, (context) => serveMcp(parts, context.req.raw, { path: context.req.path, extra: {} }));
  if (resourceMetadata !== undefined)
    for (const path of [resourcePath, `${resourcePath}/mcp`])
      hono.get(path, (context) => context.json(resourceMetadata, 200, { 'cache-control': 'max-age=3600' }));
  hono.notFound((context) => context.json({ error: 'not_found' }, 404));
  hono.onError((error) => failed(parts.log, error));
  return guard(hono, parts);
}

async function serveMcp(
  { address, authentication }: Pick<AppParts, 'address' | 'authentication'>,
  request: Request,
  { path, extra }: Pick<Asked, 'path' | 'extra'>,
): Promise<Response> {
  const refusal = address.refuse(path);
  return refusal === undefined ? authentication.serve(request, extra) : withHeaders(refusal, extra);
}

/** Returns the parts of a request that a trace records. */
function traced(request: Request, allowed: AllowList): TracedRequest {
  const url = new URL(request.url);
  return {
    method: methodOf(request),
    route: routeOf(url.pathname),
    url,
    isKnownHost: allowed.allowsHost(url.host),
    headers: request.headers,
  };
}

/** A request, the values read from it once, and the headers that every response to it has. */
interface Asked {
  readonly request: Request;
  readonly host: string;
  readonly path: string;
  readonly extra: ExtraHeaders;
}

/** Runs before every route. */
function guard(hono: Hono, parts: AppParts): App {
  const { allowed, maxRequests, metrics, telemetry, log, audit } = parts;
  let inFlight = 0;

  /** What is known about a request before its credential is checked. */
  const contextOf = ({ request, path }: Asked, id: string): AuditContext => ({
    channel: routeOf(path).startsWith('/console') ? 'console' : 'mcp',
    address: parts.failed.addressOf(request),
    request: id,
  });

  /** The console's own pages also send an origin. It is the server's own, by whatever host name the page was opened. */
  const isOwnPage = ({ path, host }: Asked, origin: string): boolean =>
    routeOf(path).startsWith('/console') && URL.canParse(origin) && new URL(origin).host === host;

  function refused(asked: Asked): Response | undefined {
    const { request, host, path } = asked;
    // Health probes use the address of a container, which the allow lists may not contain. The two probe routes reveal
    // only whether the server is healthy.
    if (probes.has(path) && request.method === 'GET') return undefined;
    const named = request.headers.get('host') ?? host;
    const origin = request.headers.get('origin');
    if (!allowed.allowsHost(host) || (named !== host && !allowed.allowsHost(named)))
      return refuse(403, 'host_not_allowed');
    if (origin !== null && !allowed.allowsOrigin(origin) && !isOwnPage(asked, origin))
      return refuse(403, 'origin_not_allowed');
    if (inFlight >= maxRequests) return refuse(503, 'too_many_requests_at_once', { 'retry-after': '1' });
    return undefined;
  }

  async function route({ request, path, extra }: Asked): Promise<Response> {
    // The fast path for nearly all requests: no page sent the request, so it needs no CORS headers and skips the
    // router.
    const isCall = request.method === 'POST' && isMcpPath(path) && !request.headers.has('origin');
    return isCall ? serveMcp(parts, request, { path, extra }) : withHeaders(await hono.fetch(request), extra);
  }

  async function serve(asked: Asked): Promise<Response> {
    const early = refused(asked);
    if (early !== undefined) return withHeaders(early, asked.extra);
    inFlight += 1;
    try {
      return await route(asked);
    } catch (error) {
      return withHeaders(failed(log, error), asked.extra);
    } finally {
      inFlight -= 1;
    }
  }

  /** Serves a request, counts it and logs it. */
  async function measured(request: Request): Promise<Response> {
    const startMs = performance.now();
    const { host, pathname: path } = new URL(request.url);
    const id = requestId(request);
    const asked = { request, host, path, extra: { ...noSniff, 'x-request-id': id } };
    const response = await (audit.isOn
      ? audit.within(contextOf(asked, id), () => serve(asked))
      : serve(asked));
    const seconds = (performance.now() - startMs) / 1000;
    const { status } = response;
    const facts = { method: methodOf(request), route: routeOf(path), status };
    metrics.onRequest({ ...facts, seconds });
    log(status >= 500 ? 'warn' : 'info', 'request', {
      request: id,
      ...facts,
      ms: Math.round(seconds * 1000),
      ...(telemetry !== undefined && { trace: telemetry.traceId() }),
    });
    return response;
  }

  return {
    inFlight: () => inFlight,
    fetch(request, peer) {
      parts.failed.note(request, peer);
      if (telemetry === undefined) return measured(request);
      return telemetry.aroundRequest(traced(request, allowed), () => measured(request));
    },
  };
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
const routes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PUT', 'PATCH']);

/**
 * Returns the path for logs, counters and traces. Paths without a route are all replaced by one word, so that strangers
 * can't fill the logs. The token of an address is left out.
 */
function routeOf(path: string): string {
  if (isMcpPath(path)) return '/mcp';
  if (path === '/console' || path.startsWith('/console/'))
    return path.startsWith('/console/api/') ? '/console/api' : '/console';
  if (/^\/sessions\/[^/]+\/(evidence|statements)$/.test(path)) return '/sessions';
  return routes.has(path) ? path : 'other';
}

function methodOf({ method }: Request): string {
  return methods.has(method) ? method : 'other';
}

function requestId(request: Request): string {
  const given = request.headers.get('x-request-id') ?? '';
  return /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

function failed(log: Log, error: unknown): Response {
  log('error', 'failure', describeError(error));
  return refuse(500, 'internal_error');
}

function refuse(status: number, error: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ error }, { status, headers });
}
