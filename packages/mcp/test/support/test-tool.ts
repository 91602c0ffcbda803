import type { Tool } from '../../src/tool-support/tool.ts';
import { defineTool } from '../../src/tool-support/tool.ts';

/** Returns a tool without arguments. */
export function testTool(name: string, run: Tool['run'], more: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({
      name,
      title: name,
      description: name,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      run,
    }),
    ...more,
  };
}
