import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import { maxDepth } from './limits.ts';

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Returns the value of a JSON text, or `undefined` if the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Tells whether a value is a plain object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields of which those that may be `undefined` became optional. */
export type Defined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

/**
 * Returns an object without the properties that are `undefined`.
 *
 * @example
 * ```ts
 * defined({ name: 'read', note: undefined }); // { name: 'read' }
 * ```
 */
export function defined<const Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}

/** Returns a list, or `undefined` if it is empty, for properties that are absent then. */
export function unlessEmpty<Item>(list: readonly Item[] | undefined): readonly Item[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

/** Groups items by a key, in order. It does what `Map.groupBy` does, which Node.js 20 lacks. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
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

/** The result of scanning JSON without parsing it. */
interface JsonMeasure {
  /** Number of `name: value` pairs. It is higher than in the parsed value if a key is duplicated. */
  readonly members: number;
  /** Number of values, not counting the outermost one. */
  readonly values: number;
  /** Offset at which the text is nested too deeply; the scan ends there. */
  readonly tooDeepAt?: number;
}

/**
 * Counts the members and values in a JSON text, up to a nesting of `levels` and no further than `most` values. The result
 * is exact for valid JSON and harmless for anything else.
 */
export function measureJson(text: string, levels: number = maxDepth, most = Infinity): JsonMeasure {
  let members = 0;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length && values <= most; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at + 1);
    else if (code === colon) members += 1;
    else if (code === comma) values += 1;
    else if (code === closingBrace || code === closingBracket) depth -= 1;
    else if (code === brace || code === bracket) {
      values += 1;
      depth += 1;
      if (depth > levels) return { members, values, tooDeepAt: at };
    }
  }
  return { members, values };
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const bracket = 0x5b;
const brace = 0x7b;
const colon = 0x3a;
const closingBracket = 0x5d;
const closingBrace = 0x7d;

/** Number of characters of a string to check one by one. For a longer string it is faster to search for its end. */
const stepsBeforeSearch = 64;

/**
 * Tells whether a JSON text has more values than this, not counting the outermost one. Parsing takes far longer per
 * value than per character, so a message from outside is counted before it is parsed. The result is exact for valid
 * JSON.
 */
export function hasMoreValues(text: string, most: number): boolean {
  // Every value except the last has at least one character and a comma or bracket.
  return text.length > most && measureJson(text, Infinity, most).values > most;
}

/**
 * Tells whether a JSON text has more levels than this. Parsing or walking millions of levels would take seconds and
 * overflow the stack, so levels are counted before a text from outside is parsed.
 */
export function isNestedDeeper(text: string, levels: number): boolean {
  return measureJson(text, levels).tooDeepAt !== undefined;
}

/** Returns the offset of the closing quote, searching from the first character of a string, or the end of the text. */
function endOfText(text: string, start: number): number {
  let at = start;
  for (;;) {
    for (const until = at + stepsBeforeSearch; at < until && at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === backslash) at += 1;
      else if (code === quote) return at;
    }
    const next = text.indexOf('"', at);
    if (next === -1) return text.length;
    let backslashes = 0;
    while (next - backslashes > at && text.charCodeAt(next - backslashes - 1) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return next;
    at = next + 1;
  }
}
