import { shellWord } from '../terminal/shell.ts';
import type { Client, ClientId, McpServer } from './clients.ts';
import { clientIds, clients, entryOf, serverName } from './clients.ts';

/** The configuration that makes a client know a server. */
export interface ClientConfig {
  readonly id: ClientId;
  readonly client: string;
  /** The file that it goes into, or `run` if it is a command. */
  readonly where: string;
  readonly language: 'json' | 'sh' | 'toml';
  readonly text: string;
}

export function clientConfigs(server: McpServer): readonly ClientConfig[] {
  return clientIds.flatMap((id) => clientConfig(id, server) ?? []);
}

/** Returns the configuration for one client, or `undefined` if it does not support this kind of server. */
export function clientConfig(id: ClientId, server: McpServer): ClientConfig | undefined {
  const client: Client = clients[id];
  const { title, where, format } = client;
  const text = configText(client, server);
  if (text === undefined) return undefined;
  return id === 'claude-code'
    ? { id, client: title, where: 'run', language: 'sh', text: claudeCommand(server) }
    : { id, client: title, where, language: format, text };
}

/** Returns the whole configuration file of a client that has no other server. */
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

/** TOML writes strings and arrays of strings as JSON does. */
function tomlLine([key, value]: readonly [key: string, value: unknown]): string {
  return `${key} = ${JSON.stringify(value)}`;
}

/** Returns the command with which Claude Code adds a server, which users know better than the file. */
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
