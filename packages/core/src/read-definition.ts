import { checkConditions, namesInCondition } from '@workflowlookup/conditions';
import type { DefinitionReader } from '@workflowlookup/schema';
import { createReader } from '@workflowlookup/schema';
import { checkCriteria } from '@workflowlookup/validation';

/** Reads a definition with every check there is: shape, references, conditions, criteria. What an engine serves was read by it. */
export const readDefinition: DefinitionReader = createReader({
  checks: [checkConditions, checkCriteria],
  variablesOf: namesInCondition,
});
