import type { CallToolResult, ListToolsResult, McpServer } from '@modelcontextprotocol/server';
import { ProtocolError } from '@modelcontextprotocol/server';
import { WorkflowError } from '@workflowlookup/schema';
import { callTool } from '../call-tool.ts';
import { toolErrorOf } from '../error-reply.ts';
import type { Tool } from '../tools/tool.ts';
import type { ServerParts } from './server-parts.ts';

/** Serves `tools/list` and `tools/call` from the tool table. */
export function serveTools({ server }: McpServer, parts: ServerParts): void {
  const listing = { tools: parts.tools.map(describeTool) } as unknown as ListToolsResult;
  const byName = new Map(parts.tools.map((tool) => [tool.name, tool]));
  server.setRequestHandler('tools/list', () => listing);
  server.setRequestHandler('tools/call', ({ params }) => {
    const tool = byName.get(params.name);
    if (tool !== undefined) return call(tool, params.arguments ?? {}, parts);
    throw new ProtocolError(-32602, 'Invalid params', {
      details: `There is no tool '${params.name.slice(0, 64)}'`,
    });
  });
}

function describeTool({ run: _run, ...shown }: Tool): object {
  return shown;
}

async function call(tool: Tool, args: unknown, { engine, onError }: ServerParts): Promise<CallToolResult> {
  try {
    const result = await callTool(tool, args, () => Promise.resolve(engine));
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  } catch (error) {
    if (!(error instanceof WorkflowError)) onError(error);
    return toolErrorOf(error) as unknown as CallToolResult;
  }
}
