import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

/** A secret that tokens are signed with. */
export interface Key {
  /** Tells keys apart in logs; gives nothing of the secret away. */
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** The keys of a server: tokens are signed with one, and those that any of them signed are genuine. */
export interface KeyRing {
  readonly signing: Key;
  /** Holds `signing` too. */
  readonly verifying: readonly Key[];
}

/** To forge 128 bits takes 2^128 tries; a signature cut shorter is never genuine. */
export const shortestSignatureBytes = 16;

/** The HMAC-SHA256 of a message under the signing key, 32 bytes. */
export function sign({ signing }: KeyRing, message: Uint8Array): Uint8Array {
  return hmacOf(signing.secret, message);
}

/** Whether a signature, whole or cut to no less than {@link shortestSignatureBytes}, is that of any key. */
export function verify({ verifying }: KeyRing, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length < shortestSignatureBytes || signature.length > sha256.outputLen) return false;
  return verifying.some(({ secret }) => begins(hmacOf(secret, message), signature));
}

/** Looks at every byte, so that the time it takes does not tell how many were right. */
function begins(whole: Uint8Array, start: Uint8Array): boolean {
  let difference = 0;
  for (const [index, byte] of start.entries()) difference |= byte ^ (whole[index] ?? 0x100);
  return difference === 0;
}

/** Node's own HMAC takes a fraction of the time that the library takes, which is there for browsers. */
function hmacOf(secret: Uint8Array, message: Uint8Array): Uint8Array {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  return crypto === undefined
    ? hmac(sha256, secret, message)
    : crypto.createHmac('sha256', secret).update(message).digest();
}
