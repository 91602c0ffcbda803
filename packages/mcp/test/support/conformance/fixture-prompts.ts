import type { McpServer } from '@modelcontextprotocol/server';
import { acceptedContent, fromJsonSchema, inputRequired } from '@modelcontextprotocol/server';
import { image, text } from './fixture-content.ts';
import { form } from './fixture-input-tools.ts';

const strings = <Name extends string>(...names: readonly Name[]) =>
  fromJsonSchema<Record<Name, string>>({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: [...names],
  });

/** Registers the prompts. One of them requests input before it answers. */
export function registerPrompts(mcp: McpServer): void {
  const said = (content: ReturnType<typeof text> | typeof image) => ({ role: 'user' as const, content });
  mcp.registerPrompt('test_simple_prompt', { description: 'A text' }, () => ({
    messages: [said(text('This is a simple prompt for testing.'))],
  }));
  mcp.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A text with two holes', argsSchema: strings('arg1', 'arg2') },
    ({ arg1, arg2 }) => ({
      messages: [said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  mcp.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A resource', argsSchema: strings('resourceUri') },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        said(text('Please process the embedded resource above.')),
      ],
    }),
  );
  mcp.registerPrompt('test_prompt_with_image', { description: 'An image' }, () => ({
    messages: [said(image), said(text('Please analyze the image above.'))],
  }));
  mcp.registerPrompt('test_input_required_result_prompt', { description: 'Asks first' }, ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_context');
    if (given !== undefined) return { messages: [said(text(`Use this: ${JSON.stringify(given)}`))] };
    const question = form('What context should the prompt use?', { context: { type: 'string' } });
    return inputRequired({ inputRequests: { user_context: question } });
  });
}
