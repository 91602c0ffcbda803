import type { ActivityWorkflow } from '@workflowlookup/schema';
import { initialActivityOf, WorkflowError } from '@workflowlookup/schema';
import type { Lookup } from './lookup.ts';
import type { Metadata } from './overview.ts';

/** The lookup tools on an activity workflow. */
export function activityLookup(workflow: ActivityWorkflow): Lookup {
  const refuse = (): never => {
    throw new WorkflowError('INVALID_WORKFLOW', `Workflow '${workflow.id}' can't be walked yet.`);
  };
  return {
    metadata: () => metadataOf(workflow),
    preview: () => ({ ...metadataOf(workflow), firstStep: firstStepOf(workflow) }),
    next: refuse,
    step: refuse,
    variables: (context) => context,
  };
}

function metadataOf({ id, definition, activities }: ActivityWorkflow): Metadata {
  const { title, description = '', version, tags, variables, enforcement } = definition;
  return {
    id,
    name: title,
    description,
    version,
    ...(tags !== undefined && { tags }),
    ...(variables !== undefined && { variables }),
    ...(enforcement !== undefined && { enforcement }),
    totalSteps: activities.length,
  };
}

function firstStepOf(workflow: ActivityWorkflow) {
  const id = initialActivityOf(workflow);
  const first = workflow.activities.find((part) => part.id === id)?.definition;
  return first === undefined ? null : { id: first.id, title: first.name, prompt: first.description ?? '' };
}
