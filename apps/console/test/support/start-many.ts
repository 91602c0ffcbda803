const workflows = ['review', 'shop', 'long'];
const atOnce = 8;

/** Starts the given number of sessions with protocol version 2026-07-28. Returns the id of the first one. */
export async function startMany(url: string, count: number): Promise<string> {
  const first = await start(url, 0);
  let next = 1;
  const work = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await start(url, next - 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return first;
}

/** Starts the given number of sessions that wait at a checkpoint. */
export async function waitMany(url: string, count: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      const session = { agent_id: `agent-${next % 7}`, workflow_id: 'shop' };
      let token = tokenIn(await call(url, 'start_session', session));
      token = tokenIn(await call(url, 'next_activity', { session_token: token }));
      await call(url, 'yield_checkpoint', { session_token: token, checkpoint_id: 'approve' });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

function tokenIn(text: string): string {
  const [, token] = /session_token\\?":\s*\\?"([^"\\]+)/.exec(text) ?? [];
  if (token === undefined) throw new Error(`no session token: ${text}`);
  return token;
}

async function start(url: string, at: number): Promise<string> {
  const workflow = workflows[at % workflows.length];
  const text = await call(url, 'start_session', { agent_id: `agent-${at % 7}`, workflow_id: workflow });
  const [, sid] = /session_id\\?":\s*\\?"([^"\\]+)/.exec(text) ?? [];
  if (sid === undefined) throw new Error(`no session was started: ${text}`);
  return sid;
}

/** Calls a tool and returns the text of the response. */
async function call(url: string, name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${name} failed: ${response.status} ${text}`);
  return text;
}
