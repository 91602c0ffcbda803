import { shellWord } from '../render/shell-word.ts';
import type { Client, ClientId, McpServer } from './clients.ts';
import { clientIds, clients, entryOf, serverName } from './clients.ts';

/** What a person gives one client so that it knows a server. */
export interface ClientConfig {
  readonly id: ClientId;
  /** Its name, as people know it. */
  readonly client: string;
  /** The file it goes into, or `run` for a command. */
  readonly where: string;
  readonly language: 'json' | 'sh' | 'toml';
  readonly text: string;
}

/** The blocks for a server, one for each client whose file takes such a server. */
export function clientConfigs(server: McpServer): readonly ClientConfig[] {
  return clientIds.flatMap((id) => clientConfig(id, server) ?? []);
}

/** The block for one client; `undefined` where its file takes no such server. */
export function clientConfig(id: ClientId, server: McpServer): ClientConfig | undefined {
  const client: Client = clients[id];
  const { title, where, format } = client;
  const text = configText(client, server);
  if (text === undefined) return undefined;
  return id === 'claude-code'
    ? { id, client: title, where: 'run', language: 'sh', text: claudeCommand(server) }
    : { id, client: title, where, language: format, text };
}

/** The whole file of a client that knows no other server. */
export function configText(client: Client, server: McpServer): string | undefined {
  const { format, servers } = client;
  const entry = entryOf(client, server);
  if (entry === undefined) return undefined;
  if (format === 'toml')
    return [`[${servers}.${serverName}]`, ...Object.entries(entry).map(tomlLine)].join('\n');
  const inputs = client.inputs?.(server) ?? [];
  const document = { ...(inputs.length > 0 && { inputs }), [servers]: { [serverName]: entry } };
  return JSON.stringify(document, undefined, 2);
}

/** JSON writes strings and arrays of them as TOML does. */
function tomlLine([key, value]: readonly [key: string, value: unknown]): string {
  return `${key} = ${JSON.stringify(value)}`;
}

/** Claude Code has a command for it, which people know better than its file. */
function claudeCommand(server: McpServer): string {
  const add = ['claude', 'mcp', 'add'];
  if (!('url' in server)) return words([...add, serverName, '--', server.command, ...server.args]);
  const { url, keyEnv } = server;
  const header = keyEnv === undefined ? [] : ['--header', `Authorization: Bearer \${${keyEnv}}`];
  return words([...add, '--transport', 'http', serverName, url, ...header]);
}

function words(line: readonly string[]): string {
  return line.map(shellWord).join(' ');
}
