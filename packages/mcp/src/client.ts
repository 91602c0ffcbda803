import {
  Client,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { WorkflowError } from '@workflowlookup/schema';

/** How to start a stdio server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment of the server, whole; without it the SDK passes on a safe part of this process's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the log of the server is left out; else it goes where that of this process goes. */
  readonly isQuiet?: boolean;
}

/** Where a server over HTTP is. */
export interface ServerAddress {
  /** Of `/mcp`. */
  readonly url: string;
  /** An API key or an access token. */
  readonly key?: string;
}

/** What a tool answered. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** A connected client, cut down to what a round trip needs. */
export interface Connection {
  readonly serverName: string;
  toolNames(): Promise<readonly string[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/**
 * Connects to a server with the SDK's own client, and starts it where it is a command.
 *
 * @throws WorkflowError FORBIDDEN, with the HTTP `status`, where the server does not let this client in
 */
export async function connect(server: ServerAddress | ServerCommand): Promise<Connection> {
  const client = new Client({ name: 'workflowlookup-client', version: '0.1.0' });
  const transport = 'url' in server ? overHttp(server) : overStdio(server);
  await client.connect(transport).catch((error: unknown) => {
    throw refusalOf(error);
  });
  return {
    serverName: client.getServerVersion()?.name ?? 'unknown',
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, callArgs) {
      const result = await client.callTool({ name, arguments: { ...callArgs } });
      const [first] = result.content;
      return {
        isError: result.isError === true,
        text: first?.type === 'text' ? first.text : '',
        structured: (result.structuredContent ?? {}) as Record<string, unknown>,
      };
    },
    async close() {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
  };
}

function overStdio({ command, args, env, isQuiet = false }: ServerCommand): StdioClientTransport {
  return new StdioClientTransport({
    command,
    args: [...args],
    ...(env !== undefined && { env: { ...env } }),
    ...(isQuiet && { stderr: 'ignore' }),
  });
}

function overHttp({ url, key }: ServerAddress): StreamableHTTPClientTransport {
  const headers = { Authorization: `Bearer ${key}` };
  return new StreamableHTTPClientTransport(new URL(url), {
    ...(key !== undefined && { requestInit: { headers } }),
  });
}

/** What the SDK throws where credentials do not count. */
function refusalOf(error: unknown): unknown {
  const status =
    error instanceof UnauthorizedError ? 401 : error instanceof SdkHttpError ? error.status : undefined;
  if (status !== 401 && status !== 403) return error;
  return new WorkflowError('FORBIDDEN', `The server does not let this client in (HTTP ${status}).`, {
    data: { status },
    cause: error,
  });
}
