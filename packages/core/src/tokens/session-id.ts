import { bytesToHex } from '@noble/hashes/utils.js';

/** Length of a session id before it is written as hexadecimal digits. */
export const sessionIdBytes = 10;

/** Gives random bytes, as many as asked for. */
export type RandomBytes = (length: number) => Uint8Array;

/** Those of the platform. */
export const webCrypto: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** A new session id: 80 random bits as 20 hexadecimal digits. */
export function newSessionId(random: RandomBytes = webCrypto): string {
  return bytesToHex(random(sessionIdBytes));
}

/** Whether a value is spelled as {@link newSessionId} spells ids. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{20}$/.test(value);
}
