import { isDeepStrictEqual } from 'node:util';
import { WorkflowError } from '@workflowlookup/schema';
import type { AST } from 'toml-eslint-parser';
import { ParseError, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { messages } from '../messages.ts';
import { configText, entryOf, serverName } from './clients.ts';
import type { Client, Entry, McpServer } from './clients.ts';
import type { ConfigText } from './config-file.ts';
import { isOfSameKind, lineEnd, problemAt } from './config-file.ts';

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
  const message = messages.connect.unusualToml(client.servers);
  throw problemAt(config, placeIn(program, client), message);
}

function readToml(config: ConfigText): AST.TOMLProgram {
  try {
    return parseTOML(config.text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw problemAt(config, error.index, messages.connect.notToml(error.message));
  }
}

interface Content {
  /** The entry of our server in the file. */
  readonly entry?: Entry;
  /** Everything else in the file. */
  readonly others: unknown;
}

function contentOf(program: AST.TOMLProgram, { servers }: Client): Content {
  const { [servers]: table = {}, ...more } = getStaticTOMLValue(program) as Record<
    string,
    Record<string, Entry>
  >;
  const { [serverName]: entry, ...others } = table;
  return { ...(entry !== undefined && { entry }), others: { ...more, others } };
}

/** Returns the content as the client will read it; `undefined` if it can't be read. */
function contentIn(config: ConfigText, client: Client): Content | undefined {
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
