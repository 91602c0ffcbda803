export { explore } from './exploration/explore.ts';
export type { ExploreOptions } from './exploration/explore.ts';
export type {
  BranchOutcome,
  Coverage,
  Exploration,
  ExplorationCode,
  ExplorationFinding,
} from './exploration/explore.ts';
export { createWorkflowTests } from './workflow-tests.ts';
export type { WorkflowTestRunner } from './workflow-tests.ts';
export type { RefusedOutput, TestRun, TestResult } from './workflow-tests.ts';

export { dryRun } from './dry-run.ts';
export type { AnsweredQuestion, ConsideredTarget, DryRunStep, DryRun, DryRunOptions } from './dry-run.ts';

export { tryWorkflow } from './trial.ts';
export type { Trial, TrialAction, TrialPosition, TrialRequest, TrialStep } from './trial.ts';
