import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Tells whether a value is a plain object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a JSON pointer (RFC 6901) for a path. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${escapePointer(String(part))}`).join('');
}

export function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function fromPointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

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
