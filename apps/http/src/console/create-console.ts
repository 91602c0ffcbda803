import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { describeError } from '@workflowlookup/mcp';
import type { Context, Next } from 'hono';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { accountRoutes, admitUnauthenticated } from './account/account-routes.ts';
import type { Accounts } from './account/accounts.ts';
import { createAccounts, operatorFor } from './account/accounts.ts';
import { oauthCallback, oauthRoutes } from './account/oauth-routes.ts';
import { identify } from './account/session-token.ts';
import { checksRoutes } from './api/checks-routes.ts';
import type { KnownCheckpoints } from './api/checkpoint-routes.ts';
import { checkpointRoutes, listCheckpoints } from './api/checkpoint-routes.ts';
import { healthRoutes } from './api/health-routes.ts';
import { insightsRoutes, outputRoutes, sessionRoutes } from './api/session-routes.ts';
import { playgroundRoutes, workflowsRoutes, textRoutes, trustRoutes } from './api/workflow-routes.ts';
import { changesRoutes } from './changes-routes.ts';
import type { ConsoleEnv, Console, ConsoleParts } from './requests.ts';
import {
  answerError,
  answerThrown,
  answerTooMany,
  limitBody,
  maxConsoleBytes,
  requestOf,
  refuseForeign,
} from './requests.ts';
import { bytesSaid, callsInBody } from '../guards.ts';
import { requestMessages } from '../messages.ts';

/**
 * Creates what is served under `/console`. The pages contain no secrets and are served to everybody; their data is only
 * for users who are signed in.
 *
 * @see docs/console.md
 */
export function createConsole(parts: ConsoleParts): Console {
  const { host, network, log } = parts;
  const accounts = createAccounts(parts);
  const changes = changesRoutes(parts, accounts);
  const checkpoints: KnownCheckpoints = new Map();
  // The first page that a user opens requests this data soon.
  void warmUp(host, checkpoints).catch((error: unknown) => log('warn', 'failure', describeError(error)));
  const guarded = new Hono<ConsoleEnv>()
    .use((context, next) => admit(context, next, { parts, accounts }))
    // Comes after authentication, because it reads bodies whose size is not declared.
    .use(limitBody(Math.min(network.maxBodyBytes, maxConsoleBytes)))
    .use((context, next) => charge(context, next, parts))
    .route('/sessions', sessionRoutes(host))
    .route('/checkpoints', checkpointRoutes(checkpoints))
    .route('/workflows', workflowsRoutes(host))
    .route('/checks', checksRoutes(host))
    .route('/insights', insightsRoutes(host))
    .route('/outputs', outputRoutes(host))
    .route('/health', healthRoutes(parts))
    .route('/changes', changes.routes)
    .route('/', textRoutes(host))
    .route('/', trustRoutes(host))
    .route('/', playgroundRoutes(host));
  const strangers = admitUnauthenticated(parts);
  const api = new Hono()
    .use(refuseForeign)
    .post('/sign-in', strangers)
    .post('/oauth/*', strangers)
    .route('/', accountRoutes(parts, accounts))
    .route('/oauth', oauthRoutes(parts, accounts))
    .route('/', guarded)
    .all('/*', (context) => answerError(context, { code: 'NOT_FOUND', message: requestMessages.noRoute() }));
  const all = new Hono()
    .use((context, next) => withConsoleHeaders(context, next))
    .get('/console', (context) => context.redirect('/console/', 308))
    // Not behind `refuseForeign`, because a browser that returns from the authorization server comes from another
    // site.
    .route('/console/api/oauth', oauthCallback())
    .route('/console/api', api)
    .route('/console', pageRoutes(parts.pages))
    .onError((error, context) => answerThrown(context, error, log));
  all.notFound((context) => answerError(context, { code: 'NOT_FOUND', message: requestMessages.noPage() }));
  return { fetch: async (request) => all.fetch(request, { asked: request }), drain: changes.drain };
}

/** Loads what the first requests would have to wait for: the checkpoints, the workflows and the index of sessions. */
async function warmUp(host: ConsoleParts['host'], checkpoints: KnownCheckpoints): Promise<void> {
  const operator = host.operatorOf({ channel: 'console', indexWaitMs: 0 });
  const counts = await operator.counts();
  // Without sessions there is nothing to load, and a missing database must not be created for this.
  if (Object.values(counts).every((count) => count === 0)) return;
  await listCheckpoints(operator, checkpoints);
  await host.engine.list();
  await operator.find({ search: '' }, { limit: 1 });
}

/** Admits users who are signed in, with the same limit on simultaneous requests as `/mcp`. */
async function admit(
  context: Context<ConsoleEnv>,
  next: Next,
  { parts, accounts }: { readonly parts: ConsoleParts; readonly accounts: Accounts },
): Promise<Response | void> {
  const { host, share } = parts;
  const signed = await identify(context, accounts, parts);
  if (signed instanceof Response) return signed;
  if (signed === undefined)
    return answerError(context, { code: 'TOKEN_INVALID', message: requestMessages.notSignedIn() });
  context.set('signed', signed);
  context.set('operator', operatorFor(host, signed));
  return share.run(signed.principal, next) ?? answerTooMany(context, 1);
}

/** Counts a request against the rate limit of its principal, like a request to `/mcp`. */
async function charge(
  context: Context<ConsoleEnv>,
  next: Next,
  { host, rate }: ConsoleParts,
): Promise<Response | void> {
  const { principal, person, key } = context.get('signed');
  const bytes = bytesSaid(requestOf(context)) ?? (await context.req.text()).length;
  const waitSeconds = rate.take(principal, 1 + callsInBody(bytes, rate));
  if (waitSeconds > 0) return answerTooMany(context, waitSeconds);
  host.audit.note({ principal, person, ...(key !== undefined && { key }), via: routeOf(context) });
  return next();
}

/** Returns the route of a request for the audit log, without its parameters. */
function routeOf({ req }: Context): string {
  const [part = ''] = req.path.replace('/console/api/', '').split('/');
  return `${req.method} ${part.slice(0, 32)}`;
}

/** The content security policy: pages load only from this server, and no other page can frame them. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every response of the console, in addition to those of the server. */
const headers: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

async function withConsoleHeaders(context: Context, next: Next): Promise<void> {
  await next();
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  if (context.res.headers.get('cache-control') === null) context.header('cache-control', 'no-store');
}

/** The folder of the built pages, or `undefined` if they are not installed. */
function installedPages(): string | undefined {
  try {
    const manifest = import.meta.resolve('@workflowlookup/console/package.json');
    return join(dirname(fileURLToPath(manifest)), 'dist');
  } catch {
    // They are not installed, and the console says so.
    return undefined;
  }
}

/**
 * Matches a path that is an address within the pages: no segment begins with a dot, and it is not under `assets/`.
 */
const address = /^(?!assets\/)(?:[\w~@:-][\w.~@:-]*\/)*(?:[\w~@:-][\w.~@:-]*)?$/;

/** Matches a path with a segment that begins with a dot. Such files are not part of the pages. */
const hidden = /\/\./;

const year = 31_536_000;

/** Serves the files by their names, and `index.html` for every address that the pages handle themselves. */
function pageRoutes(root: string | undefined = installedPages()): Hono {
  const nameOf = (path: string): string => path.replace(/^\/console\/?/, '');
  const pages = new Hono();
  if (root !== undefined && existsSync(root)) {
    const index = serveStatic({ root, path: 'index.html' });
    const files = serveStatic({ root, rewriteRequestPath: nameOf });
    pages
      // Only static files are compressed. Compressing secrets together with text that an attacker chooses can reveal the
      // secrets.
      .use(compress())
      .use('/assets/*', async (context, next) => {
        await next();
        // Their names contain a hash of their content.
        if (context.res.ok) context.header('cache-control', `public, max-age=${year}, immutable`);
      })
      .get('/*', (context, next) => (hidden.test(context.req.path) ? next() : files(context, next)))
      .get('/*', (context, next) => (address.test(nameOf(context.req.path)) ? index(context, next) : next()));
  }
  return pages.get('/*', ({ req, text }) =>
    text(address.test(nameOf(req.path)) ? requestMessages.notBuilt() : requestMessages.noPage(), 404),
  );
}
