import * as oauth from 'oauth4webapi';
import type { NetworkOptions } from '../../network-options.ts';

/** An authorization server as its metadata describe it, and who we are there. */
export interface KnownServer {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly clientAuth: oauth.ClientAuth;
  /** How requests to it are sent: in the clear only on this machine. */
  readonly insecure: { readonly [oauth.allowInsecureRequests]: boolean };
}

/** Asks an authorization server for its metadata, once. */
export function createKnownServer({
  issuer,
  client,
}: Required<NonNullable<NetworkOptions['oauth']>>): () => Promise<KnownServer> {
  let known: Promise<KnownServer> | undefined;
  const url = new URL(issuer);
  const insecure = { [oauth.allowInsecureRequests]: url.protocol === 'http:' };

  async function find(algorithm: 'oauth2' | 'oidc'): Promise<oauth.AuthorizationServer> {
    const signal = AbortSignal.timeout(10_000);
    const response = await oauth.discoveryRequest(url, { algorithm, signal, ...insecure });
    return oauth.processDiscoveryResponse(url, response);
  }

  async function ask(): Promise<KnownServer> {
    const server = await find('oauth2').catch(() => find('oidc'));
    const { id: client_id, secret } = client;
    const clientAuth = secret === undefined ? oauth.None() : oauth.ClientSecretBasic(secret);
    return { server, client: { client_id }, clientAuth, insecure };
  }

  return () => {
    known ??= ask().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}
