import { isDeepStrictEqual } from 'node:util';
import type { JSONPath, Node, ParseError } from 'jsonc-parser';
import { findNodeAtLocation, parse, parseTree, printParseErrorCode, visit } from 'jsonc-parser';
import type { ConfigText } from './config-text.ts';
import { lineEnd, problemAt } from './config-text.ts';

function readTree(config: ConfigText): Node {
  const errors: ParseError[] = [];
  const root = parseTree(config.text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (root !== undefined && first === undefined) return root;
  const code = first === undefined ? 'ValueExpected' : printParseErrorCode(first.error);
  const found = code.replaceAll(/\B[A-Z]/g, ' $&').toLowerCase();
  throw problemAt(config, first?.offset ?? 0, `this is no JSON: ${found}`);
}

/** A value that stands in a text. */
export interface Found {
  readonly value: unknown;
  readonly node: Node;
}

/** What stands at a path. @throws WorkflowError VALIDATION where the text is broken */
export function findIn(config: ConfigText, path: JSONPath): Found | undefined {
  const node = findNodeAtLocation(readTree(config), path);
  if (node === undefined) return undefined;
  return { node, value: parse(config.text.slice(node.offset, node.offset + node.length)) as unknown };
}

/** The text with a value at a path; every other byte stays. */
export function withValue(config: ConfigText, path: JSONPath, value: unknown): string {
  const { text } = config;
  const found = findIn(config, path);
  if (found === undefined) return withMember(config, path, value);
  if (isDeepStrictEqual(found.value, value)) return text;
  const { node } = found;
  const after = text.slice(node.offset + node.length);
  return text.slice(0, node.offset) + layOut(text, value, indentAt(text, node.offset)) + after;
}

/** The text with one more element at the end of an array. */
export function withElement(config: ConfigText, path: JSONPath, value: unknown): string {
  const array = findIn(config, path)?.node;
  if (array?.type !== 'array') throw problemAt(config, array?.offset ?? 0, `'${path.join('.')}' is no array`);
  return insertInto(config.text, array, (indent) => layOut(config.text, value, indent));
}

/** Adds what is missing on the way, to the object that is there. */
function withMember(config: ConfigText, path: JSONPath, value: unknown): string {
  const root = readTree(config);
  const depth = path.findLastIndex((_, at) => findNodeAtLocation(root, path.slice(0, at)) !== undefined);
  const object = findNodeAtLocation(root, path.slice(0, depth)) ?? root;
  if (object.type !== 'object')
    throw problemAt(
      config,
      object.offset,
      `${depth === 0 ? 'the file' : `'${path[depth - 1]}'`} is no object`,
    );
  const [key, ...below] = path.slice(depth);
  const member = below.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return insertInto(
    config.text,
    object,
    (indent) => `${JSON.stringify(key)}: ${layOut(config.text, member, indent)}`,
  );
}

/** Puts a member behind the last one and what is remarked on it; nothing is moved. */
function insertInto(text: string, container: Node, memberAt: (indent: string) => string): string {
  const last = container.children?.at(-1);
  const from = last === undefined ? container.offset + 1 : last.offset + last.length;
  const close = container.offset + container.length - 1;
  const { end, hasComma } = remarksBetween(text, from, close);
  const outer = indentAt(text, container.offset);
  const startsLine = last !== undefined && /\n[ \t]*$/.test(text.slice(0, last.offset));
  const indent = startsLine ? indentAt(text, last.offset) : outer + indentOf(text);
  const eol = lineEnd(text);
  const comma = last === undefined || hasComma ? '' : ',';
  const closing = text.slice(end, close).includes('\n') ? '' : eol + outer;
  const member = `${eol}${indent}${memberAt(indent)}${closing}`;
  return text.slice(0, from) + comma + text.slice(from, end) + member + text.slice(end);
}

/** Where the comments and the comma end that stand between two places. */
function remarksBetween(text: string, from: number, to: number): { end: number; hasComma: boolean } {
  let [end, hasComma] = [from, false];
  const pass = (offset: number, length: number, isComma: boolean): void => {
    if (offset < from || offset >= to) return;
    end = offset + length;
    hasComma ||= isComma;
  };
  visit(
    text,
    {
      onSeparator: (_, offset, length) => pass(offset, length, true),
      onComment: (offset, length) => pass(offset, length, false),
    },
    { allowTrailingComma: true },
  );
  return { end, hasComma };
}

/** A value over as many lines as it takes, those after the first indented. */
function layOut(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, undefined, indentOf(text)).replaceAll('\n', lineEnd(text) + indent);
}

/** What the text indents by. */
function indentOf(text: string): string {
  return /\n([ \t]+)["/]/.exec(text)?.[1] ?? '  ';
}

/** What stands before the line that has this place. */
function indentAt(text: string, offset: number): string {
  return /[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
}
