import type { NetworkOptions } from '../network-options.ts';

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
