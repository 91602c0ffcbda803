import type { McpServer, Prompt } from '@modelcontextprotocol/server';
import { ProtocolError } from '@modelcontextprotocol/server';
import { SkillsExtension, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { WorkflowError, summarize } from '@workflowlookup/schema';
import { messages } from '../messages.ts';
import type { ServerParts } from './handler-support.ts';
import { withProtocolErrors, pageOf } from './handler-support.ts';

/** Serves one prompt for each workflow. Its arguments are the variables that the workflow declares. */
export function servePrompts({ server }: McpServer, parts: ServerParts): void {
  const { engine } = parts;
  server.setRequestHandler('prompts/list', ({ params }) =>
    withProtocolErrors(parts, async () => {
      const page = pageOf(await engine.summaries(), params?.cursor);
      const prompts = await Promise.all(page.items.map((summary) => describePrompt(summary, parts)));
      return { prompts: prompts.filter((prompt) => prompt !== undefined), ...page.next };
    }),
  );
  server.setRequestHandler('prompts/get', ({ params }) =>
    withProtocolErrors(parts, async () => {
      const workflow = await engine.get(params.name);
      const given = params.arguments ?? {};
      checkPromptArguments(workflow, given);
      const text = promptText(workflow, given);
      return {
        description: summarize(workflow).description,
        messages: [{ role: 'user', content: { type: 'text', text } }],
      };
    }),
  );
}

/** Returns the prompt of a workflow, or `undefined` if the workflow was removed after it was listed. */
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

function checkPromptArguments(workflow: Workflow, given: Readonly<Record<string, string>>): void {
  const known = argumentsOf(workflow);
  const missing = known
    .filter(({ name, required }) => required === true && !(name in given))
    .map(({ name }) => messages.fieldRequired(name));
  const unknown = Object.keys(given).filter((name) => !known.some((argument) => argument.name === name));
  const details = [
    ...missing,
    ...unknown.map((name) => messages.unknownPromptArgument(name.slice(0, 64))),
  ].join('; ');
  if (details !== '') throw new ProtocolError(-32602, 'Invalid params', { details });
}

const uriPattern = /^skill:\/\/([a-z0-9-]+)\/SKILL\.md$/;

/** Serves each workflow as a skill whose text tells a model how to follow it with the tools. */
export function serveSkills(mcp: McpServer, { engine, onError }: ServerParts): void {
  const find = async (uri: string): Promise<Workflow | undefined> => {
    const id = uriPattern.exec(uri)?.[1];
    return id === undefined ? undefined : engine.get(id).catch(undefinedWhenMissing);
  };
  new SkillsExtension({
    onWarning: onError,
    source: {
      async list({ cursor }) {
        // The name of a skill can't contain a dot, so workflows in a namespace are left out.
        const page = pageOf(
          (await engine.summaries()).filter(({ id }) => !id.includes('.')),
          cursor,
        );
        const workflows = await Promise.all(
          page.items.map(({ id }) => engine.get(id).catch(undefinedWhenMissing)),
        );
        const present = workflows.filter((workflow) => workflow !== undefined);
        return { skills: await Promise.all(present.map(entryOf)), ...page.next };
      },
      async get(uri) {
        const workflow = await find(uri);
        return workflow && entryOf(workflow);
      },
      async read(uri) {
        const workflow = await find(uri);
        return workflow && { text: skillText(workflow), mimeType: 'text/markdown' };
      },
    },
  }).attach(mcp);
}

function entryOf(workflow: Workflow): ReturnType<typeof skillEntry> {
  return skillEntry(workflow.id, { 'SKILL.md': skillText(workflow) });
}

function skillText(workflow: Workflow): string {
  const { name, description } = summarize(workflow);
  return `---\nname: ${workflow.id}\ndescription: ${JSON.stringify(description === '' ? name : description)}\n---\n\n${promptText(workflow, {})}\n`;
}

function undefinedWhenMissing(error: unknown): undefined {
  if (!(error instanceof WorkflowError)) throw error;
}

const maxValues = 100;

/** Completes workflow ids in `workflow://{id}`, and the values of boolean variables in prompts. */
export function serveCompletion({ server }: McpServer, parts: ServerParts): void {
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) =>
    withProtocolErrors(parts, async () => {
      const candidates =
        ref.type === 'ref/prompt'
          ? await valuesOf(ref.name, argument.name, parts)
          : await idsFor(ref.uri, argument.name, parts);
      const matching = candidates.filter((value) => value.startsWith(argument.value));
      const values = matching.slice(0, maxValues);
      return { completion: { values, total: matching.length, hasMore: matching.length > values.length } };
    }),
  );
}

async function idsFor(uri: string, argument: string, { engine }: ServerParts): Promise<readonly string[]> {
  if (uri !== 'workflow://{id}' || argument !== 'id') return [];
  return (await engine.summaries()).map(({ id }) => id);
}

async function valuesOf(
  workflowId: string,
  argument: string,
  { engine }: ServerParts,
): Promise<readonly string[]> {
  const { definition } = await engine.get(workflowId);
  const variable = definition.variables?.find(({ name }) => name === argument);
  return variable?.type === 'boolean' ? ['false', 'true'] : [];
}

/** Returns the prompt that tells a model how to follow a workflow with the tools, given the variables known so far. */
function promptText(workflow: Workflow, context: Readonly<Record<string, string>>): string {
  const { id, name, description } = summarize(workflow);
  const known = Object.keys(context).length === 0 ? '{}' : JSON.stringify(context);
  return messages.followWorkflow({ id, name, description, context: known });
}
