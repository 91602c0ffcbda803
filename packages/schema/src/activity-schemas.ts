import activityWorkflow from '../schemas/activity-workflow.schema.json' with { type: 'json' };
import activity from '../schemas/activity.schema.json' with { type: 'json' };
import resource from '../schemas/resource.schema.json' with { type: 'json' };
import skill from '../schemas/skill.schema.json' with { type: 'json' };
import type { JsonObject } from './json.ts';

/** The schemas of the files an activity workflow is made of. */
export const activitySchemas: Readonly<
  Record<'activity' | 'activityWorkflow' | 'resource' | 'skill', JsonObject>
> = { activity, activityWorkflow, resource, skill };
