import type { PromptStep } from '@workflowlookup/schema';
import { WorkflowError, didYouMean } from '@workflowlookup/schema';
import type { CompiledWorkflow } from '../steps/compile-workflow.ts';
import type { NextStep, UndecidedStep } from '../steps/next-step.ts';
import { describeStuck, nextStep } from '../steps/next-step.ts';
import { findInstances, readProgress } from '../steps/progress.ts';
import { composeEnd, composeInstructions } from './guidance.ts';
import type { Lookup, NextReply, NextRequest } from './lookup.ts';
import { metadataOf, previewOf } from './lookup.ts';
import { partMessages } from '../messages/lookup.ts';

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
