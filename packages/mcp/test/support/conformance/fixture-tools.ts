import { setTimeout } from 'node:timers/promises';
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { image, sound, text } from './fixture-content.ts';

type ContentBlock = CallToolResult['content'][number];

/** A pause between two messages, so that they arrive separately. */
const pauseMs = 10;

const json = (uri: string, value: object): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType: 'application/json', text: JSON.stringify(value) },
});

/** The content that each simple tool returns, by name. */
const contents: Readonly<Record<string, readonly ContentBlock[]>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [sound],
  test_embedded_resource: [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    json('test://mixed-content-resource', { test: 'data', value: 123 }),
  ],
};

/** The notifications that a tool sends before it answers, by name. */
const talkative: Readonly<Record<string, (context: ServerContext) => Promise<void>>> = {
  async test_tool_with_logging({ mcpReq }) {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', said);
      await setTimeout(pauseMs);
    }
  },
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq['_meta']?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
      await setTimeout(pauseMs);
    }
  },
  test_logging_tool: ({ mcpReq }) => mcpReq.log('info', 'Logged for those who asked for a log'),
};

/** Registers the tools that need no input. `changePrompts` makes the server report that its prompts have changed. */
export function registerTools(mcp: McpServer, changePrompts: () => void): void {
  for (const [name, content] of Object.entries(contents))
    mcp.registerTool(name, { description: name }, () => ({ content: [...content] }));
  for (const [name, talk] of Object.entries(talkative))
    mcp.registerTool(name, { description: name }, async (context) => {
      await talk(context);
      return { content: [text('Done')] };
    });
  mcp.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  mcp.registerTool('test_trigger_prompt_change', { description: 'Changes the prompts' }, () => {
    changePrompts();
    return { content: [text('Done')] };
  });
}
