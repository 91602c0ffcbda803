import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '@workflowlookup/schema';
import { parse } from 'jsonc-parser';
import { configText } from './client-configs.ts';
import type { Client, Entry, Input, McpServer } from './clients.ts';
import { entryOf, serverName } from './clients.ts';
import type { ConfigText } from './config-text.ts';
import { problemAt } from './config-text.ts';
import { isOfSameKind } from './is-of-same-kind.ts';
import { findIn, withElement, withValue } from './json-text.ts';

/** The JSON file of a client, comments allowed, telling it of a server; every other byte stays. @throws WorkflowError VALIDATION */
export function withJsonEntry(config: ConfigText, client: Client, server: McpServer): string {
  const { file, text } = config;
  if (text.trim() === '') return `${configText(client, server)}\n`;
  const path = [client.servers, serverName];
  const entry = entryOf(client, server) ?? {};
  const told = isOfSameKind(findIn(config, path)?.value, entry)
    ? leavesOf(entry, path).reduce(
        (next, leaf) => withValue({ file, text: next }, leaf.path, leaf.value),
        text,
      )
    : withValue(config, path, entry);
  const inputs = client.inputs?.(server) ?? [];
  const next = inputs.reduce((before, input) => withInput({ file, text: before }, input), told);
  refuseTwice({ file, text: next }, path);
  return next;
}

/** Of a key that stands there twice, clients take the other one. */
function refuseTwice(config: ConfigText, [servers = '', name = '']: readonly string[]): void {
  const read = parse(config.text) as Partial<Record<string, Entry>>;
  if (isDeepStrictEqual(read[servers]?.[name], findIn(config, [servers, name])?.value)) return;
  throw problemAt(config, findIn(config, [servers])?.node.offset ?? 0, `'${servers}' stands there twice`);
}

interface Leaf {
  readonly path: string[];
  readonly value: unknown;
}

/** The values that are no objects. What a person added beside them is theirs. */
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
