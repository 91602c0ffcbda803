import type { ActivityWorkflow } from './activity-workflow.ts';
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
export type Workflow = ActivityWorkflow | StepWorkflow;

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
export function summarize(workflow: Workflow): WorkflowSummary {
  const { id } = workflow;
  if (workflow.kind === 'activities') {
    const { title, description = '', version, tags = [] } = workflow.definition;
    return { id, name: title, description, category: 'default', version, tags };
  }
  const { name, description, category = 'default', version = '0.0.0', tags = [] } = workflow.definition;
  return { id, name, description, category, version, tags };
}
