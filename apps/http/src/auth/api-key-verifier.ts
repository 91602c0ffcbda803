import type { ApiKeys } from '@workflowlookup/host';
import type { Verifier } from './identity.ts';

/** Identifies holders of API keys. `onUnsealed` is called for a key whose record was not made with the key ring. */
export function createApiKeyVerifier(keys: ApiKeys, onUnsealed: (id: string) => void): Verifier {
  return async (credential) => {
    if (!credential.startsWith('wlk_')) return { kind: 'unknown' };
    const found = await keys.check(credential);
    switch (found.standing) {
      case 'good': {
        const { principal, scopes, id } = found.key;
        return { kind: 'known', identity: { principal, scopes: new Set(scopes), key: id } };
      }
      case 'unsealed':
        onUnsealed(found.key.id);
        return {
          kind: 'refused',
          reason: `The API key ${found.key.id} was not made with the keys of this server: make a new one`,
          isOver: true,
          key: found.key.id,
        };
      case 'unknown':
        return { kind: 'refused', reason: 'The API key is unknown' };
      case 'over':
        return {
          kind: 'refused',
          reason: `The API key ${found.key.id} ${found.reason}`,
          isOver: true,
          key: found.key.id,
        };
    }
  };
}
