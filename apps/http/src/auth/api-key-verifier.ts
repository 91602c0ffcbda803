import type { ApiKeys } from '@workflowlookup/host';
import type { Verifier } from './identity.ts';

/** Tells holders of API keys. */
export function createApiKeyVerifier(keys: ApiKeys): Verifier {
  return async (credential) => {
    if (!credential.startsWith('wlk_')) return { kind: 'unknown' };
    const found = await keys.check(credential);
    switch (found.standing) {
      case 'good': {
        const { principal, scopes, id } = found.key;
        return { kind: 'known', identity: { principal, scopes: new Set(scopes), key: id } };
      }
      case 'unknown':
        return { kind: 'refused', reason: 'The API key is unknown' };
      case 'over':
        return { kind: 'refused', reason: `The API key ${found.key.id} ${found.reason}`, isOver: true };
    }
  };
}
