import type { McpServer, Prompt } from '@modelcontextprotocol/server';
import { ProtocolError } from '@modelcontextprotocol/server';
import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { summarize, WorkflowError } from '@workflowlookup/schema';
import { howToFollow } from '../tools/how-to-follow.ts';
import type { ServerParts } from './server-parts.ts';
import { guarded } from './guarded.ts';
import { pageOf } from './paging.ts';

/** Serves one prompt for each workflow; its arguments are the variables the workflow declares. */
export function servePrompts({ server }: McpServer, parts: ServerParts): void {
  const { engine } = parts;
  server.setRequestHandler('prompts/list', ({ params }) =>
    guarded(parts, async () => {
      const page = pageOf(await engine.summaries(), params?.cursor);
      const prompts = await Promise.all(page.items.map((summary) => describePrompt(summary, parts)));
      return { prompts: prompts.filter((prompt) => prompt !== undefined), ...page.next };
    }),
  );
  server.setRequestHandler('prompts/get', ({ params }) =>
    guarded(parts, async () => {
      const workflow = await engine.get(params.name);
      const given = params.arguments ?? {};
      checkArguments(workflow, given);
      const text = howToFollow(workflow, given);
      return {
        description: summarize(workflow).description,
        messages: [{ role: 'user', content: { type: 'text', text } }],
      };
    }),
  );
}

/** A workflow that stopped being served since it was listed has no prompt. */
async function describePrompt(
  { id, name, description }: WorkflowSummary,
  { engine }: ServerParts,
): Promise<Prompt | undefined> {
  const workflow = await engine.get(id).catch((error: unknown) => {
    if (error instanceof WorkflowError) return undefined;
    throw error;
  });
  return workflow && { name: id, title: name, description, arguments: argumentsOf(workflow) };
}

function argumentsOf({ definition }: Workflow): NonNullable<Prompt['arguments']> {
  return (definition.variables ?? []).map(({ name, description, required }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    required: required === true,
  }));
}

function checkArguments(workflow: Workflow, given: Readonly<Record<string, string>>): void {
  const known = argumentsOf(workflow);
  const missing = known
    .filter(({ name, required }) => required === true && !(name in given))
    .map(({ name }) => `${name} is required`);
  const unknown = Object.keys(given).filter((name) => !known.some((argument) => argument.name === name));
  const details = [
    ...missing,
    ...unknown.map((name) => `${name.slice(0, 64)} is not an argument of this prompt`),
  ].join('; ');
  if (details !== '') throw new ProtocolError(-32602, 'Invalid params', { details });
}
