import type { Engine, ListQuery } from '@workflowlookup/core';
import { input, problemSchema, texts } from './fragments.ts';
import { late } from './late.ts';
import { defineLookupTool, lookupAnnotations } from './tool.ts';

const summarySchema = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Workflow id' },
    name: { type: 'string', description: 'Name for people' },
    description: { type: 'string', description: 'When to use it' },
    category: { type: 'string', description: 'Category' },
    version: { type: 'string', description: 'Semantic version' },
  },
  required: ['id', 'name', 'description', 'category', 'version'],
} as const;

/** `workflow_list`: the catalogue, filtered and paged. */
export const workflowList = defineLookupTool<ListQuery>({
  name: 'workflow_list',
  title: 'List workflows',
  description: 'Lists the workflows there are. Use it first, to find one that fits the task.',
  inputSchema: input(
    {
      query: {
        type: 'string',
        description: 'Text in id, name, description or tags',
        minLength: 1,
        maxLength: 256,
      },
      category: { type: 'string', description: 'Exact category' },
      tags: texts('Tags it must all have'),
      limit: { type: 'integer', description: 'Page size', minimum: 1, maximum: 1000 },
      cursor: { type: 'string', description: 'nextCursor of the page before' },
    },
    [],
  ),
  outputSchema: {
    type: 'object',
    properties: {
      workflows: { type: 'array', description: 'Sorted by id', items: summarySchema },
      nextCursor: { type: 'string', description: 'Present when there are more' },
      problems: {
        type: 'array',
        description: 'Files that are broken; present when any is',
        items: problemSchema,
      },
      provenance: {
        type: 'array',
        description: 'Source and digest of each definition, in the order of the workflows',
        items: { type: 'object' },
      },
      untrusted: {
        type: 'object',
        description:
          'How many definitions of the project are not served, because no person has trusted them; present if there are any',
      },
    },
    required: ['workflows'],
  },
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'workflow_list', params: {} },
    response: {
      workflows: [
        {
          id: 'bug-investigation',
          name: 'Bug investigation',
          description: 'Find the cause of a defect before changing code',
          category: 'development',
          version: '1.0.0',
        },
      ],
    },
  },
  async run(engine, query) {
    const { workflows, nextCursor, problems, untrusted = [] } = await engine.list(query);
    const { problemOnWire, untrustedOnWire } = await late();
    return {
      workflows: workflows.map(({ tags: _tags, ...summary }) => summary),
      ...(nextCursor === undefined ? {} : { nextCursor }),
      ...(problems === undefined ? {} : { problems: problems.map(problemOnWire) }),
      provenance: await Promise.all(workflows.map(({ id }) => provenanceOf(engine, id))),
      ...untrustedOnWire(untrusted),
    };
  },
});

/** Where a workflow comes from, so that nobody takes it for another of the same id. */
async function provenanceOf(engine: Pick<Engine, 'provenance'>, id: string): Promise<object> {
  return { id, ...(await engine.provenance(id)) };
}
