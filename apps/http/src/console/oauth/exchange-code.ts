import * as oauth from 'oauth4webapi';
import type { KnownServer } from './authorization-server.ts';
import type { Journey } from './journey.ts';

/** What an authorization server was asked, and what came back. */
export interface Return {
  /** The address the browser came back to, with the code. */
  readonly url: URL;
  readonly journey: Journey;
  readonly redirectUri: string;
  /** The audience that the token should name. */
  readonly resource: string;
}

/** The access token that a code is for. @throws what the authorization server refuses */
export async function exchangeCode(
  { server, client, clientAuth, insecure }: KnownServer,
  { url, journey: { state, verifier }, redirectUri, resource }: Return,
): Promise<string> {
  const params = oauth.validateAuthResponse(server, client, url, state);
  const asked = { additionalParameters: { resource }, signal: AbortSignal.timeout(10_000), ...insecure };
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    clientAuth,
    params,
    redirectUri,
    verifier,
    asked,
  );
  const { access_token: token } = await oauth.processAuthorizationCodeResponse(server, client, response);
  return token;
}
