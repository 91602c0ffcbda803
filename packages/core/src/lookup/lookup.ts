import type { Context } from '@workflowlookup/conditions';
import type {
  ActivityVariable,
  Criteria,
  Enforcement,
  Field,
  PromptStep,
  VariableDeclaration,
} from '@workflowlookup/schema';
import { walkSteps, WorkflowError, didYouMean } from '@workflowlookup/schema';
import { partMessages } from '../messages/lookup.ts';
import type { CompiledWorkflow } from '../steps/compile-workflow.ts';
import type { LoopPosition, NextStep, UndecidedStep } from '../steps/next-step.ts';
import { nextStep, describeStuck } from '../steps/next-step.ts';
import { readProgress, findInstances } from '../steps/progress.ts';
import type { Guidance, StepView } from './guidance.ts';
import { composeEnd, composeInstructions } from './guidance.ts';

/** The position of a caller in a workflow. */
export interface NextRequest {
  readonly workflowId: string;
  /** The step that the caller is on. An id that the workflow does not have is refused with `STEP_NOT_FOUND`. */
  readonly currentStep?: string;
  /** The ids of all steps done so far; in a loop `loop@0::step`. */
  readonly completedSteps: readonly string[];
  /** The variables that conditions read and texts show. */
  readonly context?: Context;
}

/** The next step; `step` is null exactly when `isComplete`. */
export interface NextReply {
  /** What to do next; `null` if the workflow is complete. */
  readonly step: StepView | null;
  /** The instructions for the agent. */
  readonly guidance: Guidance;
  readonly isComplete: boolean;
  /** Set while the step is in a loop. */
  readonly loop?: LoopPosition;
  /** Problems of the request that did not prevent an answer, such as an unknown step id. */
  readonly warnings?: readonly string[];
  /** Steps that were skipped only because variables were not set. */
  readonly undecided?: readonly UndecidedStep[];
}

/** A step as its author wrote it, as far as an output is judged by it. */
export interface JudgedStep {
  readonly validationCriteria?: Criteria;
  readonly fields?: readonly Field[];
}

/** The lookup tools of one workflow: the differences between the two kinds of workflow. Pure. */
export interface Lookup {
  /** Returns the workflow's metadata without its steps. */
  metadata(): Metadata;
  /** Metadata and the first step. */
  preview(): Preview;
  /** The next step. @throws WorkflowError STEP_NOT_FOUND, INVALID_STATE, INVALID_WORKFLOW */
  next(request: NextRequest): NextReply;
  /** The step an id means; the same object each time. @throws WorkflowError STEP_NOT_FOUND */
  step(stepId: string): JudgedStep;
  /** Returns the variables that rules and conditions read from a caller's context. */
  variables(context: Context): Context;
}

/** The metadata of a workflow before it is started. */
export interface Metadata {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  /** What must be true before the workflow is started. */
  readonly preconditions?: readonly string[];
  /** Questions to put to the user before the first step. */
  readonly clarificationPrompts?: readonly string[];
  /** Advice that applies to every step. */
  readonly metaGuidance?: readonly string[];
  /** The variables that the workflow declares. */
  readonly variables?: readonly (ActivityVariable | VariableDeclaration)[];
  readonly enforcement?: Enforcement;
  /** Authored steps, loop bodies counted once, loops themselves not; of an activity workflow its activities. */
  readonly totalSteps: number;
}

/** Metadata with the first step for an empty context, as its author wrote it; `null` if no step is eligible. */
export interface Preview extends Metadata {
  /** `null` if no step is eligible for an empty context. */
  readonly firstStep: PromptStep | null;
}

/** Returns the metadata of a step workflow without its steps. */
function metadataOf({ workflow: { definition } }: CompiledWorkflow): Metadata {
  const { id, name, description, version = '0.0.0' } = definition;
  const { category, tags, preconditions, clarificationPrompts, metaGuidance, variables, enforcement } =
    definition;
  const optional = {
    category,
    tags,
    preconditions,
    clarificationPrompts,
    metaGuidance,
    variables,
    enforcement,
  };
  const present = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  const prompts = [...walkSteps(definition.steps)].filter(({ step }) => step.type !== 'loop');
  return { id, name, description, version, ...present, totalSteps: prompts.length };
}

/** Metadata and the first step. */
function previewOf(compiled: CompiledWorkflow): Preview {
  const first = nextStep(compiled, readProgress(compiled, []), {});
  const firstStep = first.kind === 'step' ? { ...first.node.step, id: first.instanceId } : null;
  return { ...metadataOf(compiled), firstStep };
}

/**
 * The lookup tools on a step workflow.
 *
 * @see docs/tools.md#workflow_next
 */
export function stepLookup(compiled: CompiledWorkflow): Lookup {
  return {
    metadata: () => metadataOf(compiled),
    preview: () => previewOf(compiled),
    next: (request) => answer(compiled, request),
    step: (stepId) => findStep(compiled, stepId),
    variables: (context) => context,
  };
}

function findStep(workflow: CompiledWorkflow, stepId: string): PromptStep {
  const node = findInstances(workflow, stepId)[0]?.standing.node;
  if (node?.kind === 'step') return node.step;
  throw stepNotFound(workflow, stepId);
}

function stepNotFound({ workflow, standings }: CompiledWorkflow, stepId: string): WorkflowError {
  const nearest = didYouMean(stepId, [...standings.keys()]);
  return new WorkflowError('STEP_NOT_FOUND', partMessages.noStep(workflow.id, 'step', stepId, nearest), {
    data: { stepId },
  });
}

function answer(
  compiled: CompiledWorkflow,
  { currentStep, completedSteps, context = {} }: NextRequest,
): NextReply {
  if (currentStep !== undefined && findInstances(compiled, currentStep).length === 0)
    throw stepNotFound(compiled, currentStep);
  const progress = readProgress(compiled, completedSteps);
  const next = nextStep(compiled, progress, context);
  const warnings = next.warnings.length === 0 ? {} : { warnings: next.warnings };
  switch (next.kind) {
    case 'step': {
      const handout = composeInstructions(next, compiled.workflow.definition, {
        isFirst: progress.done.size === 0,
      });
      return {
        ...handout,
        isComplete: false,
        ...(next.loop === undefined ? {} : { loop: next.loop }),
        ...warnings,
      };
    }
    case 'complete':
      return { ...endOf(next.undecided), ...warnings };
    case 'stuck':
    case 'exhausted':
      throw stuckLoop(next);
  }
}

function endOf(undecided: readonly UndecidedStep[]): NextReply {
  const guidance = { prompt: composeEnd(undecided) };
  return { step: null, guidance, isComplete: true, ...(undecided.length === 0 ? {} : { undecided }) };
}

function stuckLoop(next: Extract<NextStep, { kind: 'stuck' | 'exhausted' }>): WorkflowError {
  const variable = next.kind === 'stuck' ? { variable: next.bound.variable } : {};
  return new WorkflowError('INVALID_STATE', describeStuck(next), {
    data: { loopId: next.loopId, ...variable },
  });
}
