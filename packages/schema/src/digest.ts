import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

// The package is CommonJS, but its types describe an ES module. The import is the function itself.
const serialize = canonicalize as unknown as (value: unknown) => string | undefined;

/**
 * Returns a value as canonical JSON (RFC 8785): the same text for the same data in any key order. Throws a `TypeError`
 * for a value that JSON can't represent.
 */
export function canonicalJson(value: unknown): string {
  const text = serialize(value);
  if (text === undefined) throw new TypeError(`JSON cannot write a value of type ${typeof value}`);
  return text;
}

/**
 * Returns `sha256:` and the 64 hex digits of the SHA-256 of a value's canonical JSON.
 *
 * @example
 * ```ts
 * digestOf({ b: 1, a: 2 }) === digestOf({ a: 2, b: 1 }); // true: the order of keys does not count
 * ```
 */
export function digestOf(value: unknown): string {
  return `sha256:${hashOf(canonicalJson(value))}`;
}

/** Uses SHA-256 from Node.js, which takes a tenth of the time of the library. The library is there for browsers. */
function hashOf(text: string): string {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  return crypto === undefined
    ? bytesToHex(sha256(utf8ToBytes(text)))
    : crypto.createHash('sha256').update(text).digest('hex');
}
