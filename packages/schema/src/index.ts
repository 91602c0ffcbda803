export { createReader } from './create-reader.ts';
export type { ReaderOptions } from './create-reader.ts';
export { didYouMean } from './did-you-mean.ts';
export { canonicalJson, digestOf } from './digest.ts';
export { errorCodes, WorkflowError } from './errors.ts';
export type { ErrorCode, WorkflowErrorOptions } from './errors.ts';
export type { Finding, Issue, Severity } from './issue.ts';
export { jsonSchemas } from './json-schemas.ts';
export { isJsonObject } from './json.ts';
export type { Json, JsonObject } from './json.ts';
export { longPromptLength, maxDefinitionBytes, maxDefinitionValues, maxDepth, maxIssues } from './limits.ts';
export type { DefinitionCheck, DefinitionReader, DefinitionText, Reading } from './reading.ts';
export type {
  Approver,
  Composition,
  ConditionSource,
  ContainsRule,
  Criteria,
  Enforcement,
  LengthRule,
  LoopSpec,
  LoopStep,
  PromptStep,
  RegexRule,
  Rule,
  RuleBase,
  SchemaRule,
  Step,
  StepWorkflowDefinition,
  VariableDeclaration,
  VariableType,
} from './step-workflow.ts';
export { walkSteps } from './walk-steps.ts';
export type { WalkedStep } from './walk-steps.ts';
export { summarize } from './workflow.ts';
export type { StepWorkflow, Workflow, WorkflowSummary } from './workflow.ts';
