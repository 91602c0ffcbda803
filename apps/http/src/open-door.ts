import type { Host } from '@workflowlookup/host';
import { openApiKeys } from '@workflowlookup/host';
import type { Log } from '@workflowlookup/mcp';
import { createApiKeyVerifier } from './auth/api-key-verifier.ts';
import { createChallenge } from './auth/challenge.ts';
import type { Verifier } from './auth/identity.ts';
import { createOAuthVerifier } from './auth/oauth-verifier.ts';
import { metadataUrl } from './auth/resource-metadata.ts';
import type { Door, DoorParts } from './door.ts';
import { createDoor } from './door.ts';
import { createRateLimit } from './guards/rate-limit.ts';
import { createShare } from './guards/share.ts';
import type { NetworkOptions } from './network-options.ts';

/** How many requests of a principal may come at once after a pause, in seconds' worth. */
const burstSeconds = 3;

/** Who may come in, how often and how many at once, whichever way they come. */
export type Guards = Pick<DoorParts, 'verifiers' | 'rate' | 'share'>;

/** How much of something one principal may have: a quarter, or all of it where there is one principal, which is everybody. */
export function shareOf({ keys, oauth }: Pick<NetworkOptions, 'keys' | 'oauth'>, all: number): number {
  return keys || oauth !== undefined ? Math.ceil(all / 4) : all;
}

/** The guards that the options of the network ask for. */
export function createGuards(network: NetworkOptions, access: Host['access'], log: Log): Guards {
  const { rateLimit, maxRequests } = network;
  const verifiers = verifiersOf(network, access, log);
  return {
    verifiers,
    rate: createRateLimit({ perSecond: rateLimit, burst: rateLimit * burstSeconds }),
    share: createShare(shareOf(network, maxRequests)),
  };
}

/** The door that the options of the network ask for. */
export function openDoor({ oauth }: NetworkOptions, parts: Omit<DoorParts, 'challenge'>): Door {
  return createDoor({ ...parts, challenge: createChallenge(oauth && metadataUrl(oauth.resource)) });
}

function verifiersOf({ keys, oauth }: NetworkOptions, access: Host['access'], log: Log): readonly Verifier[] {
  const told = new Set<string>();
  // Logged once for each key, because its holder may send it as often as they like.
  const onUnsealed = (id: string): void => {
    if (told.has(id)) return;
    told.add(id);
    log('error', 'api_key_not_sealed', { key: id });
  };
  return [
    ...(keys ? [createApiKeyVerifier(openApiKeys(access), onUnsealed)] : []),
    ...(oauth === undefined ? [] : [createOAuthVerifier(oauth)]),
  ];
}
