import type { ActivityWorkflow } from '@workflowlookup/schema';
import type { Metadata } from '../overview.ts';

/** What an activity workflow tells of itself without its activities. */
export function activityMetadata({ id, definition, activities }: ActivityWorkflow): Metadata {
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
