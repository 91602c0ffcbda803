import { describeError } from '@workflowlookup/mcp';
import type { Context, Next } from 'hono';
import { Hono } from 'hono';
import { accountRoutes, admitUnauthenticated, oauthCallback, oauthRoutes } from './account-routes.ts';
import type { Accounts } from './accounts.ts';
import { createAccounts, identify, operatorFor } from './accounts.ts';
import {
  answerError,
  answerThrown,
  answerTooMany,
  limitBody,
  maxConsoleBytes,
  requestOf,
  refuseForeign,
} from './requests.ts';
import { checksRoutes } from './api/checks-routes.ts';
import type { KnownCheckpoints } from './api/checkpoint-routes.ts';
import { checkpointRoutes, listCheckpoints } from './api/checkpoint-routes.ts';
import { sessionRoutes, outputRoutes } from './api/session-routes.ts';
import { healthRoutes } from './api/health-routes.ts';
import { insightsRoutes } from './api/insights-routes.ts';
import { playgroundRoutes, workflowsRoutes, textRoutes, trustRoutes } from './api/workflow-routes.ts';
import { changesRoutes } from './changes-routes.ts';
import type { ConsoleEnv, Console, ConsoleParts } from './requests.ts';
import { contentSecurityPolicy, pageRoutes } from './pages.ts';
import { bytesSaid, callsInBody } from '../guards.ts';
import { requestMessages } from '../messages.ts';

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
