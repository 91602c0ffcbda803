export { joinSections, toToon, wholeDefinition } from '@workflowlookup/core';
export { WorkflowError } from '@workflowlookup/schema';
