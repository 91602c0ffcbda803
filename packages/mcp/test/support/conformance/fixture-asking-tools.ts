import type {
  ElicitRequestFormParams,
  ElicitResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { text } from './fixture-content.ts';

type Form = ElicitRequestFormParams['requestedSchema'];

const options = ['option1', 'option2', 'option3'];
const titled = (names: readonly string[], title: string) =>
  names.map((name, index) => ({ const: name, title: `${title} ${index + 1}` }));
const values = ['value1', 'value2', 'value3'];

/** Forms by the name of the tool that shows them. */
const forms: Readonly<Record<string, Form['properties']>> = {
  test_elicitation_sep1034_defaults: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled(values, 'Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled(values, 'Choice') } },
  },
};

const account: Form = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
};

const oneString = <Name extends string>(name: Name) =>
  fromJsonSchema<Record<Name, string>>({
    type: 'object',
    properties: { [name]: { type: 'string' } },
    required: [name],
  });

/** Registers the tools that send requests to the client, as servers do up to revision 2025-11-25. */
export function registerAskingTools(mcp: McpServer): void {
  mcp.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client', inputSchema: oneString('prompt') },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user' as const, content: text(prompt) }];
      const asked = mcpReq.requestSampling({ messages, maxTokens: 100 }, { relatedRequestId: mcpReq.id });
      return { content: [text(`LLM response: ${JSON.stringify((await asked).content)}`)] };
    },
  );
  mcp.registerTool(
    'test_elicitation',
    { description: 'Asks the person', inputSchema: oneString('message') },
    async ({ message }, { mcpReq }) => {
      const answer = await showForm(mcpReq, message, account);
      return { content: [text(`User response: ${JSON.stringify(answer)}`)] };
    },
  );
  for (const [name, properties] of Object.entries(forms))
    mcp.registerTool(name, { description: 'Asks the person' }, async ({ mcpReq }) => {
      const { action, content } = await showForm(mcpReq, 'Fill this in', { type: 'object', properties });
      const said = `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;
      return { content: [text(said)] };
    });
}

/** Shows a form to the user. It names the related request, because the SDK does not add that by itself. */
function showForm(
  mcpReq: ServerContext['mcpReq'],
  message: string,
  requestedSchema: Form,
): Promise<ElicitResult> {
  return mcpReq.elicitInput({ mode: 'form', message, requestedSchema }, { relatedRequestId: mcpReq.id });
}
