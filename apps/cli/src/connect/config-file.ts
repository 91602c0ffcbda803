import { readFile, rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { WorkflowError, isJsonObject } from '@workflowlookup/schema';
import type { JSONPath, Node, ParseError } from 'jsonc-parser';
import { findNodeAtLocation, parse, parseTree, printParseErrorCode, visit } from 'jsonc-parser';
import type { ExitCode } from '../commands/command-line.ts';
import { refuseLinks, replaceFile } from '../files.ts';
import { connectMessages } from '../messages/clients.ts';
import { diffText } from '../terminal/excerpts.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Output } from '../terminal/terminal.ts';
import { requireConfirmation } from '../terminal/terminal.ts';
import type { Client, Entry, Input, McpServer, Scope } from './clients.ts';
import { configText, entryOf, serverName } from './clients.ts';
import type { AST } from 'toml-eslint-parser';
import { ParseError as TomlError, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';

/**
 * Reads the configuration file of a client. Returns `undefined` if the file does not exist.
 *
 * @throws WorkflowError INVALID_FILE if it is not UTF-8
 */
export async function readConfig(file: string): Promise<ConfigText | undefined> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw problemAt({ file, text: '' }, 0, connectMessages.notUtf8);
  }
}

export interface ConfigText {
  /** The path, for messages. */
  readonly file: string;
  readonly text: string;
}

/** A change of a file that configures a client. */
export interface FileChange {
  readonly client: string;
  readonly scope: Scope;
  readonly file: string;
  /** The text of the file; absent if there is no such file. */
  readonly before: string | undefined;
  readonly after: string;
  /** Whether to delete the file, because it is not needed with this text. */
  readonly isDeleted?: boolean;
}

type Outcome = 'changed' | 'created' | 'removed';

/** What is said about a change. Each text gets the path as it is shown. */
interface ChangeTexts {
  unchanged(path: string): string;
  question?(path: string): string;
  readonly needed?: string;
  readonly declined?: string;
  done(path: string, outcome: Outcome): string;
}

/**
 * Changes a file of a client, after showing the change and asking for confirmation. A file of the user may be a link; a
 * file of the project may not.
 *
 * @throws WorkflowError CONFLICT if the file changed in the meantime
 */
export async function changeFile(
  { answer, asJson, terminal }: Output,
  { client, scope, file, before, after, isDeleted = false }: FileChange,
  { yes = false, ...texts }: ChangeTexts & { readonly yes?: boolean | undefined },
): Promise<ExitCode> {
  const path = plainLine(file);
  const text = before ?? '';
  if (after === text)
    return answer({ client, scope, file, outcome: 'unchanged' }, () => texts.unchanged(path));
  if ((!yes && terminal.isInteractive) || !asJson)
    await terminal.warn(`${path}\n${diffText(text, isDeleted ? '' : after, terminal)}\n`);
  await requireConfirmation(terminal, {
    yes,
    question: (texts.question ?? connectMessages.write)(path),
    needed: texts.needed ?? connectMessages.toWrite,
    declined: texts.declined ?? connectMessages.declined,
  });
  if (((await readConfig(file))?.text ?? '') !== text)
    throw new WorkflowError('CONFLICT', connectMessages.changedMeanwhile(file));
  if (isDeleted) {
    if (scope === 'project') await refuseLinks(file);
    await rm(file);
  } else await replaceFile(file, after, { mayBeLink: scope === 'user' });
  const outcome = isDeleted ? 'removed' : before === undefined ? 'created' : 'changed';
  return answer({ client, scope, file, outcome }, () => texts.done(path, outcome));
}

/** Returns an error that says why a file can't be changed, with the position. */
export function problemAt({ file, text }: ConfigText, offset: number, message: string): WorkflowError {
  const lines = text.slice(0, offset).split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  const place = `${file}:${lines.length}:${column}`;
  return new WorkflowError('INVALID_FILE', connectMessages.notChanged(place, message));
}

function lineEnd(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Returns whether an entry reaches its server in the same way, so that what the user added to it still applies. */
function isOfSameKind(old: unknown, { url }: Entry): old is Entry {
  return isJsonObject(old) && (url === undefined ? 'command' : 'url') in old;
}

/**
 * Returns a JSON configuration, which may have comments, with the server added. Every other byte stays.
 *
 * @throws WorkflowError INVALID_FILE
 */
export function withJsonEntry(config: ConfigText, client: Client, server: McpServer): string {
  const { file, text } = config;
  if (text.trim() === '') return `${configText(client, server)}\n`;
  const path = [client.servers, serverName];
  const entry = entryOf(client, server) ?? {};
  const changed = isOfSameKind(findIn(config, path)?.value, entry)
    ? leavesOf(entry, path).reduce(
        (next, leaf) => withValue({ file, text: next }, leaf.path, leaf.value),
        text,
      )
    : withValue(config, path, entry);
  const inputs = client.inputs?.(server) ?? [];
  const next = inputs.reduce((before, input) => withInput({ file, text: before }, input), changed);
  refuseTwice({ file, text: next }, path);
  return next;
}

/** Refuses a file that has a key twice, because clients read the last one and this code would change the first. */
function refuseTwice(config: ConfigText, [servers = '', name = '']: readonly string[]): void {
  const read = parse(config.text) as Partial<Record<string, Entry>>;
  if (isDeepStrictEqual(read[servers]?.[name], findIn(config, [servers, name])?.value)) return;
  throw problemAt(config, findIn(config, [servers])?.node.offset ?? 0, connectMessages.twice(servers));
}

interface Leaf {
  readonly path: string[];
  readonly value: unknown;
}

/**
 * Returns the values of an entry that are not objects, with their paths. Other values in the file belong to the user
 * and stay.
 */
function leavesOf(entry: Entry, path: readonly string[]): readonly Leaf[] {
  return Object.entries(entry).flatMap(([key, value]) =>
    isJsonObject(value) ? leavesOf(value, [...path, key]) : [{ path: [...path, key], value }],
  );
}

function withInput(config: ConfigText, input: Input): string {
  const inputs = findIn(config, ['inputs'])?.value;
  if (inputs === undefined) return withValue(config, ['inputs'], [input]);
  const isThere = Array.isArray(inputs) && inputs.some((one) => isJsonObject(one) && one['id'] === input.id);
  return isThere ? config.text : withElement(config, ['inputs'], input);
}

/** @throws WorkflowError INVALID_FILE if the text is broken */
export function readTree(config: ConfigText): Node {
  const errors: ParseError[] = [];
  const root = parseTree(config.text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (root !== undefined && first === undefined) return root;
  const code = first === undefined ? 'ValueExpected' : printParseErrorCode(first.error);
  const found = code.replaceAll(/\B[A-Z]/g, ' $&').toLowerCase();
  throw problemAt(config, first?.offset ?? 0, connectMessages.notJson(found));
}

/**
 * Returns the value at a path, and its position in the text.
 *
 * @throws WorkflowError INVALID_FILE if the text is broken
 */
function findIn(config: ConfigText, path: JSONPath) {
  const node = findNodeAtLocation(readTree(config), path);
  if (node === undefined) return undefined;
  return { node, value: parse(config.text.slice(node.offset, node.offset + node.length)) as unknown };
}

/** Returns the text with a value set at a path. Every other byte stays. */
export function withValue(config: ConfigText, path: JSONPath, value: unknown): string {
  const { text } = config;
  const found = findIn(config, path);
  if (found === undefined) return withMember(config, path, value);
  if (isDeepStrictEqual(found.value, value)) return text;
  const { node } = found;
  const after = text.slice(node.offset + node.length);
  return text.slice(0, node.offset) + layOut(text, value, indentAt(text, node.offset)) + after;
}

/** Returns the text with an element added to an array. Every other byte stays. */
export function withElement(config: ConfigText, path: JSONPath, value: unknown): string {
  const array = findIn(config, path)?.node;
  if (array?.type !== 'array')
    throw problemAt(config, array?.offset ?? 0, connectMessages.notArray(path.join('.')));
  return insertInto(config.text, array, (indent) => layOut(config.text, value, indent));
}

/** Adds a member, and the objects around it that are missing. */
function withMember(config: ConfigText, path: JSONPath, value: unknown): string {
  const root = readTree(config);
  const depth = path.findLastIndex((_, at) => findNodeAtLocation(root, path.slice(0, at)) !== undefined);
  const object = findNodeAtLocation(root, path.slice(0, depth)) ?? root;
  if (object.type !== 'object')
    throw problemAt(config, object.offset, connectMessages.notObject(path[depth - 1]));
  const [key, ...below] = path.slice(depth);
  const member = below.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return insertInto(
    config.text,
    object,
    (indent) => `${JSON.stringify(key)}: ${layOut(config.text, member, indent)}`,
  );
}

/** Inserts a member after the last one and its comments. Nothing else moves. */
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

/** Returns where the comments and the comma between two positions end. */
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

/** Formats a value, with every line after the first indented. */
function layOut(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, undefined, indentOf(text)).replaceAll('\n', lineEnd(text) + indent);
}

function indentOf(text: string): string {
  return /\n([ \t]+)["/]/.exec(text)?.[1] ?? '  ';
}

function indentAt(text: string, offset: number): string {
  return /[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
}

/**
 * Returns a TOML configuration with the server added. Every other byte stays.
 *
 * @throws WorkflowError INVALID_FILE
 */
export function withTomlEntry(config: ConfigText, client: Client, server: McpServer): string {
  const { text } = config;
  const program = readToml(config);
  const { entry: old, others } = contentOf(program, client);
  const wanted = entryOf(client, server) ?? {};
  const isSame = isOfSameKind(old, wanted);
  const entry = isSame ? { ...old, ...wanted } : wanted;
  if (isDeepStrictEqual(old, entry)) return text;
  const tables = tablesIn(program, client);
  const table = tables.find(({ resolvedKey }) => resolvedKey.length === 2);
  const next =
    isSame && table !== undefined
      ? withKeys(text, table, wanted)
      : withBlock(withoutTables(text, tables), configText(client, server) ?? '');
  if (isDeepStrictEqual(contentIn({ ...config, text: next }, client), { entry, others })) return next;
  const message = connectMessages.unusualToml(client.servers);
  throw problemAt(config, placeIn(program, client), message);
}

function readToml(config: ConfigText): AST.TOMLProgram {
  try {
    return parseTOML(config.text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw problemAt(config, error.index, connectMessages.notToml(error.message));
  }
}

/** Returns the entry of our server in the file, and everything else in the file. */
function contentOf(program: AST.TOMLProgram, { servers }: Client) {
  const { [servers]: table = {}, ...more } = getStaticTOMLValue(program) as Record<
    string,
    Record<string, Entry>
  >;
  const { [serverName]: entry, ...others } = table;
  return { ...(entry !== undefined && { entry }), others: { ...more, others } };
}

/** Returns the content as the client will read it; `undefined` if it can't be read. */
function contentIn(config: ConfigText, client: Client) {
  try {
    return contentOf(readToml(config), client);
  } catch (error) {
    if (error instanceof WorkflowError) return undefined;
    throw error;
  }
}

/** Returns the table of our server and the tables below it. */
function tablesIn({ body: [top] }: AST.TOMLProgram, { servers }: Client): readonly AST.TOMLTable[] {
  return top.body.filter(
    (node): node is AST.TOMLTable =>
      node.type === 'TOMLTable' && node.resolvedKey[0] === servers && node.resolvedKey[1] === serverName,
  );
}

/** Returns the position of the first server table. */
function placeIn({ body: [top] }: AST.TOMLProgram, { servers }: Client): number {
  return top.body.find(({ key }) => nameOf(key.keys[0]) === servers)?.range[0] ?? 0;
}

/**
 * Returns the text with these keys in a table. Existing keys are replaced; new ones go below the table's heading.
 * TOML writes strings and arrays of strings as JSON does.
 */
function withKeys(text: string, table: AST.TOMLTable, values: Readonly<Record<string, unknown>>): string {
  const edits = Object.entries(values).map(([key, value]) => {
    const there = table.body.find(({ key: { keys } }) => keys.length === 1 && nameOf(keys[0]) === key);
    if (there !== undefined) return { range: there.value.range, text: JSON.stringify(value) };
    const below = endOfLine(text, table.key.range[1]);
    const start = text[below - 1] === '\n' ? '' : lineEnd(text);
    return {
      range: [below, below] as const,
      text: `${start}${key} = ${JSON.stringify(value)}${lineEnd(text)}`,
    };
  });
  return edits
    .toSorted((a, b) => b.range[0] - a.range[0])
    .reduce((next, { range, text: put }) => next.slice(0, range[0]) + put + next.slice(range[1]), text);
}

/** Returns the text without the lines of these tables. */
function withoutTables(text: string, tables: readonly AST.TOMLTable[]): string {
  return tables.reduceRight(
    (next, { range }) => next.slice(0, range[0]) + next.slice(endOfLine(next, range[1])),
    text,
  );
}

/** Returns the text with a table at its end. */
function withBlock(text: string, block: string): string {
  const eol = lineEnd(text);
  const before = text === '' || text.endsWith('\n') ? text : text + eol;
  const gap = before.trim() === '' || /\n\r?\n$/.test(before) ? '' : eol;
  return `${before}${gap}${block.replaceAll('\n', eol)}${eol}`;
}

function nameOf(part: AST.TOMLBare | AST.TOMLQuoted | undefined): string | undefined {
  return part?.type === 'TOMLQuoted' ? part.value : part?.name;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end + 1;
}
