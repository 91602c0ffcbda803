import type { Workflow } from '@workflowlookup/schema';

/** A workflow as its author wrote it, whole: of an activity workflow also its name, and its activities in order. */
export function wholeDefinition(workflow: Workflow): object {
  const { definition } = workflow;
  if (workflow.kind === 'steps') return definition;
  const { title, description = '' } = workflow.definition;
  const activities = workflow.activities.map((part) => part.definition);
  return { ...definition, name: title, description, activities };
}
