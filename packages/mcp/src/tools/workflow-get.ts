import { input, workflowId } from './fragments.ts';
import { late } from './late.ts';
import { defineLookupTool, lookupAnnotations } from './tool.ts';

interface Args {
  readonly id: string;
  readonly mode?: 'metadata' | 'preview' | 'full';
}

/** `workflow_get`: what a workflow is, and how it starts. */
export const workflowGet = defineLookupTool<Args>({
  name: 'workflow_get',
  title: 'Get a workflow',
  description: 'Shows one workflow before you start it: what it needs, and its first step.',
  inputSchema: input(
    {
      id: workflowId('Workflow id'),
      mode: {
        type: 'string',
        enum: ['metadata', 'preview', 'full'],
        default: 'preview',
        description: 'metadata: no steps; preview: and the first step; full: the definition',
      },
    },
    ['id'],
  ),
  outputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Workflow id' },
      name: { type: 'string', description: 'Name for people' },
      description: { type: 'string', description: 'When to use it' },
      version: { type: 'string', description: 'Semantic version' },
      totalSteps: { type: 'integer', description: 'Authored steps; loop bodies count once' },
      firstStep: {
        description: 'preview: the step an empty context starts with',
        anyOf: [{ type: 'object' }, { type: 'null' }],
      },
      steps: { type: 'array', description: 'full: every step', items: { type: 'object' } },
      activities: { type: 'array', description: 'full: or every activity', items: { type: 'object' } },
    },
    required: ['id', 'name', 'description'],
  },
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'workflow_get', params: { id: 'bug-investigation', mode: 'metadata' } },
    response: {
      id: 'bug-investigation',
      name: 'Bug investigation',
      description: 'Find the cause of a defect before changing code',
      version: '1.0.0',
      totalSteps: 9,
    },
  },
  async run(engine, { id, mode = 'preview' }) {
    if (mode === 'full') return (await late()).wholeDefinition(await engine.get(id));
    return mode === 'metadata' ? engine.metadata(id) : engine.preview(id);
  },
});
