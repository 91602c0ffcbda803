import type { McpServer, Prompt, ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { ProtocolError, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { SkillsExtension, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import type { WorkflowChange } from '@workflowlookup/core';
import { wholeDefinition } from '@workflowlookup/core/library';
import type { Caller } from '@workflowlookup/core/sessions';
import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { WorkflowError, jsonSchemas, summarize } from '@workflowlookup/schema';
import type { WaitingCalls } from '../json-rpc/connection.ts';
import { messages } from '../messages.ts';
import type { ToolRunner, ToolRunnerOptions } from '../tool-support/run-tool.ts';
import type { Services } from '../tool-support/tool.ts';
import type { RequestStates } from './elicitation.ts';

/** What the handlers of an SDK server use. One server is created for each connection. */
export interface ServerParts
  extends Services, Pick<ToolRunnerOptions, 'identity' | 'onError' | 'onIdentifiedCall' | 'tools'> {
  readonly states: RequestStates;
  readonly waiting: WaitingCalls;
  /** A tool runner shared with other servers, and the caller. By default the server creates its own tool runner. */
  readonly shared?: { readonly toolRunner: ToolRunner; readonly caller: Caller };
}

/**
 * Runs a handler and converts its errors to protocol errors. The SDK would send the message of any error to the client, so
 * unexpected errors are replaced by "Internal error".
 *
 * @throws ProtocolError
 */
export async function withProtocolErrors<T>(parts: ServerParts, handler: () => Promise<T>): Promise<T> {
  try {
    return await handler();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof WorkflowError)
      throw new ProtocolError(-32602, 'Invalid params', { details: error.message });
    parts.onError(error);
    throw new ProtocolError(-32603, 'Internal error');
  }
}

const pageSize = 200;
const prefix = 'after:';

/** One page of a list that is sorted by id. */
interface IdPage<T> {
  readonly items: readonly T[];
  readonly isFirst: boolean;
  /** The cursor of the next page, to spread into a result. Empty on the last page. */
  readonly next: { readonly nextCursor?: string };
}

/**
 * Returns one page of a list that is sorted by id. Without a cursor, or with an empty one, it is the first page.
 *
 * @throws ProtocolError -32602 if the cursor is not the `nextCursor` of a page
 */
function pageOf<T extends { readonly id: string }>(all: readonly T[], cursor = ''): IdPage<T> {
  const isFirst = cursor === '';
  if (!isFirst && !cursor.startsWith(prefix))
    throw new ProtocolError(-32602, 'Invalid params', { details: messages.wrongCursor() });
  const after = isFirst ? '' : cursor.slice(prefix.length);
  const from = all.findIndex(({ id }) => id > after);
  const items = from < 0 ? [] : all.slice(from, from + pageSize);
  const last = items.at(-1);
  const more = last !== undefined && last !== all.at(-1);
  return { items, isFirst, next: more ? { nextCursor: prefix + last.id } : {} };
}

const schemaMimeType = 'application/schema+json';

/** Serves each workflow as `workflow://{id}` and each JSON Schema as `workflow-schema://{name}`. */
export function serveResources(mcp: McpServer, parts: ServerParts): void {
  const { engine } = parts;
  mcp.registerResource(
    'workflow',
    new ResourceTemplate('workflow://{id}', { list: undefined }),
    { title: 'Workflow', description: 'The definition of a workflow', mimeType: 'application/json' },
    (uri, { id }) => withProtocolErrors(parts, () => readWorkflow(uri.href, String(id), parts)),
  );
  mcp.registerResource(
    'workflow-schema',
    new ResourceTemplate('workflow-schema://{name}', { list: undefined }),
    {
      title: 'JSON Schema',
      description: 'The JSON Schema of a kind of definition',
      mimeType: schemaMimeType,
    },
    (uri, { name }) => readSchema(uri.href, String(name)),
  );
  mcp.server.setRequestHandler('resources/list', ({ params }) =>
    withProtocolErrors(parts, async () => {
      const page = pageOf(await engine.summaries(), params?.cursor);
      const schemas = page.isFirst ? Object.keys(jsonSchemas).map(describeSchema) : [];
      return { resources: [...schemas, ...page.items.map(describeWorkflow)], ...page.next };
    }),
  );
}

export function workflowUri(id: string): string {
  return `workflow://${id}`;
}

function describeWorkflow({ id, name, description }: WorkflowSummary): Resource {
  return { uri: workflowUri(id), name: id, title: name, description, mimeType: 'application/json' };
}

function describeSchema(name: string): Resource {
  const description = 'The JSON Schema that definitions are read by';
  return {
    uri: `workflow-schema://${name}`,
    name,
    title: `Schema: ${name}`,
    description,
    mimeType: schemaMimeType,
  };
}

async function readWorkflow(uri: string, id: string, { engine }: ServerParts): Promise<ReadResourceResult> {
  try {
    const definition = wholeDefinition(await engine.get(id));
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(definition, null, 2) }] };
  } catch (error) {
    if (error instanceof WorkflowError && error.code === 'WORKFLOW_NOT_FOUND')
      throw new ResourceNotFoundError(uri);
    throw error;
  }
}

function readSchema(uri: string, name: string): ReadResourceResult {
  if (!Object.hasOwn(jsonSchemas, name)) throw new ResourceNotFoundError(uri);
  const text = JSON.stringify(jsonSchemas[name as keyof typeof jsonSchemas], null, 2);
  return { contents: [{ uri, mimeType: schemaMimeType, text }] };
}

/** Notifies the client when definitions change: of the lists always, of a resource only if the client subscribed to it. */
export function announceChanges({ server }: McpServer, { engine, onError }: ServerParts): void {
  const subscribed = new Set<string>();
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  const announce = async (change: WorkflowChange): Promise<void> => {
    await server.sendResourceListChanged();
    await server.sendPromptListChanged();
    const uris = change === 'all' ? [...subscribed] : change.map(workflowUri);
    for (const uri of uris)
      if (subscribed.has(uri) || isModern(server)) await server.sendResourceUpdated({ uri });
  };
  const stop = engine.watch((change) => {
    announce(change).catch(onError);
  });
  server.onclose = stop;
}

/** From revision 2026-07-28 on, the SDK itself keeps track of who subscribed to which resource. */
function isModern(server: McpServer['server']): boolean {
  return (server.getNegotiatedProtocolVersion() ?? '') >= '2026';
}

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
  const workflow = await engine.get(id).catch(undefinedWhenMissing);
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
