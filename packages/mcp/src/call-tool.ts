import type { Engine } from '@workflowlookup/core';
import { checkArguments } from './arguments.ts';
import type { Tool } from './tools/tool.ts';

/**
 * Runs a tool over arguments nobody has checked yet. Direct methods and `tools/call` both come through here.
 *
 * @throws WorkflowError
 */
export async function callTool(tool: Tool, args: unknown, engine: () => Promise<Engine>): Promise<object> {
  checkArguments(tool, args);
  return tool.run(await engine(), args);
}
