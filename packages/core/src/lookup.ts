import type { Context } from '@workflowlookup/conditions';
import type { Criteria } from '@workflowlookup/schema';
import type { Guidance, StepView } from './guidance.ts';
import type { LoopPosition, UndecidedStep } from './next-step.ts';
import type { Metadata, Preview } from './overview.ts';

/** Where a caller stands in a workflow. */
export interface NextRequest {
  readonly workflowId: string;
  readonly currentStep?: string;
  readonly completedSteps: readonly string[];
  readonly context?: Context;
}

/** What to do next; `step` is null exactly when `isComplete`. */
export interface NextReply {
  readonly step: StepView | null;
  readonly guidance: Guidance;
  readonly isComplete: boolean;
  readonly loop?: LoopPosition;
  readonly warnings?: readonly string[];
  readonly undecided?: readonly UndecidedStep[];
}

/** A step as its author wrote it, as far as an output is judged by it. */
export interface JudgedStep {
  readonly validationCriteria?: Criteria;
}

/** What the lookup tools say of one workflow: where the two kinds of workflow differ for them. Pure. */
export interface Lookup {
  /** What the workflow tells of itself without its steps. */
  metadata(): Metadata;
  /** Metadata and the first step. */
  preview(): Preview;
  /** The next step. @throws WorkflowError STEP_NOT_FOUND, STATE, INVALID_WORKFLOW */
  next(request: NextRequest): NextReply;
  /** The step an id means; the same object each time. @throws WorkflowError STEP_NOT_FOUND */
  step(stepId: string): JudgedStep;
  /** What rules and conditions see of a caller's context. */
  variables(context: Context): Context;
}
