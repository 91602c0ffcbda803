import stepWorkflow from '../schemas/step-workflow.schema.json' with { type: 'json' };
import workflowTest from '../schemas/workflow-test.schema.json' with { type: 'json' };
import { activitySchemas } from './activity-schemas.ts';
import type { JsonObject } from './json.ts';

/** The published JSON Schemas (2020-12) by what they describe; the files are `@workflowlookup/schema/schemas/<name>.schema.json`. */
export const jsonSchemas: Readonly<
  Record<
    'activity' | 'activity-workflow' | 'resource' | 'skill' | 'step-workflow' | 'workflow-test',
    JsonObject
  >
> = {
  'step-workflow': stepWorkflow,
  'activity-workflow': activitySchemas.activityWorkflow,
  activity: activitySchemas.activity,
  skill: activitySchemas.skill,
  resource: activitySchemas.resource,
  'workflow-test': workflowTest,
};
