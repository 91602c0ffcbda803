import type { ApiKeys } from '@workflowlookup/host';
import type { Verifier } from './identity.ts';

/** Tells holders of API keys. */
export function createApiKeyVerifier(keys: ApiKeys): Verifier {
  return async (credential) => {
    if (!credential.startsWith('wlk_')) return { kind: 'unknown' };
    const key = await keys.verify(credential);
    if (key === undefined) return { kind: 'refused', reason: 'The API key is unknown, expired or revoked' };
    return { kind: 'known', identity: { principal: key.principal, scopes: new Set(key.scopes) } };
  };
}
