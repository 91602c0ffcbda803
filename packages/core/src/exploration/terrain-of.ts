import type { Workflow } from '@workflowlookup/schema';
import { activityTerrain } from './activity-terrain.ts';
import { stepTerrain } from './step-terrain.ts';
import type { Terrain } from './terrain.ts';

/** What exploration knows of a workflow of either kind. */
export function terrainOf(workflow: Workflow): Terrain {
  return workflow.kind === 'steps' ? stepTerrain(workflow) : activityTerrain(workflow);
}
