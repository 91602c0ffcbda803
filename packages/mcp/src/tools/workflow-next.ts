import type { NextRequest } from '@workflowlookup/core';
import { context, input, stepId, stepIds, texts, workflowId } from './fragments.ts';
import { defineLookupTool, lookupAnnotations } from './tool.ts';

const anyJson = ['object', 'array', 'string', 'number', 'boolean', 'null'].map((type) => ({ type }));

/** `workflow_next`: the step to do now. */
export const workflowNext = defineLookupTool<NextRequest>({
  name: 'workflow_next',
  title: 'Next step',
  description:
    'Gives the step to do now. Call it at the start, and after each step with that id added to completedSteps as it stands.',
  inputSchema: input(
    {
      workflowId: workflowId('Workflow id'),
      currentStep: stepId('Step you are on'),
      completedSteps: stepIds('Ids of completed steps'),
      context: context('Variables that decide which steps run'),
    },
    ['workflowId', 'completedSteps'],
  ),
  outputSchema: {
    type: 'object',
    properties: {
      step: {
        description: 'The step to do; null when none is left',
        anyOf: [{ type: 'object' }, { type: 'null' }],
      },
      guidance: {
        type: 'object',
        description: 'What to do with it',
        properties: {
          prompt: { type: 'string', description: 'Everything the author wrote for this step' },
          modelHint: { type: 'string', description: 'Kind of model the author suggests' },
          requiresConfirmation: { type: 'boolean', description: 'Whether the user has to confirm' },
          validationCriteria: texts('What the output must meet'),
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
          total: { type: 'integer', description: 'Rounds planned' },
          item: { description: 'Item of this round', anyOf: anyJson },
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
  annotations: lookupAnnotations,
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
  run: (engine, request) => engine.next(request),
});
