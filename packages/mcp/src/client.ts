import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** How to start a stdio server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment of the server, whole; without it the SDK passes on a safe part of this process's. */
  readonly env?: Readonly<Record<string, string>>;
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

/** Starts a stdio server and connects to it with the SDK's own client. */
export async function connect({ command, args, env }: ServerCommand): Promise<Connection> {
  const client = new Client({ name: 'workflowlookup-client', version: '0.1.0' });
  await client.connect(
    new StdioClientTransport({ command, args: [...args], ...(env === undefined ? {} : { env: { ...env } }) }),
  );
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
    close: () => client.close(),
  };
}
