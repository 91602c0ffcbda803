import { jsonMistakes, syntaxError } from '../messages/syntax.ts';
import type { Node, ParseError } from 'jsonc-parser';
import { escapePointer, fromPointer } from '../json.ts';
import { maxDefinitionValues, maxDepth } from '../limits.ts';
import type { TextFinding, Locate, ParsedText, Refusal, Span } from './parsed-text.ts';
import {
  describePosition,
  duplicateKey,
  positionsIn,
  refused,
  tooDeep,
  tooManyValues,
} from './parsed-text.ts';

/** Parses strict JSON. For valid JSON it builds no syntax tree; `jsonc-parser` is loaded only to locate something. */
export async function readJson(text: string): Promise<ParsedText> {
  const { members, values, tooDeepAt } = measureJson(text);
  if (tooDeepAt !== undefined) return refused(tooDeep(tooDeepAt));
  if (values > maxDefinitionValues) return refused(tooManyValues('values'));
  const parsed = parseJson(text);
  if (parsed === undefined) return refused(await findSyntaxError(text));
  const findings = countMembers(parsed.value) === members ? [] : await findDuplicateKeys(text);
  return { value: parsed.value, findings, locator: () => locateInJson(text) };
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Finds the first syntax error in a text that `JSON.parse` refuses. */
async function findSyntaxError(text: string): Promise<Refusal> {
  const { createScanner, parse, printParseErrorCode: nameOf } = await import('./jsonc-library.ts');
  const deep = findTooDeep(text, createScanner(text, true));
  if (deep !== undefined) return problem(text, deep, jsonMistakes.tooDeep);
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: false, disallowComments: true });
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (first === undefined) return problem(text, 0, jsonMistakes['<unknown ParseErrorCode>']);
  const name = nameOf(first.error);
  const comma = trailingCommaBefore(text, first.offset);
  if (comma !== undefined && name.endsWith('Expected')) {
    const refusal = problem(text, comma, jsonMistakes.trailingComma);
    return { ...refusal, repair: { kind: 'cut' } };
  }
  return problem(text, first.offset, jsonMistakes[name]);
}

/**
 * Finds the place where the text is nested too deeply for the recursive parser. Uses the parser's own scanner, because
 * only that sees the text as the parser does.
 */
function findTooDeep(
  text: string,
  scanner: { scan(): unknown; getTokenOffset(): number },
): number | undefined {
  let depth = 0;
  // At the end of the text the token is empty, but its length is not always 0. Only its offset is reliable.
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const char = text[scanner.getTokenOffset()];
    if (char === '{' || char === '[') depth += 1;
    if (depth > maxDepth) return scanner.getTokenOffset();
    if (char === '}' || char === ']') depth -= 1;
  }
  return undefined;
}

function trailingCommaBefore(text: string, offset: number): number | undefined {
  const before = text.slice(0, offset).trimEnd();
  const closes = text[offset] === '}' || text[offset] === ']';
  return closes && before.endsWith(',') ? before.length - 1 : undefined;
}

function problem(text: string, offset: number, [what, suggestion]: readonly [string, string]): Refusal {
  const ends = what.startsWith('expected') && offset >= text.trimEnd().length ? ', but the text ends' : '';
  return {
    code: 'syntax-error',
    offset,
    message: syntaxError('JSON', `${what}${ends}`, describePosition(text, offset)),
    suggestion,
  };
}

/** A value in the syntax tree, with its key. */
interface Entry {
  readonly name: string;
  readonly key?: Node;
  readonly value?: Node;
}

async function locateInJson(text: string): Promise<Locate> {
  const { parseTree } = await import('./jsonc-library.ts');
  const root = parseTree(text);
  const known = new Map<Node | undefined, ReadonlyMap<string, Entry>>();
  const childrenOf = (node: Node | undefined): ReadonlyMap<string, Entry> => {
    const children = known.get(node) ?? new Map(entriesOf(node).map((entry) => [entry.name, entry]));
    known.set(node, children);
    return children;
  };
  return (pointer, atKey) => {
    let entry: Entry = { name: '', ...(root && { value: root }) };
    for (const part of fromPointer(pointer)) {
      const next = childrenOf(entry.value).get(part);
      if (next?.value === undefined) return { start: entry.value?.offset ?? 0 };
      entry = next;
    }
    return spanOf(atKey ? (entry.key ?? entry.value) : entry.value);
  };
}

async function findDuplicateKeys(text: string): Promise<readonly TextFinding[]> {
  const { parseTree } = await import('./jsonc-library.ts');
  const positionOf = positionsIn(text);
  const found: TextFinding[] = [];
  const visit = (node: Node | undefined, pointer: string): void => {
    const offsets = new Map<string, number>();
    for (const { name, key, value } of entriesOf(node)) {
      const place = `${pointer}/${escapePointer(name)}`;
      const first = offsets.get(name);
      if (key !== undefined && first !== undefined) {
        found.push(duplicateKey(name, place, { offset: key.offset, firstLine: positionOf(first).line }));
      } else if (key !== undefined) offsets.set(name, key.offset);
      visit(value, place);
    }
  };
  visit(parseTree(text), '');
  return found;
}

function spanOf(node: Node | undefined): Span {
  return node === undefined ? { start: 0 } : { start: node.offset, end: node.offset + node.length };
}

function entriesOf(node: Node | undefined): readonly Entry[] {
  return (node?.children ?? []).map((child, index) => {
    if (child.type !== 'property') return { name: String(index), value: child };
    const [key, value] = child.children ?? [];
    return { name: String(key?.value), ...(key && { key }), ...(value && { value }) };
  });
}

/** The result of scanning JSON without parsing it. */
interface JsonMeasure {
  /** Number of `name: value` pairs. It is higher than in the parsed value if a key is duplicated. */
  readonly members: number;
  /** Number of values, not counting the outermost one. */
  readonly values: number;
  /** Offset at which nesting exceeds {@link maxDepth}; the scan ends there. */
  readonly tooDeepAt?: number;
}

/** Counts the members and values in a JSON text. The result is exact for valid JSON and harmless for anything else. */
function measureJson(text: string): JsonMeasure {
  let members = 0;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at + 1);
    else if (code === colon) members += 1;
    else if (code === comma) values += 1;
    else if (code === closingBrace || code === closingBracket) depth -= 1;
    else if (code === brace || code === bracket) {
      values += 1;
      depth += 1;
      if (depth > maxDepth) return { members, values, tooDeepAt: at };
    }
  }
  return { members, values };
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const child of Object.values(value)) count += countMembers(child);
  return count;
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
  if (text.length <= most) return false;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at + 1);
    else if (code === comma || code === bracket || code === brace) {
      values += 1;
      if (values > most) return true;
    }
  }
  return false;
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
