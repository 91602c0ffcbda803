import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import type { Environment } from '../commands/command-line.ts';
import { shellWord } from '../commands/command-line.ts';

/** How a client reaches the server: it starts a command or connects to an address. */
export type McpServer = StdioServer | HttpServer;

export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
}

interface HttpServer {
  readonly url: string;
  /** The environment variable with the API key. Files refer to the variable and never contain the key. */
  readonly keyEnv?: string;
}

/** The entry of a server in a client's configuration. */
export type Entry = Readonly<Record<string, unknown>>;

/** A value that VS Code asks the user for. */
export interface Input {
  readonly type: 'promptString';
  readonly id: string;
  readonly description: string;
  readonly password: boolean;
}

export interface Client {
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** The key of the servers in the file. */
  readonly servers: string;
  /** The path of the file, as shown to people. */
  readonly where: string;
  stdio(server: StdioServer): Entry;
  /** Absent if the file can't hold a server with an address. */
  readonly http?: (server: HttpServer) => Entry;
  /** Other values that the file needs for a server. */
  readonly inputs?: (server: McpServer) => readonly Input[];
}

export const serverName = 'workflowlookup';

export const clients = {
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    servers: 'mcpServers',
    where: '.mcp.json',
    stdio: ({ command, args }) => ({ type: 'stdio', command, args }),
    http: ({ url, keyEnv }) => ({ type: 'http', url, ...bearer(keyEnv, (name) => `\${${name}}`) }),
  },
  // The file only holds servers that the client starts. Servers with an address are added in its settings, and the
  // client reaches them from elsewhere.
  'claude-desktop': {
    title: 'Claude Desktop',
    format: 'json',
    servers: 'mcpServers',
    where: 'claude_desktop_config.json',
    stdio: ({ command, args }) => ({ command, args }),
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    servers: 'servers',
    where: '.vscode/mcp.json',
    stdio: ({ command, args }) => ({ type: 'stdio', command, args }),
    // Headers can't refer to an environment variable here, so VS Code asks for the key once and stores it.
    http: ({ url, keyEnv }) => ({ type: 'http', url, ...bearer(keyEnv, (name) => `\${input:${name}}`) }),
    inputs: (server) =>
      'url' in server && server.keyEnv !== undefined
        ? [
            {
              type: 'promptString',
              id: server.keyEnv,
              description: `API key of ${serverName}`,
              password: true,
            },
          ]
        : [],
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    servers: 'mcpServers',
    where: '.cursor/mcp.json',
    stdio: ({ command, args }) => ({ command, args }),
    http: ({ url, keyEnv }) => ({ url, ...bearer(keyEnv, (name) => `\${env:${name}}`) }),
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    servers: 'mcp_servers',
    where: '~/.codex/config.toml',
    stdio: ({ command, args }) => ({ command, args }),
    http: ({ url, keyEnv }) => ({ url, ...(keyEnv !== undefined && { bearer_token_env_var: keyEnv }) }),
  },
} as const satisfies Record<string, Client>;

/** The name of a client on the command line. */
export type ClientId = keyof typeof clients;

/** The client names, in the order of the help. */
export const clientIds = Object.keys(clients) as readonly ClientId[];

/** Returns the entry for a server, or `undefined` if the client's file can't hold it. */
export function entryOf(client: Client, server: McpServer): Entry | undefined {
  return 'url' in server ? client.http?.(server) : client.stdio(server);
}

function bearer(keyEnv: string | undefined, reference: (name: string) => string): Entry {
  return keyEnv === undefined ? {} : { headers: { Authorization: `Bearer ${reference(keyEnv)}` } };
}

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

/** Whether a configuration file is for everyone who works on the project, or only for the user. */
export type Scope = 'project' | 'user';

/** The machine that a client runs on. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly cwd: string;
  readonly env: Environment;
}

/** Returns the machine that this program runs on. */
export function thisMachine(env: Environment): Machine {
  return { platform: process.platform, home: homedir(), cwd: process.cwd(), env };
}

interface Places extends Machine {
  readonly join: (...parts: string[]) => string;
  /** The folder where the operating system keeps application settings. */
  readonly settings: string;
}

const projectFiles: Readonly<Partial<Record<ClientId, readonly string[]>>> = {
  'claude-code': ['.mcp.json'],
  vscode: ['.vscode', 'mcp.json'],
  cursor: ['.cursor', 'mcp.json'],
  codex: ['.codex', 'config.toml'],
};

const userFiles: Readonly<Record<ClientId, (places: Places) => string>> = {
  'claude-code': ({ join, home, env }) => join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'),
  'claude-desktop': ({ join, settings }) => join(settings, 'Claude', 'claude_desktop_config.json'),
  vscode: ({ join, settings }) => join(settings, 'Code', 'User', 'mcp.json'),
  cursor: ({ join, home }) => join(home, '.cursor', 'mcp.json'),
  codex: ({ join, home, env }) => join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
};

/** Returns the scopes for which a client has a file, the usual one first. */
export function scopesOf(id: ClientId): readonly [Scope, ...Scope[]] {
  if (projectFiles[id] === undefined) return ['user'];
  return id === 'codex' ? ['user', 'project'] : ['project', 'user'];
}

export function configFileOf(id: ClientId, scope: Scope, machine: Machine): string {
  const { join } = machine.platform === 'win32' ? win32 : posix;
  const inProject = scope === 'project' ? projectFiles[id] : undefined;
  if (inProject !== undefined) return join(machine.cwd, ...inProject);
  return userFiles[id]({ ...machine, join, settings: settingsOf(machine, join) });
}

function settingsOf({ platform, home, env }: Machine, join: Places['join']): string {
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support');
    case 'win32':
      return env['APPDATA'] || join(home, 'AppData', 'Roaming');
    default:
      return env['XDG_CONFIG_HOME'] || join(home, '.config');
  }
}
