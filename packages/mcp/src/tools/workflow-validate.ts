import type { ValidateRequest } from '@workflowlookup/core';
import { context, input, stepId, verdictSchema, workflowId } from './fragments.ts';
import { defineLookupTool, lookupAnnotations } from './tool.ts';

/** `workflow_validate`: does this output meet the step's criteria. */
export const workflowValidate = defineLookupTool<ValidateRequest>({
  name: 'workflow_validate',
  title: 'Validate an output',
  description:
    "Judges a step's output by the step's criteria. Use it before you count the step as completed.",
  inputSchema: input(
    {
      workflowId: workflowId('Workflow id'),
      stepId: stepId('Step id'),
      output: { type: 'string', description: 'Output of the step', minLength: 1 },
      context: context('Variables its rules depend on'),
    },
    ['workflowId', 'stepId', 'output'],
  ),
  outputSchema: verdictSchema,
  annotations: lookupAnnotations,
  examples: {
    request: {
      method: 'workflow_validate',
      params: { workflowId: 'bug-investigation', stepId: 'reproduce', output: 'It happens every time.' },
    },
    response: { valid: true, issues: [], suggestions: [] },
  },
  run: (engine, request) => engine.validate(request),
});
