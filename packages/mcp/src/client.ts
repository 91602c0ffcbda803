import {
  Client,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { WorkflowError } from '@workflowlookup/schema';
import { messages } from './messages.ts';

/** The command that starts a stdio server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the server. By default the SDK passes on a safe subset of this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether to discard the server's log. By default it goes to this process's standard error. */
  readonly isQuiet?: boolean;
}

/** The address of an HTTP server. */
export interface ServerAddress {
  /** The URL of the MCP endpoint, for example `http://localhost:3000/mcp`. */
  readonly url: string;
  /** An API key or an access token. */
  readonly key?: string;
}

/** The result of a tool call. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** A connection to a server, with the operations a script or test needs. */
export interface Connection {
  readonly serverName: string;
  toolNames(): Promise<readonly string[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/**
 * Connects to a server with the SDK's client. If the server is given as a command, it is started first.
 *
 * @throws WorkflowError FORBIDDEN, with the HTTP `status`, if the server rejects the credentials
 * @example
 *   const server = await connect({ url: 'http://localhost:3000/mcp', key: process.env.KEY });
 *   const { structured } = await server.call('workflow_list', {});
 *   await server.close();
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

/** Converts the SDK's errors for rejected credentials into a FORBIDDEN error. */
function refusalOf(error: unknown): unknown {
  const status =
    error instanceof UnauthorizedError ? 401 : error instanceof SdkHttpError ? error.status : undefined;
  if (status !== 401 && status !== 403) return error;
  return new WorkflowError('FORBIDDEN', messages.credentialsRejected(status), {
    data: { status },
    cause: error,
  });
}
