import { bytesToHex } from '@noble/hashes/utils.js';

/** Length of a session id before it is written as hexadecimal digits. */
export const sessionIdBytes = 10;

/** Returns a number of random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

const poolBytes = 1024;
let pool = new Uint8Array(0);

/** Those of the platform, which are fetched many at a time: asking for them takes far longer than copying them. */
export const webCrypto: RandomBytes = (length) => {
  if (pool.length < length) pool = crypto.getRandomValues(new Uint8Array(Math.max(length, poolBytes)));
  const taken = pool.slice(0, length);
  pool = pool.subarray(length);
  return taken;
};

/** A new session id: 80 random bits as 20 hexadecimal digits. */
export function newSessionId(random: RandomBytes = webCrypto): string {
  return bytesToHex(random(sessionIdBytes));
}

/** Returns whether a value has the format of {@link newSessionId}. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{20}$/.test(value);
}
