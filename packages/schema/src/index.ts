// A file whose exports are all public is exported as a whole.
export * from './commit-address.ts';
export * from './errors.ts';
export * from './json-schemas.ts';
export * from './readers/checks-and-tests.ts';
export * from './workflow/activity-workflow.ts';
export * from './workflow/outputs.ts';
export * from './workflow/step-workflow.ts';
export * from './workflow/walk.ts';
export { hiddenCharactersIn, hiddenPlaces, writeOutHidden } from './text/hidden-characters.ts';
export type { HiddenCharacter, HiddenPlace } from './text/hidden-characters.ts';
export type { VariablesOf } from './lint/variable-uses.ts';
export { createFolderReader } from './readers/folder-reader.ts';
export * from './readers/definition-reader.ts';
export { didYouMean, findingCodes, applyEdits } from './findings/finding.ts';
export {
  toPointer,
  isJsonObject,
  canonicalJson,
  defined,
  digestOf,
  groupBy,
  hasMoreValues,
  isNestedDeeper,
  parseJson,
  unlessEmpty,
} from './json.ts';
export { evidenceTexts } from './messages/evidence.ts';
export { encodeToon } from './text/toon-text.ts';
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
  maxNoteChars,
} from './limits.ts';
export type { Meter } from './limits.ts';
export type { Defined, Json, JsonObject } from './json.ts';
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
export { isWorkflowId, digestOfWorkflow, summarize } from './workflow/workflow.ts';
export type { StepWorkflow, Workflow, WorkflowSummary } from './workflow/workflow.ts';
