import { jsonMistakes, syntaxError, textEnds } from '../messages/syntax.ts';
import type { Node, ParseError } from 'jsonc-parser';
import { escapePointer, fromPointer, measureJson, parseJson } from '../json.ts';
import { maxDefinitionValues, maxDepth } from '../limits.ts';
import type { TextFinding, Locate, Parsed, Refusal, Span } from './parsed-text.ts';
import { fileMessages } from '../messages/files.ts';
import { describePosition, duplicateKey, refused } from './parsed-text.ts';

/** Parses strict JSON. For valid JSON it builds no syntax tree; `jsonc-parser` is loaded only to locate something. */
export async function readJson(text: string): Promise<Parsed> {
  const { members, values, tooDeepAt } = measureJson(text);
  if (tooDeepAt !== undefined) return refused({ ...fileMessages.tooDeep(), offset: tooDeepAt });
  if (values > maxDefinitionValues) return refused({ ...fileMessages.tooManyValues('values'), offset: 0 });
  const value = parseJson(text);
  if (value === undefined) return refused(await findSyntaxError(text));
  const findings = countMembers(value) === members ? [] : await findDuplicateKeys(text);
  return { value, findings, locator: () => locateInJson(text) };
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
  const ends = what.startsWith('expected') && offset >= text.trimEnd().length ? textEnds : '';
  const position = describePosition(text, offset);
  return { ...syntaxError('JSON', `${what}${ends}`, { position, suggestion }), offset };
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
  const found: TextFinding[] = [];
  const visit = (node: Node | undefined, pointer: string): void => {
    const offsets = new Map<string, number>();
    for (const { name, key, value } of entriesOf(node)) {
      const place = `${pointer}/${escapePointer(name)}`;
      const first = offsets.get(name);
      if (key !== undefined && first !== undefined) {
        found.push(duplicateKey(name, place, { text, first, offset: key.offset }));
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

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const child of Object.values(value)) count += countMembers(child);
  return count;
}
