import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The result of a tool call. */
interface Called {
  readonly isError: boolean;
  readonly text: string;
}

/** An agent with one session. It keeps the session token. */
export interface Agent {
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Called>;
  /** Returns the id of its session. */
  sid(): string;
  close(): Promise<void>;
}

/** Connects an agent to `/mcp`, with an API key if the server requires one. */
export async function openAgent(url: string, key?: string): Promise<Agent> {
  const client = new Client({ name: 'console-test', version: '1.0.0' });
  const requestInit = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  let token: string | undefined;
  let sid = '';
  return {
    sid: () => sid,
    async call(name, args = {}) {
      const held = token === undefined ? {} : { session_token: token };
      const {
        content,
        _meta: meta,
        isError,
      } = await client.callTool({ name, arguments: { ...held, ...args } });
      const parts = content as readonly { readonly text?: string }[];
      const text = parts.map((part) => part.text ?? '').join('\n');
      const given = meta?.['session_token'];
      if (typeof given === 'string') token = given;
      if (name === 'start_session') sid = /"session_id":\s*"([^"]+)"/.exec(text)?.[1] ?? sid;
      return { isError: isError === true, text };
    },
    close: () => client.close(),
  };
}
