export { initialActivityOf, reservedTargets } from './workflow/activity-workflow.ts';
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
  Operation,
  Skill,
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
} from './workflow/activity-workflow.ts';
export { hiddenCharactersIn, hiddenPlaces, writeOutHidden } from './text/hidden-characters.ts';
export type { HiddenCharacter, HiddenPlace } from './text/hidden-characters.ts';
export { fieldsIn, evidenceKind, evidenceLevels } from './workflow/outputs.ts';
export type {
  Field,
  FieldMap,
  FieldsOfStep,
  FieldType,
  InnerField,
  ChangesEvidence,
  CheckEvidence,
  Evidence,
  EvidenceBase,
  EvidenceKind,
  EvidenceLevel,
  FileEvidence,
  GitEvidence,
} from './workflow/outputs.ts';
export type { VariablesOf } from './lint/check-activity-variables.ts';
export { createFolderReader } from './readers/folder-reader.ts';
export { createReader } from './readers/definition-reader.ts';
export type {
  ReaderOptions,
  DefinitionCheck,
  DefinitionReader,
  DefinitionText,
  Reading,
} from './readers/definition-reader.ts';
export { didYouMean, findingCodes, applyEdits } from './findings/finding.ts';
export { toPointer, isJsonObject, canonicalJson, digestOf, hasMoreValues } from './json.ts';
export { evidenceTexts } from './messages/evidence.ts';
export { commitAddress, repositoryAddress } from './commit-address.ts';
export { encodeToon } from './text/toon-text.ts';
export { errorCodes, errorHelp, idInCommand, isStoreFailure, trustCommand, WorkflowError } from './errors.ts';
export type { ErrorCode, WorkflowErrorOptions } from './errors.ts';
export type { FileFinding } from './findings/collect-findings.ts';
export { createPositions, readValue } from './text/parse-text.ts';
export type { Position } from './text/parsed-text.ts';
export type { FindingCode, Finding, Issue, Severity, Repair, TextEdit } from './findings/finding.ts';
export type {
  FolderCheck,
  FolderContext,
  FolderReader,
  FolderReaderOptions,
  FolderReading,
  Folder,
} from './readers/folder.ts';
export type { NotatedText, ValueReading } from './text/parse-text.ts';
export {
  Exhausted,
  maxReadingSteps,
  outOf,
  spend,
  TooLongHere,
  maxDefinitionBytes,
  maxDefinitionValues,
  maxDepth,
} from './limits.ts';
export type { Meter } from './limits.ts';
export { jsonSchemas } from './json-schemas.ts';
export type { Json, JsonObject } from './json.ts';
export { readChecks, readWorkflowTests } from './readers/checks-and-tests.ts';
export type {
  Check,
  Checks,
  ChecksReading,
  Report,
  TestsReading,
  EachTime,
  Expectation,
  ExpectedRefusal,
  WorkflowTest,
  WorkflowTests,
} from './readers/checks-and-tests.ts';
export {
  findElement,
  findResource,
  findSkill,
  isSharedResource,
  parseOperationReference,
  parseResourceReference,
  parseSkillReference,
} from './workflow/references.ts';
export type {
  OperationReference,
  ResourceReference,
  SkillElement,
  SkillReference,
} from './workflow/references.ts';
export type {
  PlacedCondition,
  WalkedAction,
  WalkedActivityStep,
  WalkedCondition,
  WalkedStep,
} from './workflow/walk.ts';
export {
  conditionsOfOutcomes,
  conditionsOfStep,
  conditionsOf,
  walkActions,
  walkActivitySteps,
  walkConditions,
  walkSteps,
} from './workflow/walk.ts';
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
  SessionOutcome,
  SessionTexts,
  RuleBase,
  SchemaRule,
  Step,
  StepWorkflowDefinition,
  VariableDeclaration,
  VariableSetters,
  VariableType,
} from './workflow/step-workflow.ts';
export { isWorkflowId, digestOfWorkflow, summarize } from './workflow/workflow.ts';
export type { StepWorkflow, Workflow, WorkflowSummary } from './workflow/workflow.ts';
