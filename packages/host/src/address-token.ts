import { hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Key, KeyRing } from '@workflowlookup/core';

const made = new WeakMap<Key, string>();

/**
 * The token in the address of a server where nobody signs in. It is made from the key that signs tokens, so it is the same
 * after a restart and for every server with these keys, and whoever may not read the keys does not have it.
 */
export function addressTokenOf({ signing }: KeyRing): string {
  return tokenOf(signing);
}

/** Whether a text is the token of one of the keys; an address of an older key counts as long as the ring has that key. */
export function isAddressToken({ verifying }: KeyRing, given: string): boolean {
  const text = Buffer.from(given);
  return verifying.some((key) => {
    const token = Buffer.from(tokenOf(key));
    return token.length === text.length && timingSafeEqual(token, text);
  });
}

function tokenOf(key: Key): string {
  const known = made.get(key);
  if (known !== undefined) return known;
  const bytes = hkdfSync('sha256', key.secret, '', 'workflowlookup-http-address', 24);
  const token = Buffer.from(bytes).toString('base64url');
  made.set(key, token);
  return token;
}
