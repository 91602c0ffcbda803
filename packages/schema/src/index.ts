export { initialActivityOf } from './activity-workflow.ts';
export type {
  ActivityPart,
  ActivityVariable,
  ActivityWorkflow,
  ActivityWorkflowDefinition,
  ArtifactLocation,
  BrokenPart,
  Mode,
  PartBase,
  PartFormat,
  ResourcePart,
  SkillPart,
} from './activity-workflow.ts';
export { hiddenCharactersIn, hiddenPlaces, writeOutHidden } from './hidden-characters.ts';
export type { HiddenCharacter, HiddenPlace } from './hidden-characters.ts';
export { reservedTargets } from './activity.ts';
export type {
  Action,
  Activity,
  ActivityLoop,
  ActivityStep,
  Artifact,
  Branch,
  Checkpoint,
  CheckpointOption,
  Decision,
  Effect,
  SkillNames,
  Transition,
  Trigger,
} from './activity.ts';
export type { VariablesOf } from './check-variables.ts';
export { createFolderReader } from './create-folder-reader.ts';
export { createReader } from './create-reader.ts';
export type { ReaderOptions } from './create-reader.ts';
export { didYouMean } from './did-you-mean.ts';
export { canonicalJson, digestOf } from './digest.ts';
export { encodeToon } from './encode-toon.ts';
export { errorCodes, errorHelp, trustCommand, WorkflowError } from './errors.ts';
export type { ErrorCode, WorkflowErrorOptions } from './errors.ts';
export type { FileFinding } from './file-finding.ts';
export { createPositions, findPosition } from './find-position.ts';
export type { Position } from './text-position.ts';
export { findingCodes } from './finding-codes.ts';
export type { FindingCode } from './finding-codes.ts';
export type {
  FolderCheck,
  FolderContext,
  FolderReader,
  FolderReaderOptions,
  FolderReading,
} from './folder-reading.ts';
export type { Folder, PartKind } from './folder.ts';
export type { Finding, Issue, Severity } from './issue.ts';
export type { NotatedText } from './parse-text.ts';
export { hasMoreValues } from './has-more-values.ts';
export { Exhausted, maxReadingSteps, outOf, spend, TooLongHere } from './meter.ts';
export type { Meter } from './meter.ts';
export { readValue } from './read-value.ts';
export type { ValueReading } from './read-value.ts';
export type { Repair } from './repair.ts';
export { applyEdits } from './text-edit.ts';
export type { TextEdit } from './text-edit.ts';
export { toPointer } from './json-pointer.ts';
export { jsonSchemas } from './json-schemas.ts';
export { isJsonObject } from './json.ts';
export type { Json, JsonObject } from './json.ts';
export { longPromptLength, maxDefinitionBytes, maxDefinitionValues, maxDepth, maxIssues } from './limits.ts';
export { readWorkflowTests } from './read-workflow-tests.ts';
export type { TestsReading } from './read-workflow-tests.ts';
export type { DefinitionCheck, DefinitionReader, DefinitionText, Reading } from './reading.ts';
export {
  findElement,
  findResource,
  findSkill,
  isSharedResource,
  parseOperationReference,
  parseResourceReference,
  parseSkillReference,
} from './references.ts';
export type { OperationReference, ResourceReference, SkillElement, SkillReference } from './references.ts';
export type { PlacedCondition } from './rule-conditions.ts';
export type { Operation, Skill } from './skill.ts';
export { conditionsOfStep } from './step-conditions.ts';
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
  VariableSetters,
  VariableType,
} from './step-workflow.ts';
export { conditionsOf, walkActions, walkActivitySteps, walkConditions } from './walk-activity.ts';
export type { WalkedAction, WalkedActivityStep, WalkedCondition } from './walk-activity.ts';
export { walkSteps } from './walk-steps.ts';
export type { WalkedStep } from './walk-steps.ts';
export { idInCommand } from './id-in-command.ts';
export { isWorkflowId } from './workflow-id.ts';
export { digestOfWorkflow } from './workflow-digest.ts';
export { summarize } from './workflow.ts';
export type { StepWorkflow, Workflow, WorkflowSummary } from './workflow.ts';
export type { EachTime, Expectation, ExpectedRefusal, WorkflowTest, WorkflowTests } from './workflow-test.ts';
