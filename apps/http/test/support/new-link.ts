import { loadKeyRing, newSignInSecret } from '@workflowlookup/host';

/**
 * Returns the printed address of a console with a new sign-in secret, as `workflowlookup address` does. If the address
 * has no secret, because the server has credentials, it is returned without one.
 */
export function newLink(printed: string, stateDirectory: string): string {
  const [page = '', secret] = printed.split('#sign-in=');
  if (secret === undefined) return page;
  return `${page}#sign-in=${newSignInSecret(loadKeyRing({ stateDirectory }), Date.now())}`;
}
