import type { ListQuery, NextRequest, ValidateRequest } from '@workflowlookup/core';
import {
  loadOnFirstCall,
  defineTool,
  readAnnotations,
  variableValues,
  argumentsSchema,
  outputOf,
  problemSchema,
  stepId,
  stepIds,
  texts,
  verdictSchema,
  workflowId,
} from '../tool-support/tool.ts';

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

/** `workflow_list`: lists the workflows, filtered and by pages. */
export const workflowList = defineTool<ListQuery>({
  name: 'workflow_list',
  title: 'List workflows',
  description: 'Lists the workflows, to find one for use without a session.',
  inputSchema: argumentsSchema(
    {
      query: {
        type: 'string',
        description: 'Text in id, name, description or tags',
        minLength: 1,
        maxLength: 256,
      },
      category: { type: 'string', description: 'Exact category' },
      tags: texts('Tags it must have, all of them'),
      limit: { type: 'integer', description: 'Page size', minimum: 1, maximum: 1000 },
      cursor: { type: 'string', description: 'nextCursor of the previous page' },
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
        description: 'Broken files; present if there are any',
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
          'Number of definitions of the project that are not served, because no person has trusted them; present if there are any',
      },
    },
    required: ['workflows'],
  },
  annotations: readAnnotations,
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
  async run({ engine }, query) {
    const { workflows, nextCursor, problems, untrusted = [] } = await engine.list(query);
    const { problemJson, untrustedJson } = await loadOnFirstCall();
    // The source and the digest distinguish a workflow from another one with the same id.
    const provenance = workflows.map(async ({ id }) => ({ id, ...(await engine.provenance(id)) }));
    const json = {
      workflows: workflows.map(({ tags: _tags, ...summary }) => summary),
      ...(nextCursor === undefined ? {} : { nextCursor }),
      ...(problems === undefined ? {} : { problems: problems.map(problemJson) }),
      provenance: await Promise.all(provenance),
      ...untrustedJson(untrusted),
    };
    return { json };
  },
});

interface WorkflowGetArgs {
  readonly id: string;
  readonly mode?: 'metadata' | 'preview' | 'full';
}

/** `workflow_get`: shows a workflow and its first step. */
export const workflowGet = defineTool<WorkflowGetArgs>({
  name: 'workflow_get',
  title: 'Get a workflow',
  description: 'Shows one workflow before you start it: what it needs, and its first step.',
  inputSchema: argumentsSchema(
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
  annotations: readAnnotations,
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
  async run({ engine }, { id, mode = 'preview' }) {
    if (mode === 'full') return { json: (await loadOnFirstCall()).wholeDefinition(await engine.get(id)) };
    return { json: await (mode === 'metadata' ? engine.metadata(id) : engine.preview(id)) };
  },
});

const anyJson = ['object', 'array', 'string', 'number', 'boolean', 'null'].map((type) => ({ type }));

/** `workflow_next`: returns the next step. */
export const workflowNext = defineTool<NextRequest>({
  name: 'workflow_next',
  title: 'Next step',
  description:
    'Returns the next step. Call it at the start, and after each step with its id added to completedSteps exactly as given.',
  inputSchema: argumentsSchema(
    {
      workflowId: workflowId('Workflow id'),
      currentStep: stepId('Step you are on'),
      completedSteps: stepIds('Ids of completed steps'),
      context: variableValues('Variables that decide which steps run'),
    },
    ['workflowId', 'completedSteps'],
  ),
  outputSchema: {
    type: 'object',
    properties: {
      step: {
        description: 'The next step; null when none is left',
        anyOf: [{ type: 'object' }, { type: 'null' }],
      },
      guidance: {
        type: 'object',
        description: 'What to do with it',
        properties: {
          prompt: { type: 'string', description: 'Everything the author wrote for this step' },
          modelHint: { type: 'string', description: 'Kind of model the author suggests' },
          requiresConfirmation: { type: 'boolean', description: 'Whether the user has to confirm' },
          validationCriteria: texts('Criteria the output must meet'),
          outputSchema: { type: 'object', description: 'JSON Schema of the output' },
        },
        required: ['prompt'],
      },
      isComplete: { type: 'boolean', description: 'Whether no step is left' },
      loop: {
        type: 'object',
        description: 'The loop around the step',
        properties: {
          id: { type: 'string', description: 'Loop id' },
          iteration: { type: 'integer', description: 'From 1' },
          index: { type: 'integer', description: 'From 0' },
          total: { type: 'integer', description: 'Iterations planned' },
          item: { description: 'Item of this iteration', anyOf: anyJson },
        },
        required: ['id', 'iteration', 'index'],
      },
      warnings: texts('What was ignored or cut short'),
      undecided: {
        type: 'array',
        description: 'Steps skipped only because a variable was never set',
        items: {
          type: 'object',
          properties: {
            stepId: { type: 'string', description: 'Step id' },
            variables: texts('Variables never set'),
          },
          required: ['stepId', 'variables'],
        },
      },
    },
    required: ['step', 'guidance', 'isComplete'],
  },
  annotations: readAnnotations,
  examples: {
    request: {
      method: 'workflow_next',
      params: { workflowId: 'bug-investigation', completedSteps: [], context: { ticket: 'T-123' } },
    },
    response: {
      step: { id: 'reproduce', title: 'Reproduce the defect', prompt: 'Make the defect happen.' },
      guidance: { prompt: 'Make the defect happen.' },
      isComplete: false,
    },
  },
  run: async ({ engine }, request) => ({ json: await engine.next(request) }),
});

/** `workflow_validate`: checks an output against the criteria of its step. */
export const workflowValidate = defineTool<ValidateRequest>({
  name: 'workflow_validate',
  title: 'Validate an output',
  description: "Checks a step's output against its criteria. In a session, next_activity does it.",
  inputSchema: argumentsSchema(
    {
      workflowId: workflowId('Workflow id'),
      stepId: stepId('Step id'),
      output: outputOf('Output of the step'),
      context: variableValues('Variables the criteria depend on'),
    },
    ['workflowId', 'stepId', 'output'],
  ),
  outputSchema: verdictSchema,
  annotations: readAnnotations,
  examples: {
    request: {
      method: 'workflow_validate',
      params: { workflowId: 'bug-investigation', stepId: 'reproduce', output: 'It happens every time.' },
    },
    response: { valid: true, issues: [], suggestions: [] },
  },
  run: async ({ engine }, request) => ({ json: await engine.validate(request) }),
});

interface WorkflowValidateJsonArgs {
  readonly workflowJson: string;
}

/** `workflow_validate_json`: checks whether a text is a valid workflow definition. */
export const workflowValidateJson = defineTool<WorkflowValidateJsonArgs>({
  name: 'workflow_validate_json',
  title: 'Validate a workflow',
  description: 'Checks the JSON text of a workflow you wrote: syntax, schema, conditions and criteria.',
  inputSchema: argumentsSchema(
    { workflowJson: { type: 'string', description: 'The whole workflow as JSON text', minLength: 1 } },
    ['workflowJson'],
  ),
  outputSchema: verdictSchema,
  annotations: readAnnotations,
  examples: {
    request: {
      method: 'workflow_validate_json',
      params: { workflowJson: '{"id":"sample-workflow","name":"Sample workflow"}' },
    },
    response: {
      valid: false,
      issues: ["Missing required property 'description'", "Missing required property 'steps'"],
      suggestions: [
        "Add required 'description' field with a meaningful description",
        "Add required 'steps' array with at least one step object",
      ],
    },
  },
  run: async ({ engine }, { workflowJson }) => ({ json: await engine.validateDefinition(workflowJson) }),
});
