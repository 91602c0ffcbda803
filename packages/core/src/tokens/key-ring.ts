import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

/** A secret that tokens are signed with. */
export interface Key {
  /** Identifies a key in logs without revealing the secret. */
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** The keys of a server: tokens are signed with one, and those that any of them signed are genuine. */
export interface KeyRing {
  readonly signing: Key;
  /** All accepted keys, including `signing`. */
  readonly verifying: readonly Key[];
}

/** To forge 128 bits takes 2^128 tries; a signature cut shorter is never genuine. */
export const shortestSignatureBytes = 16;

/** The HMAC-SHA256 of a message under the signing key, 32 bytes. */
export function sign({ signing }: KeyRing, message: Uint8Array): Uint8Array {
  return hmacOf(signing.secret, message);
}

/** Returns whether a signature, complete or cut to no less than {@link shortestSignatureBytes}, was made by any key. */
export function verify({ verifying }: KeyRing, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length < shortestSignatureBytes || signature.length > sha256.outputLen) return false;
  return verifying.some(({ secret }) => begins(hmacOf(secret, message), signature));
}

/** Compares every byte, so that its duration does not reveal how many were right. */
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

/** Bytes as base64url without padding. */
export function encodeBase64url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The bytes of base64url without padding; `undefined` for anything but the one spelling {@link encodeBase64url} gives them. */
export function decodeBase64url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  // The last character may carry bits that belong to no byte.
  return encodeBase64url(bytes) === text ? bytes : undefined;
}
