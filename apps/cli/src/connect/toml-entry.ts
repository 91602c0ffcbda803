import { isDeepStrictEqual } from 'node:util';
import { WorkflowError } from '@workflowlookup/schema';
import type { AST } from 'toml-eslint-parser';
import { getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import { configText } from './client-configs.ts';
import type { Client, Entry, McpServer } from './clients.ts';
import { entryOf, serverName } from './clients.ts';
import type { ConfigText } from './config-text.ts';
import { problemAt } from './config-text.ts';
import { isOfSameKind } from './is-of-same-kind.ts';
import { nameOf, withBlock, withKeys, withoutTables } from './toml-text.ts';

/** The TOML file of a client, telling it of a server; every other byte stays. @throws WorkflowError VALIDATION */
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
  const message = `'${client.servers}' is written in a way that is not changed here`;
  throw problemAt(config, placeIn(program, client), message);
}

function readToml(config: ConfigText): AST.TOMLProgram {
  try {
    return parseTOML(config.text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw problemAt(config, error.index, `this is no TOML: ${error.message}`);
  }
}

interface Content {
  /** What the file has of our server. */
  readonly entry?: Entry;
  /** All the rest. */
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

/** What was changed, as the client will read it; `undefined` where it could not. */
function contentIn(config: ConfigText, client: Client): Content | undefined {
  try {
    return contentOf(readToml(config), client);
  } catch (error) {
    if (error instanceof WorkflowError) return undefined;
    throw error;
  }
}

/** The table of our server, and those below it. */
function tablesIn({ body: [top] }: AST.TOMLProgram, { servers }: Client): readonly AST.TOMLTable[] {
  return top.body.filter(
    (node): node is AST.TOMLTable =>
      node.type === 'TOMLTable' && node.resolvedKey[0] === servers && node.resolvedKey[1] === serverName,
  );
}

/** Where the servers are told of first. */
function placeIn({ body: [top] }: AST.TOMLProgram, { servers }: Client): number {
  return top.body.find(({ key }) => nameOf(key.keys[0]) === servers)?.range[0] ?? 0;
}
