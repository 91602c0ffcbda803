import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Key, KeyRing } from '@workflowlookup/core/tokens';

/** How long a sign-in link may be used; it works once. */
export const signInLinkMs = 600_000;

/** A valid sign-in link. */
export interface SignInLink {
  /** Identifies it, so that it can be used only once. */
  readonly id: string;
  /** When it expires, in milliseconds since the epoch. */
  readonly untilMs: number;
}

/**
 * Creates the secret in a link that signs the user of this machine in to the console. It is random, and sealed with the
 * key that signs tokens, so any server with these keys accepts it, and only a process that can read the keys can make one.
 */
export function newSignInSecret({ signing }: KeyRing, nowMs: number): string {
  const id = randomBytes(16).toString('base64url');
  const end = Math.floor(nowMs + signInLinkMs).toString(36);
  return `${id}.${end}.${sealOf(signing, id, end)}`;
}

/** Returns the link of a secret, or `undefined` if the text is not a secret or has expired. */
export function readSignInSecret(
  { verifying }: KeyRing,
  secret: string,
  nowMs: number,
): SignInLink | undefined {
  const [, id = '', end = '', seal = ''] = /^([\w-]{22})\.([0-9a-z]{1,11})\.([\w-]{43})$/.exec(secret) ?? [];
  const isSealed = verifying.some((key) => isSame(sealOf(key, id, end), seal));
  const untilMs = Number.parseInt(end, 36);
  if (!isSealed || untilMs <= nowMs || untilMs > nowMs + 2 * signInLinkMs) return undefined;
  return { id, untilMs };
}

function sealOf({ secret }: Key, id: string, end: string): string {
  // A purpose of its own, so that no other signature of this key counts here.
  const own = Buffer.from(hkdfSync('sha256', secret, '', 'workflowlookup-sign-in-link', 32));
  return createHmac('sha256', own).update(`${id}.${end}`).digest('base64url');
}

function isSame(due: string, given: string): boolean {
  const [one, other] = [Buffer.from(due), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const made = new WeakMap<Key, string>();

/**
 * The token in the address of a server where nobody signs in. It is made from the key that signs tokens, so it is the same
 * after a restart and for every server with these keys, and whoever may not read the keys does not have it.
 */
export function addressTokenOf({ signing }: KeyRing): string {
  return tokenOf(signing);
}

/** Returns whether a text is the token of one of the keys. The address of an older key works while the ring has that key. */
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
