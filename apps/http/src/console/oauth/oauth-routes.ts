import { describeError } from '@workflowlookup/mcp';
import type { Context } from 'hono';
import { Hono } from 'hono';
import * as oauth from 'oauth4webapi';
import { authenticate } from '../../auth/authenticate.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Accounts } from '../account/accounts.ts';
import { giveSignIn } from '../account/sign-in-cookie.ts';
import { createConsoleCookie } from '../account/console-cookie.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { exchangeCode } from './exchange-code.ts';
import { createKnownServer } from './authorization-server.ts';
import { journeySeal, journeySeconds, sealJourney } from './journey.ts';

/** Where the browser goes after it was at the authorization server. */
const home = '/console/';
const failed = '/console/#sign-in-failed';

const scope = 'read write checkpoints:respond';

/**
 * Signs people in at the authorization server whose access tokens count: the code of RFC 6749 with PKCE, for a token that
 * is made out to this server. The token is looked at and forgotten.
 */
export function oauthRoutes(parts: ConsoleParts, accounts: Accounts): Hono {
  const { host, network, verifiers, log } = parts;
  const { oauth: options, publicUrl } = network;
  const routes = new Hono();
  if (options?.client === undefined || publicUrl === undefined) return routes;
  const find = createKnownServer({ ...options, client: options.client });
  const { resource } = options;
  const redirectUri = `${publicUrl.replace(/\/$/, '')}/console/api/oauth/callback`;
  // Back from another site: a cookie that is same-site in the strict sense would not come along.
  const cookie = createConsoleCookie({ suffix: 'journey', path: '/console/api/oauth', sameSite: 'Lax' });

  async function begin(context: Context): Promise<Response> {
    const { server, client } = await find();
    const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
    const value = await sealJourney((await host.vault()).keys, { state, verifier });
    cookie.give(context, { value, seconds: journeySeconds, isSecure: redirectUri.startsWith('https:') });
    const url = new URL(server.authorization_endpoint ?? '');
    const code_challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const asked = {
      response_type: 'code',
      redirect_uri: redirectUri,
      scope,
      resource,
      state,
      code_challenge,
    };
    for (const [name, text] of Object.entries({ ...client, ...asked, code_challenge_method: 'S256' }))
      url.searchParams.set(name, String(text));
    return context.redirect(url.href);
  }

  /** Who a code is for. @throws what the authorization server refuses */
  async function whose(context: Context): Promise<Identity | undefined> {
    const journey = await journeySeal.open((await host.vault()).keys, cookie.read(context) ?? '');
    cookie.take(context);
    if (journey === undefined) return undefined;
    const url = new URL(context.req.url);
    const token = await exchangeCode(await find(), { url, journey, redirectUri, resource });
    const headers = { authorization: `Bearer ${token}` };
    const found = await authenticate(new Request(url, { headers }), verifiers);
    return 'identity' in found ? found.identity : undefined;
  }

  async function finish(context: Context): Promise<Response> {
    const identity = await whose(context);
    const found = identity && (await accounts.withIdentity(identity));
    if (found === undefined) return context.redirect(failed);
    giveSignIn(context, network, found);
    return context.redirect(home);
  }

  /** A person is at a page, not at an answer: what fails leads to that page. */
  async function orFailed(
    context: Context,
    work: (context: Context) => Promise<Response>,
  ): Promise<Response> {
    try {
      return await work(context);
    } catch (error) {
      log('warn', 'sign_in_failed', describeError(error));
      return context.redirect(failed);
    }
  }

  return routes
    .get('/begin', (context) => orFailed(context, begin))
    .get('/callback', (context) => orFailed(context, finish));
}
