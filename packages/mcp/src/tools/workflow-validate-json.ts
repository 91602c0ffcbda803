import { input, verdictSchema } from './fragments.ts';
import { defineLookupTool, lookupAnnotations } from './tool.ts';

interface Args {
  readonly workflowJson: string;
}

/** `workflow_validate_json`: is this text a workflow that can be served. */
export const workflowValidateJson = defineLookupTool<Args>({
  name: 'workflow_validate_json',
  title: 'Validate a workflow',
  description: 'Checks the JSON text of a workflow you wrote: syntax, schema, conditions and criteria.',
  inputSchema: input(
    { workflowJson: { type: 'string', description: 'The whole workflow as JSON text', minLength: 1 } },
    ['workflowJson'],
  ),
  outputSchema: verdictSchema,
  annotations: lookupAnnotations,
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
  run: (engine, { workflowJson }) => engine.validateDefinition(workflowJson),
});
