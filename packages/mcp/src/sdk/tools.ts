import type { CallToolResult, ListToolsResult, McpServer } from '@modelcontextprotocol/server';
import { ProtocolError } from '@modelcontextprotocol/server';
import { createToolDesk } from '../tool-desk.ts';
import type { ServerParts } from './server-parts.ts';

/** Serves `tools/list` and `tools/call` from the tool desk. */
export function serveTools({ server }: McpServer, parts: ServerParts): void {
  const desk = createToolDesk({ ...parts, services: () => Promise.resolve(parts) });
  server.setRequestHandler('tools/list', () => desk.listing as unknown as ListToolsResult);
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const outcome = await desk.call(params, { signal });
    if ('error' in outcome)
      throw new ProtocolError(outcome.error.code, outcome.error.message, outcome.error.data);
    return outcome.result as unknown as CallToolResult;
  });
}
