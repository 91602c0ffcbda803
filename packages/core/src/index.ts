export { createWorkflows } from './embed/create-workflows.ts';
export type { Workflows, WorkflowsOptions } from './embed/create-workflows.ts';
export { defineWorkflow } from './embed/define-workflow.ts';
export type {
  DefinedWorkflow,
  StepWorkflowInput,
  ActivityWorkflowInput,
  ActivityInput,
  ActivityLoopInput,
  ActivityStepInput,
  CheckpointInput,
  CriteriaInput,
  CriteriaListInput,
  LoopStepInput,
  PromptStepInput,
  RuleInput,
  StepInput,
  StepIdOf,
  ActivityIdOf,
  CheckpointIdOf,
  OutputId,
} from './embed/define-workflow.ts';
export type {
  AnsweredBy,
  CurrentActivity,
  CurrentEvidence,
  CurrentStep,
  Refused,
  SessionResult,
  Submission,
  WaitingCheckpoint,
  WorkflowSession,
} from './embed/workflow-session.ts';
export { createEngine } from './engine.ts';
export type { Engine, EngineOptions, Listing, ListQuery, Page, ValidateRequest } from './engine.ts';
export type { Guidance, StepView, NextRequest, NextReply, Metadata, Preview } from './lookup/lookup.ts';
export { readDefinition, readWorkflowFolder } from './read-definition.ts';
export type { DefinitionVerdict } from './read-definition.ts';
export type { NextCall } from './session/status.ts';
export type { LoopPosition, UndecidedStep } from './navigation/next-step.ts';
export type { DefinitionProblem, UntrustedDefinition, WorkflowChange } from '@workflowlookup/storage';
