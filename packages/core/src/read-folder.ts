import { checkActivityConditions, namesInCondition } from '@workflowlookup/conditions';
import type { FolderReader } from '@workflowlookup/schema';
import { createFolderReader } from '@workflowlookup/schema';
import { checkActivityCriteria } from '@workflowlookup/validation';

/** Reads the folder of an activity workflow with every check there is, as `readDefinition` does a step workflow. */
export const readWorkflowFolder: FolderReader = createFolderReader({
  checks: [checkActivityConditions, checkActivityCriteria],
  variablesOf: namesInCondition,
});
