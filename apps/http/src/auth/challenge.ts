import type { NetworkOptions } from '../network-options.ts';

/** The facts in a response that refuses a credential. */
interface ChallengeFacts {
  readonly error?: 'invalid_token' | 'insufficient_scope';
  readonly reason?: string;
  /** All scopes that the request requires. */
  readonly scope: string;
}

export interface Challenge {
  /** Returns 401: the request has no valid credential. */
  unauthorized(facts: ChallengeFacts): Response;
  /** Returns 403: the credential lacks a scope. */
  forbidden(facts: ChallengeFacts): Response;
}

/** Creates these responses; `metadata` is the address of the protected resource metadata (RFC 9728). */
export function createChallenge(metadata?: string): Challenge {
  const respond = (status: number, { error, reason, scope }: ChallengeFacts): Response => {
    const parts = {
      realm: 'workflowlookup',
      ...(error !== undefined && { error }),
      ...(reason !== undefined && { error_description: reason }),
      scope,
      ...(metadata !== undefined && { resource_metadata: metadata }),
    };
    const header = Object.entries(parts).map(([name, value]) => `${name}="${value.replaceAll('"', "'")}"`);
    return Response.json(
      { error: error ?? 'unauthorized', ...(reason !== undefined && { error_description: reason }) },
      { status, headers: { 'www-authenticate': `Bearer ${header.join(', ')}`, 'cache-control': 'no-store' } },
    );
  };
  return {
    unauthorized: (facts) => respond(401, facts),
    forbidden: (facts) => respond(403, facts),
  };
}

/** Where the document below is, by the rule of RFC 9728 for a resource with a path. */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}

/** What clients read to find the authorization server (RFC 9728). */
export function resourceMetadata({ issuer, resource }: NonNullable<NetworkOptions['oauth']>): object {
  return {
    resource,
    authorization_servers: [issuer],
    // Clients ask for every scope they find here. An agent's client must not hold the right to answer for people.
    scopes_supported: ['read', 'write'],
    bearer_methods_supported: ['header'],
    resource_name: 'workflowlookup',
  };
}
