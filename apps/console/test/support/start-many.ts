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

async function start(url: string, at: number): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'start_session',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: at,
      method: 'tools/call',
      params: {
        name: 'start_session',
        arguments: { agent_id: `agent-${at % 7}`, workflow_id: workflows[at % workflows.length] },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const text = await response.text();
  const [, sid] = /session_id\\?":\s*\\?"([^"\\]+)/.exec(text) ?? [];
  if (sid === undefined) throw new Error(`no session was started: ${response.status} ${text}`);
  return sid;
}
