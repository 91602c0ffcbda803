/** The server, as a client reaches it: it starts a command, or finds it at an address. */
export type McpServer = StdioServer | HttpServer;

/** A server that the client starts. */
export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** A server that others started. */
interface HttpServer {
  readonly url: string;
  /** The environment variable of the client that holds the API key; files name it and never hold the key. */
  readonly keyEnv?: string;
}

/** What a client keeps of one server. */
export type Entry = Readonly<Record<string, unknown>>;

/** A value that VS Code asks the user for. */
export interface Input {
  readonly type: 'promptString';
  readonly id: string;
  readonly description: string;
  readonly password: boolean;
}

/** A program that agents run in, and how it is told of a server. */
export interface Client {
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** The key under which its file has the servers. */
  readonly servers: string;
  /** The file, as people name it. */
  readonly where: string;
  stdio(server: StdioServer): Entry;
  /** Absent where the file takes no such server. */
  readonly http?: (server: HttpServer) => Entry;
  /** What else the file needs for a server. */
  readonly inputs?: (server: McpServer) => readonly Input[];
}

/** The name of the server in every file. */
export const serverName = 'workflowlookup';

/** Everything `connect` knows how to connect. */
export const clients = {
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    servers: 'mcpServers',
    where: '.mcp.json',
    stdio: ({ command, args }) => ({ type: 'stdio', command, args }),
    http: ({ url, keyEnv }) => ({ type: 'http', url, ...bearer(keyEnv, (name) => `\${${name}}`) }),
  },
  // Its file takes only what it starts; servers at an address are added in its settings, and reached from elsewhere.
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
    // Headers take no environment variable here: it asks for the key once, and keeps it.
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

/** The names, in the order in which they are told. */
export const clientIds = Object.keys(clients) as readonly ClientId[];

/** What a client keeps of a server; `undefined` where its file takes no such server. */
export function entryOf(client: Client, server: McpServer): Entry | undefined {
  return 'url' in server ? client.http?.(server) : client.stdio(server);
}

function bearer(keyEnv: string | undefined, reference: (name: string) => string): Entry {
  return keyEnv === undefined ? {} : { headers: { Authorization: `Bearer ${reference(keyEnv)}` } };
}
