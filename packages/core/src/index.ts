export type { ListQuery, Page } from './catalogue.ts';
export { compileWorkflow } from './compile-workflow.ts';
export type { CompiledWorkflow, LoopNode, Node, Standing, StepNode } from './compile-workflow.ts';
export type { DefinitionVerdict } from './definition-verdict.ts';
export { createEngine } from './engine.ts';
export type { Engine, EngineOptions, Listing, NextReply, NextRequest, ValidateRequest } from './engine.ts';
export type { Guidance, StepView } from './guidance.ts';
export type { BadBound } from './loop-rounds.ts';
export { nextStep } from './next-step.ts';
export type {
  LoopPosition,
  LoopStuck,
  NextStep,
  NothingLeft,
  StepFound,
  UndecidedStep,
} from './next-step.ts';
export type { Metadata, Preview } from './overview.ts';
export { readProgress } from './progress.ts';
export type { Progress } from './progress.ts';
export { readDefinition } from './read-definition.ts';
export type { DefinitionProblem, WorkflowChange } from '@workflowlookup/storage';
