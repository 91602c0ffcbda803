import { loadKeyRing, newSignInSecret } from '@workflowlookup/host';

/** The printed address of a console with a new sign-in link, as `workflowlookup address` makes one; without any where keys count. */
export function newLink(printed: string, stateDirectory: string): string {
  const [page = '', secret] = printed.split('#sign-in=');
  if (secret === undefined) return page;
  return `${page}#sign-in=${newSignInSecret(loadKeyRing({ stateDirectory }), Date.now())}`;
}
