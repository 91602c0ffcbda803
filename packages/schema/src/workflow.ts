import type { StepWorkflowDefinition } from './step-workflow.ts';

/** A definition that was read, checked and pinned. Never changed once made. */
export interface StepWorkflow {
  readonly kind: 'steps';
  readonly id: string;
  /** `sha256:` and 64 hex digits over the canonical JSON (RFC 8785) of the definition. */
  readonly digest: string;
  readonly definition: StepWorkflowDefinition;
}

/** Every kind of workflow the engine can run. */
export type Workflow = StepWorkflow;

/** What a list shows of a workflow. */
export interface WorkflowSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly version: string;
  readonly tags: readonly string[];
}

/** The summary of a workflow, with the defaults of what its author left out. */
export function summarize({ id, definition }: Workflow): WorkflowSummary {
  return {
    id,
    name: definition.name,
    description: definition.description,
    category: definition.category ?? 'default',
    version: definition.version ?? '0.0.0',
    tags: definition.tags ?? [],
  };
}
