import type { McpServer, ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import type { WorkflowChange } from '@workflowlookup/core';
import { wholeDefinition } from '@workflowlookup/core/library';
import type { WorkflowSummary } from '@workflowlookup/schema';
import { WorkflowError, jsonSchemas } from '@workflowlookup/schema';
import type { ServerParts } from './handler-support.ts';
import { withProtocolErrors, pageOf } from './handler-support.ts';

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
  const schema = Object.entries(jsonSchemas).find(([known]) => known === name)?.[1];
  if (schema === undefined) throw new ResourceNotFoundError(uri);
  return { contents: [{ uri, mimeType: schemaMimeType, text: JSON.stringify(schema, null, 2) }] };
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
