import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

// The package is CommonJS whose declarations describe an ES module: what is imported is the function itself.
const serialize = canonicalize as unknown as (value: unknown) => string | undefined;

/** A value as canonical JSON (RFC 8785): the same text for the same data, whatever the order of its keys. Throws a `TypeError` for what JSON can't write. */
export function canonicalJson(value: unknown): string {
  const text = serialize(value);
  if (text === undefined) throw new TypeError(`JSON cannot write a value of type ${typeof value}`);
  return text;
}

/** `sha256:` and 64 hex digits over the canonical JSON of a value. */
export function digestOf(value: unknown): string {
  return `sha256:${hashOf(canonicalJson(value))}`;
}

/** Node's own SHA-256 takes a tenth of the time that the library takes, which is there for browsers. */
function hashOf(text: string): string {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  return crypto === undefined
    ? bytesToHex(sha256(utf8ToBytes(text)))
    : crypto.createHash('sha256').update(text).digest('hex');
}
