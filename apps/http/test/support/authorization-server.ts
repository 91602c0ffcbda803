import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

/** A real authorization server on a port of this machine. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** Gets an access token with the client credentials flow, which needs no user. */
  token(asked?: { readonly resource?: string; readonly scope?: string }): Promise<string>;
  /** Signs a token in which these claims replace the valid ones. A claim that is `undefined` is left out. */
  sign(
    claims: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
  ): Promise<string>;
  close(): Promise<void>;
}

/** The default audience of the tokens. */
export const resource = 'http://127.0.0.1:8420/mcp';

/** Signs in as ann, and grants the client everything that it asks for. */
async function consent(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const accountId = 'ann';
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
  grant.addOIDCScope(String(params['scope']));
  grant.addResourceScope(String(params['resource']), String(params['scope']));
  const result = { login: { accountId }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}

/**
 * Follows a link to an authorization server as a browser does. Returns the address to which the server redirects back.
 */
export async function followTo(link: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(link);
  const { origin } = url;
  while (url.origin === origin) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const given of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(given) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (next === null) throw new Error(`${url.pathname}: ${response.status} ${await response.text()}`);
    url = new URL(next, url);
  }
  return url;
}

/**
 * Starts an authorization server with new keys. The console of the server with this resource is registered as a client.
 */
export async function startAuthorizationServer(known = resource): Promise<AuthorizationServer> {
  let handle: RequestListener = () => undefined;
  const server = createServer((request: IncomingMessage, response: ServerResponse) =>
    handle(request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'ES256', kid: 'k1' };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'agent',
        client_secret: 'a-secret-of-the-agent',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: 'ES256',
      },
      {
        client_id: 'console',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [new URL('/console/api/oauth/callback', known).href],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [key] },
    scopes: ['read', 'write', 'checkpoints:respond'],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, audience) => ({
          audience,
          scope: 'read write checkpoints:respond',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  });
  const serve = provider.callback();
  handle = (request, response) => {
    if (request.url?.startsWith('/interaction/') === true) void consent(provider, request, response);
    else void serve(request, response);
  };
  return {
    issuer,
    async token({ resource: asked = resource, scope = 'read write' } = {}) {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from('agent:a-secret-of-the-agent').toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope, resource: asked }),
      });
      const answer = (await response.json()) as { access_token?: string };
      if (answer.access_token === undefined) throw new Error(JSON.stringify(answer));
      return answer.access_token;
    },
    sign(claims, more = {}) {
      const now = Math.floor(Date.now() / 1000);
      const times = { iat: now, exp: now + 600 };
      const names = { iss: issuer, aud: resource, sub: 'agent', client_id: 'agent', jti: 'a-token' };
      const header = { alg: 'ES256', kid: 'k1', typ: 'at+jwt', ...more };
      return new SignJWT({ ...names, ...times, scope: 'read write', ...claims })
        .setProtectedHeader(header)
        .sign(privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
