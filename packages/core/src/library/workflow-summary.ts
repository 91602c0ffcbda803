import type { ActivityVariable, ActivityWorkflow } from '@workflowlookup/schema';
import { initialActivityOf } from '@workflowlookup/schema';

/** What is told of an activity before it is entered. */
export interface ActivityStub {
  readonly id: string;
  readonly name: string;
  /** Whether it must have been visited before the end. */
  readonly required: boolean;
}

/** An activity workflow without what its activities say. */
export interface ActivityWorkflowSummary {
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly description?: string;
  readonly rules?: readonly string[];
  readonly variables?: readonly ActivityVariable[];
  readonly initialActivity?: string;
  readonly activities: readonly ActivityStub[];
}

/** The summary of an activity workflow, for whoever leads the work. */
export function workflowSummary(workflow: ActivityWorkflow): ActivityWorkflowSummary {
  const { id, version, title, description, rules, variables } = workflow.definition;
  const initialActivity = initialActivityOf(workflow);
  return {
    id,
    version,
    title,
    ...(description !== undefined && { description }),
    ...(rules !== undefined && { rules }),
    ...(variables !== undefined && { variables }),
    ...(initialActivity !== undefined && { initialActivity }),
    activities: workflow.activities.map((part) => ({
      id: part.id,
      name: part.definition.name,
      required: part.definition.required === true,
    })),
  };
}
