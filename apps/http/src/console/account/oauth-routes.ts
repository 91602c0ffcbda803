import * as oauth from 'oauth4webapi';
import type { NewSession, OAuthStart } from '@workflowlookup/console/contract';
import { describeError } from '@workflowlookup/mcp';
import { WorkflowError } from '@workflowlookup/schema';
import type { MiddlewareHandler } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Identity } from '../../auth/authentication.ts';
import { authenticate } from '../../auth/authentication.ts';
import { createRateLimit } from '../../guards.ts';
import type { NetworkOptions } from '../../options.ts';
import type { ConsoleParts } from '../requests.ts';
import { answerTooMany, readBody, requestOf } from '../requests.ts';
import { actorOf, newSession } from './account-routes.ts';
import type { Accounts } from './accounts.ts';
import { createSeal } from './session-token.ts';
import { credentialMessages, requestMessages } from '../../messages.ts';

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
