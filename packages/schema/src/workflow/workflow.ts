import { digestOf } from '../json.ts';
import type { ActivityWorkflow } from './activity-workflow.ts';
import type { StepWorkflowDefinition } from './step-workflow.ts';

/** A step workflow after reading and checking. It never changes. */
export interface StepWorkflow {
  readonly kind: 'steps';
  readonly id: string;
  /** `sha256:` and 64 hex digits over the canonical JSON (RFC 8785) of the definition. */
  readonly digest: string;
  readonly definition: StepWorkflowDefinition;
}

/** Any workflow that the engine can run. */
export type Workflow = ActivityWorkflow | StepWorkflow;

/** A workflow as lists show it. */
export interface WorkflowSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly version: string;
  readonly tags: readonly string[];
}

/** Returns the summary of a workflow, with defaults for missing fields. */
export function summarize(workflow: Workflow): WorkflowSummary {
  const { id } = workflow;
  if (workflow.kind === 'activities') {
    const { title, description = '', version, tags = [] } = workflow.definition;
    return { id, name: title, description, category: 'default', version, tags };
  }
  const { name, description, category = 'default', version = '0.0.0', tags = [] } = workflow.definition;
  return { id, name, description, category, version, tags };
}

/**
 * Tells whether a text is a well-formed workflow id: 3 to 64 lowercase letters, digits and dashes, with at most one
 * namespace before a dot.
 */
export function isWorkflowId(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text.length >= 3 &&
    text.length <= 64 &&
    /^[a-z0-9-]+(\.[a-z0-9-]+)?$/.test(text)
  );
}

/** Returns the digest of the parts of a workflow. It doesn't depend on their notation. */
export function activityDigest({
  definition,
  activities,
  skills,
  resources,
}: Pick<ActivityWorkflow, 'activities' | 'definition' | 'resources' | 'skills'>): string {
  return digestOf({
    definition: { ...content(definition), activities: undefined },
    activities: activities.map((part) => ({
      index: part.index,
      lender: part.lender,
      definition: content(part.definition),
    })),
    skills: skills.map((part) => ({ index: part.index, definition: content(part.definition) })),
    resources: resources.map(({ index, id, name, version, value, body }) => ({
      index,
      id,
      name,
      version,
      content: value ?? body,
    })),
  });
}

/** Computes the digest of a workflow from its content. */
export function digestOfWorkflow(workflow: Workflow): string {
  return workflow.kind === 'steps' ? digestOf(workflow.definition) : activityDigest(workflow);
}

/** Removes the schema that a file names for editors. */
function content(value: object): object {
  return { ...value, $schema: undefined };
}
