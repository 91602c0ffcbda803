import type { StepWorkflowDefinition } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { workflow } from '../support/flow.ts';
import { serve } from '../support/streams.ts';

/** Calls a direct method on a server that has these workflows. */
async function ask(definitions: readonly StepWorkflowDefinition[], method: string, params: unknown) {
  const session = serve(definitions.map(workflow));
  await session.open('2024-11-05');
  const { result, error } = await session.request(method, params);
  return error ?? result;
}

const understand = {
  id: 'understand',
  title: 'Deep understanding of task and codebase',
  prompt: 'Analyze the task description...',
  requireConfirmation: true,
} as const;

const taskWorkflow: StepWorkflowDefinition = {
  id: 'ai-task-implementation',
  name: 'AI Task Prompt Workflow',
  description: 'Complete task implementation with verification',
  version: '1.0.0',
  category: 'development',
  preconditions: ['Task description is clear and complete'],
  steps: [understand],
};

describe('the example requests of the lookup specification', () => {
  test('list the workflows with params null', async () => {
    const description = 'Guides through task understanding → planning → implementation → verification';
    expect(await ask([{ ...taskWorkflow, description }], 'workflow_list', null)).toEqual({
      workflows: [
        {
          id: 'ai-task-implementation',
          name: 'AI Task Prompt Workflow',
          description,
          category: 'development',
          version: '1.0.0',
        },
      ],
      // An addition to the specification.
      provenance: [{ id: 'ai-task-implementation' }],
    });
  });

  test('get a whole workflow', async () => {
    expect(
      await ask([taskWorkflow], 'workflow_get', { id: 'ai-task-implementation', mode: 'full' }),
    ).toMatchObject({
      id: 'ai-task-implementation',
      name: 'AI Task Prompt Workflow',
      description: 'Complete task implementation with verification',
      preconditions: ['Task description is clear and complete'],
      steps: [understand],
    });
  });

  const adaptive: StepWorkflowDefinition = {
    id: 'coding-task-workflow-with-loops',
    name: 'Excellent Adaptive Coding Workflow',
    description: 'A comprehensive workflow for AI-assisted coding',
    version: '0.1.0',
    preconditions: ['User has a clear task description'],
    clarificationPrompts: ['What is the complexity level?'],
    metaGuidance: ['Follow PREP -> IMPLEMENT -> VERIFY pattern'],
    steps: [
      {
        id: 'phase-0-intelligent-triage',
        title: 'Phase 0: Intelligent Task Triage & Complexity Analysis',
        prompt: '**ANALYZE**: Evaluate the provided task for complexity indicators...',
        agentRole: 'You are a technical assessment specialist...',
        guidance: ['Be thorough in your analysis'],
        requireConfirmation: true,
      },
      ...Array.from({ length: 7 }, (_, index) => ({
        id: `phase-${index + 1}`,
        title: 'Later',
        prompt: 'Later.',
      })),
    ],
  };
  const { steps, ...head } = adaptive;

  test('get a workflow as metadata', async () => {
    expect(await ask([adaptive], 'workflow_get', { id: adaptive.id, mode: 'metadata' })).toEqual({
      ...head,
      totalSteps: 8,
    });
  });

  test.each([{ id: adaptive.id }, { id: adaptive.id, mode: 'preview' }])(
    'get a workflow by %j',
    async (params) => {
      expect(await ask([adaptive], 'workflow_get', params)).toEqual({
        ...head,
        totalSteps: 8,
        firstStep: steps[0],
      });
    },
  );

  test('get the next step', async () => {
    const criteria = [
      'Clear understanding of requirements',
      'Identified affected files',
      'Documented assumptions',
    ];
    const step = {
      ...understand,
      modelHint: 'model-with-strong-reasoning',
      validationCriteria: criteria.map((message) => ({ type: 'length', min: 1, message }) as const),
    };
    const params = {
      workflowId: 'ai-task-implementation',
      completedSteps: [],
      context: { taskId: 'TASK-123' },
    };
    expect(await ask([{ ...taskWorkflow, steps: [step] }], 'workflow_next', params)).toEqual({
      step: understand,
      guidance: {
        prompt: expect.stringContaining('Analyze the task description...'),
        modelHint: 'model-with-strong-reasoning',
        requiresConfirmation: true,
        validationCriteria: criteria,
      },
      isComplete: false,
    });
  });

  const passed = { valid: true, issues: [], suggestions: [] };
  const authorization: StepWorkflowDefinition = {
    id: 'auth-implementation',
    name: 'Authentication',
    description: 'Implement authentication.',
    steps: [
      {
        id: 'create-middleware',
        title: 'Middleware',
        prompt: 'Write it.',
        validationCriteria: {
          and: [
            { type: 'contains', value: 'middleware', message: 'Must be middleware' },
            {
              or: [
                { type: 'contains', value: 'JWT', message: 'Should use JWT' },
                { type: 'contains', value: 'session', message: 'Should use sessions' },
              ],
            },
          ],
        },
      },
      {
        id: 'implement-login',
        title: 'Login',
        prompt: 'Write it.',
        validationCriteria: [
          { type: 'regex', pattern: 'POST /auth/\\w+', message: 'Name the endpoint' },
          {
            type: 'contains',
            value: 'bcrypt',
            message: 'Hash passwords',
            condition: { var: 'security', equals: 'high' },
          },
        ],
      },
    ],
  };

  test.each([
    {
      stepId: 'create-middleware',
      output:
        'Created JWT authentication middleware that extracts tokens from Authorization header and returns 401 for invalid tokens.',
    },
    {
      stepId: 'implement-login',
      output:
        'Created POST /auth/login endpoint that accepts email and password, validates credentials against database using bcrypt, and returns JWT token with 24h expiration on success.',
      context: { security: 'high', environment: 'production' },
    },
  ])('accept a good output of $stepId', async (params) => {
    expect(
      await ask([authorization], 'workflow_validate', { workflowId: 'auth-implementation', ...params }),
    ).toEqual(passed);
  });

  const expert = { var: 'userExpertise', equals: 'expert' };
  const complex = {
    and: [
      { var: 'complexity', gte: 0.8 },
      { var: 'taskScope', equals: 'large' },
    ],
  };

  test.each([
    {
      stepId: 'implementation',
      output: 'Implemented basic feature functionality with standard patterns.',
      second: 'Complex tasks require optimization considerations',
      suggestion: 'Consider adding architectural patterns for expert-level implementation.',
    },
    {
      stepId: 'expert-implementation',
      output: 'Implemented feature using basic CRUD operations with standard MVC pattern.',
      second: 'Should include optimizations for complex features',
      suggestion:
        'Consider adding architectural patterns like Repository, Strategy, or Observer for expert-level implementation.',
    },
  ])(
    'check the output of $stepId depending on the context',
    async ({ stepId, output, second, suggestion }) => {
      const first = 'Expert implementation should use advanced patterns';
      const validationCriteria = [
        {
          type: 'regex',
          pattern: 'repository|strategy|observer',
          flags: 'i',
          message: first,
          condition: expert,
          suggestion,
        },
        { type: 'contains', value: 'optimiz', message: second, condition: complex, suggestion },
      ] as const;
      const definition = {
        id: 'adaptive-development',
        name: 'Adaptive',
        description: 'Adapts.',
        steps: [{ id: stepId, title: 't', prompt: 'p', validationCriteria }],
      };
      const context = { userExpertise: 'expert', complexity: 0.9, taskScope: 'large' };
      const params = { workflowId: 'adaptive-development', stepId, output, context };
      expect(await ask([definition], 'workflow_validate', params)).toEqual({
        valid: false,
        issues: [first, second],
        suggestions: ['Review validation criteria and adjust output accordingly.', suggestion],
      });
    },
  );

  test.each([
    '{"id":"test-workflow","name":"Test Workflow","description":"A simple test workflow","version":"1.0.0","steps":[{"id":"step1","title":"First Step","prompt":"Do something useful"}]}',
    '{"id":"sample-workflow","name":"Sample Workflow","description":"A workflow for demonstration","version":"1.0.0","steps":[{"id":"demo-step","title":"Demo Step","prompt":"Perform the demo action"}]}',
  ])('accept the valid definition %s', async (workflowJson) => {
    expect(await ask([], 'workflow_validate_json', { workflowJson })).toEqual(passed);
  });

  test('refuse a definition whose JSON is truncated', async () => {
    const workflowJson = '{"id":"test-workflow","name":"Test Workflow","description":"Missing closing brace"';
    expect(await ask([], 'workflow_validate_json', { workflowJson })).toEqual({
      valid: false,
      issues: [expect.stringMatching(/^JSON syntax error: .*line 1.*column \d+/)],
      suggestions: [expect.stringContaining('Check for missing closing braces, brackets, or quotes')],
    });
  });

  test.each([
    '{"id":"test-workflow","name":"Test Workflow"}',
    '{"id":"invalid-workflow","name":"Invalid Workflow"}',
  ])('refuse the incomplete definition %s', async (workflowJson) => {
    expect(await ask([], 'workflow_validate_json', { workflowJson })).toEqual({
      valid: false,
      issues: ["Missing required property 'description'", "Missing required property 'steps'"],
      suggestions: [
        "Add required 'description' field with a meaningful description",
        "Add required 'steps' array with at least one step object",
      ],
    });
  });

  test('refuse to get a workflow that does not exist', async () => {
    expect(await ask([], 'workflow_get', { id: 'non-existent-workflow' })).toEqual({
      code: -32001,
      message: 'Workflow not found',
      data: { workflowId: 'non-existent-workflow' },
    });
  });
});
