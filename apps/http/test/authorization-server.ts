import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

/** A real authorization server on a port of this machine. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** Gets an access token the way a program without a user does. */
  token(asked?: { readonly resource?: string; readonly scope?: string }): Promise<string>;
  /** Signs a good token, with these claims over its own: what it would never say is undefined. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

/** The resource its tokens are made out to unless another one is asked for. */
export const resource = 'http://127.0.0.1:8420/mcp';

/** Starts one with keys of its own. */
export async function startAuthorizationServer(): Promise<AuthorizationServer> {
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
    ],
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
  handle = (request, response) => void serve(request, response);
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
    sign(claims) {
      const now = Math.floor(Date.now() / 1000);
      const own = { iss: issuer, aud: resource, sub: 'agent', scope: 'read write', iat: now, exp: now + 600 };
      const header = { alg: 'ES256', kid: 'k1' };
      return new SignJWT({ ...own, ...claims }).setProtectedHeader(header).sign(privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
