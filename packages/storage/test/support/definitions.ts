import type { StepWorkflow, StepWorkflowDefinition } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';

/** Makes a small definition. `more` overrides its fields. */
export function definition(id: string, more: Partial<StepWorkflowDefinition> = {}): StepWorkflowDefinition {
  const steps = [{ id: 'step-1', title: 'First', prompt: 'Do it.' }];
  return { id, name: `Name of ${id}`, description: 'd', version: '1.0.0', steps, ...more };
}

/** Returns a definition as a store serves it. */
export function workflow(body: StepWorkflowDefinition): StepWorkflow {
  return { kind: 'steps', id: body.id, digest: digestOf(body), definition: body };
}
