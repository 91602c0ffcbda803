import activityWorkflow from '../schemas/activity-workflow.schema.json' with { type: 'json' };
import activity from '../schemas/activity.schema.json' with { type: 'json' };
import checks from '../schemas/checks.schema.json' with { type: 'json' };
import resource from '../schemas/resource.schema.json' with { type: 'json' };
import skill from '../schemas/skill.schema.json' with { type: 'json' };
import stepWorkflow from '../schemas/step-workflow.schema.json' with { type: 'json' };
import workflowTest from '../schemas/workflow-test.schema.json' with { type: 'json' };
import type { JsonObject } from './json.ts';

/** The published JSON Schemas (2020-12). The files are `@workflowlookup/schema/schemas/<name>.schema.json`. */
export const jsonSchemas: Readonly<
  Record<
    'activity' | 'activity-workflow' | 'checks' | 'resource' | 'skill' | 'step-workflow' | 'workflow-test',
    JsonObject
  >
> = {
  'step-workflow': stepWorkflow,
  'activity-workflow': activityWorkflow,
  activity,
  skill,
  resource,
  'workflow-test': workflowTest,
  checks,
};
