import type { McpServer, ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { wholeDefinition } from '@workflowlookup/core';
import type { WorkflowSummary } from '@workflowlookup/schema';
import { jsonSchemas, WorkflowError } from '@workflowlookup/schema';
import type { ServerParts } from './server-parts.ts';
import { guarded } from './guarded.ts';
import { pageOf } from './paging.ts';

const schemaMimeType = 'application/schema+json';

/** Serves each workflow as `workflow://{id}` and each JSON Schema as `workflow-schema://{name}`. */
export function serveResources(mcp: McpServer, parts: ServerParts): void {
  const { engine } = parts;
  mcp.registerResource(
    'workflow',
    new ResourceTemplate('workflow://{id}', { list: undefined }),
    { title: 'Workflow', description: 'The definition of a workflow', mimeType: 'application/json' },
    (uri, { id }) => guarded(parts, () => readWorkflow(uri.href, String(id), parts)),
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
    guarded(parts, async () => {
      const page = pageOf(await engine.summaries(), params?.cursor);
      const schemas = page.isFirst ? Object.keys(jsonSchemas).map(describeSchema) : [];
      return { resources: [...schemas, ...page.items.map(describeWorkflow)], ...page.next };
    }),
  );
}

/** The URI of a workflow as a resource. */
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
