import * as oauth from 'oauth4webapi';
import type { Me, NewSession, OAuthStart, SignedIn, SignedOut } from '@workflowlookup/console/contract';
import type { AuditContext } from '@workflowlookup/host';
import { describeError } from '@workflowlookup/mcp';
import { defined, WorkflowError } from '@workflowlookup/schema';
import type { Context, MiddlewareHandler, Next } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Identity } from '../auth/authentication.ts';
import { authenticate } from '../auth/authentication.ts';
import { createRateLimit } from '../guards.ts';
import { credentialMessages, requestMessages } from '../messages.ts';
import type { NetworkOptions } from '../options.ts';
import type { Accounts, NewSignIn, SignedInUser } from './accounts.ts';
import { createSeal, identify, permissionsOf } from './accounts.ts';
import type { ConsoleParts } from './requests.ts';
import { answerError, answerTooMany, limitBody, readBody, requestOf } from './requests.ts';

const given = z.union([
  z.strictObject({ secret: z.string().max(512) }),
  z.strictObject({ key: z.string().max(512) }),
]);

/** Returns the signed-in user, and signs users in and out. */
export function accountRoutes(parts: ConsoleParts, accounts: Accounts): Hono {
  const {
    version,
    failed,
    rate,
    host: { audit },
  } = parts;

  async function me(context: Context): Promise<Response> {
    const signed = await identify(context, accounts, parts);
    if (signed instanceof Response) return signed;
    const waitSeconds = signed === undefined ? 0 : rate.take(signed.principal, 1);
    if (waitSeconds > 0) return answerTooMany(context, waitSeconds);
    const found: Me =
      signed === undefined
        ? { state: 'signed-out', ...signInMethodsOf(parts), version }
        : describe(signed, parts);
    return context.json(found);
  }

  return new Hono()
    .get('/me', async (context) => me(context))
    .post('/sign-in', async (context) => {
      const credential = await readBody(context, given);
      const text = 'secret' in credential ? credential.secret : credential.key;
      const waitSeconds = failed.wait(requestOf(context), text);
      if (waitSeconds > 0) return answerTooMany(context, waitSeconds);
      const found =
        'secret' in credential
          ? await accounts.withSecret(credential.secret)
          : await accounts.withKey(credential.key);
      if (found === undefined || !('signed' in found)) {
        const untilSeconds = failed.count(requestOf(context), text, found !== undefined);
        if (untilSeconds > 0) return answerTooMany(context, untilSeconds);
        const { key, reason } = found ?? {};
        const data = defined({ key });
        audit.record({ action: 'sign-in', outcome: 'refused', code: 'TOKEN_INVALID', ...data });
        const message =
          reason === undefined ? requestMessages.wrongSignIn() : requestMessages.refusedSignIn(reason);
        throw new WorkflowError('TOKEN_INVALID', message, { data });
      }
      audit.record({ action: 'sign-in', outcome: 'done', ...actorOf(found.signed) });
      return context.json(newSession(found, parts));
    })
    .post('/sign-out', async (context) => {
      const signed = await identify(context, accounts, parts);
      if (signed instanceof Response) return signed;
      if (signed !== undefined) {
        await accounts.end(signed);
        audit.record({ action: 'sign-out', outcome: 'done', ...actorOf(signed) });
      }
      return context.body(null, 204);
    });
}

function signInMethodsOf({ network, verifiers }: ConsoleParts): Pick<SignedOut, 'methods'> {
  const hasOAuth = network.oauth?.client !== undefined;
  const all = { secret: verifiers.length === 0, key: network.keys, oauth: hasOAuth };
  const methods = (Object.keys(all) as (keyof typeof all)[]).filter((method) => all[method]);
  return { methods };
}

function newSession({ token, signed }: NewSignIn, parts: ConsoleParts): NewSession {
  return { token, me: describe(signed, parts) };
}

function describe(signed: SignedInUser, { host, version }: ConsoleParts): SignedIn {
  const { principal, person, scopes, untilMs } = signed;
  return {
    state: 'signed-in',
    principal,
    person,
    scopes: [...scopes],
    may: permissionsOf(signed, host),
    until: new Date(untilMs).toISOString(),
    version,
  };
}

function actorOf({ principal, person, key }: SignedInUser): AuditContext {
  return { principal, person, ...(key !== undefined && { key }) };
}

/** Returns a function that asks an authorization server for its metadata once, and says who we are there. */
function createKnownServer({ issuer, client }: Required<NonNullable<NetworkOptions['oauth']>>) {
  let known: ReturnType<typeof ask> | undefined;
  const url = new URL(issuer);
  // Allows requests to it without TLS if it runs on this machine.
  const insecure = { [oauth.allowInsecureRequests]: url.protocol === 'http:' };

  async function find(algorithm: 'oauth2' | 'oidc'): Promise<oauth.AuthorizationServer> {
    const signal = AbortSignal.timeout(10_000);
    const response = await oauth.discoveryRequest(url, { algorithm, signal, ...insecure });
    return oauth.processDiscoveryResponse(url, response);
  }

  async function ask() {
    const server = await find('oauth2').catch(() => find('oidc'));
    const { id: client_id, secret } = client;
    const clientAuth = secret === undefined ? oauth.None() : oauth.ClientSecretBasic(secret);
    return { server, client: { client_id }, clientAuth, insecure };
  }

  return () =>
    (known ??= ask().catch((error: unknown) => {
      known = undefined;
      throw error;
    }));
}

/** How long a user may take to sign in there. */
const pendingSignInSeconds = 600;

/** Seals the state that the page keeps while its user is at the authorization server. */
const pendingSignInSeal = createSeal({
  issuer: 'workflowlookup-console-journey',
  claims: z.object({ state: z.string(), verifier: z.string() }),
});

const callbackPath = '/console/api/oauth/callback';
const scope = 'read write checkpoints:respond';
const returned = z.strictObject({ journey: z.string().max(4096), search: z.string().max(4096) });

/** The page to which the authorization server sends the browser back. It passes the parameters to the routes below. */
export function oauthCallback(): Hono {
  // The parameters go into the fragment, which the browser does not send to the server.
  return new Hono().get('/callback', (context) =>
    context.redirect(`/console/#sign-in-returned${new URL(context.req.url).search}`),
  );
}

/**
 * Signs people in through the authorization server, with the authorization code flow of RFC 6749 and PKCE. The access
 * token is issued for this server, which reads the identity from it and does not keep it.
 *
 * The page that begins keeps the verifier, sealed, in the storage of its origin, and only with it the code that comes back
 * signs anybody in: no cookie is needed, and no page elsewhere can finish or exchange a sign-in.
 */
export function oauthRoutes(parts: ConsoleParts, accounts: Accounts): Hono {
  const { host, network, verifiers, failed, log } = parts;
  const { oauth: options, publicUrl } = network;
  const routes = new Hono();
  if (options?.client === undefined || publicUrl === undefined) return routes;
  const find = createKnownServer({ ...options, client: options.client });
  const { resource } = options;
  const redirectUri = `${publicUrl.replace(/\/$/, '')}${callbackPath}`;

  async function begin(): Promise<OAuthStart> {
    const { server, client } = await find();
    const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
    const { keys } = await host.vault();
    const journey = await pendingSignInSeal.close(keys, { state, verifier }, pendingSignInSeconds);
    const url = new URL(server.authorization_endpoint ?? '');
    const code_challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const asked = {
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope,
      resource,
      state,
      code_challenge,
      code_challenge_method: 'S256',
    };
    for (const [name, text] of Object.entries(asked)) url.searchParams.set(name, text);
    return { url: url.href, journey };
  }

  /** Exchanges a code for the identity of the user. @throws the error of the authorization server */
  async function whose({ journey, search }: z.infer<typeof returned>): Promise<Identity | undefined> {
    const { keys } = await host.vault();
    const pending = await pendingSignInSeal.open(keys, journey, pendingSignInSeconds);
    if (pending === undefined) return undefined;
    const { server, client, clientAuth, insecure } = await find();
    const url = new URL(redirectUri);
    url.search = search;
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      clientAuth,
      oauth.validateAuthResponse(server, client, url, pending.state),
      redirectUri,
      pending.verifier,
      { additionalParameters: { resource }, signal: AbortSignal.timeout(10_000), ...insecure },
    );
    const { access_token: token } = await oauth.processAuthorizationCodeResponse(server, client, response);
    const headers = { authorization: `Bearer ${token}` };
    const found = await authenticate(new Request(url, { headers }), verifiers);
    if (found.kind === 'unsettled') throw new Error(credentialMessages.newIssuerKey());
    return found.kind === 'known' ? found.identity : undefined;
  }

  async function finish(body: z.infer<typeof returned>): Promise<NewSession> {
    const identity = await whose(body);
    const found = identity && (await accounts.withIdentity(identity));
    if (found === undefined) {
      host.audit.record({ action: 'sign-in', outcome: 'refused', code: 'TOKEN_INVALID' });
      throw new WorkflowError('TOKEN_INVALID', requestMessages.issuerRefused());
    }
    host.audit.record({ action: 'sign-in', outcome: 'done', ...actorOf(found.signed) });
    return newSession(found, parts);
  }

  /** Errors of the authorization server go to the log. The page only learns that nobody was signed in. */
  async function orRefused<Answer>(work: Promise<Answer>): Promise<Answer> {
    try {
      return await work;
    } catch (error) {
      log('warn', 'sign_in_failed', describeError(error));
      throw new WorkflowError('TOKEN_INVALID', requestMessages.issuerRefused());
    }
  }

  // Anybody may ask for these: they cost a request to the authorization server, or sealing.
  const { authFailures } = network;
  const ofAddress = createRateLimit({ perSecond: authFailures / 60, burst: authFailures });
  const inTurn: MiddlewareHandler = (context, next) => {
    const waitSeconds = ofAddress.take(failed.addressOf(requestOf(context)));
    return waitSeconds > 0 ? Promise.resolve(answerTooMany(context, waitSeconds)) : next();
  };

  return routes
    .use('/begin', inTurn)
    .use('/finish', inTurn)
    .post('/begin', async (context) => context.json(await orRefused(begin())))
    .post('/finish', async (context) => {
      const body = await readBody(context, returned);
      return context.json(await orRefused(finish(body)));
    });
}

/** The maximum size of a body before sign-in, in bytes. The bodies of sign-ins are smaller. */
const maxBytes = 16_384;

/** How long the client may take to send such a body. */
const maxMs = 5000;

/** How many of these requests one address may have in progress. */
const ofOneAddress = 16;

/** A request in progress. */
interface UnauthenticatedRequest {
  readonly address: string;
  /** Ends the request at once with a refusal; absent as soon as its body is read. */
  drop?: (() => void) | undefined;
}

/**
 * Limits requests that are sent without a credential. Since anybody can send them, together they use at most a quarter
 * of the server's simultaneous requests, and the rest stays free for users who are signed in. If there is no room, the
 * oldest request whose body is still arriving is dropped, so that nobody can block others with idle connections.
 *
 * @see docs/operations.md#limits
 */
export function admitUnauthenticated({
  failed,
  network: { maxRequests },
}: Pick<ConsoleParts, 'failed'> & {
  readonly network: Pick<ConsoleParts['network'], 'maxRequests'>;
}): MiddlewareHandler {
  const ofAll = Math.ceil(maxRequests / 4);
  const limit = limitBody(maxBytes);
  /** Ordered by arrival, the oldest first. */
  const inFlight = new Set<UnauthenticatedRequest>();

  /**
   * Returns whether another request fits within the limit `most`. To make room, it may drop the oldest request whose
   * body is still arriving.
   */
  function hasRoom(most: number, isOne: (stranger: UnauthenticatedRequest) => boolean): boolean {
    const found = [...inFlight].filter(isOne);
    if (found.length < most) return true;
    const oldest = found.find(({ drop }) => drop !== undefined);
    if (oldest === undefined) return false;
    oldest.drop?.();
    return inFlight.delete(oldest);
  }

  async function take(
    context: Context,
    next: Next,
    stranger: UnauthenticatedRequest,
  ): Promise<Response | void> {
    let timer: NodeJS.Timeout | undefined;
    const stopped = new Promise<'late' | 'dropped'>((resolve) => {
      timer = setTimeout(() => resolve('late'), maxMs);
      stranger.drop = () => resolve('dropped');
    });
    // Hono caches the text, so the route can read the body again.
    const body = limit(context, async () => void (await context.req.text()));
    const refused = await Promise.race([body, stopped]).finally(() => clearTimeout(timer));
    stranger.drop = undefined;
    if (refused === undefined) return next();
    if (typeof refused !== 'string') return refused;
    context.header('connection', 'close');
    if (refused === 'dropped') return answerTooMany(context, 1);
    const message = requestMessages.bodyTooLate(maxMs / 1000);
    return answerError(context, { code: 'TIMEOUT', message });
  }

  return async (context, next) => {
    const address = failed.addressOf(requestOf(context));
    if (!hasRoom(ofOneAddress, (one) => one.address === address) || !hasRoom(ofAll, () => true))
      return answerTooMany(context, 1);
    const stranger: UnauthenticatedRequest = { address };
    inFlight.add(stranger);
    return take(context, next, stranger).finally(() => inFlight.delete(stranger));
  };
}
