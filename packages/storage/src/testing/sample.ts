import type { StepWorkflowDefinition } from '@workflowlookup/schema';

/** A small definition; `more` goes over its fields. */
export function sample(id: string, more: Partial<StepWorkflowDefinition> = {}): StepWorkflowDefinition {
  return {
    id,
    name: `Name of ${id}`,
    description: `What ${id} is for.`,
    version: '1.0.0',
    steps: [{ id: 'step-1', title: 'First', prompt: 'Do it.' }],
    ...more,
  };
}
