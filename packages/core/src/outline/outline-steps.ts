import type { LoopSpec, PromptStep, Step } from '@workflowlookup/schema';
import { describeCriteria } from '@workflowlookup/validation';
import { conditionText, when } from './condition-text.ts';
import type { OutlinedStep } from './outline.ts';

/** The steps of a step workflow in short. */
export function outlineSteps(steps: readonly Step[]): readonly OutlinedStep[] {
  return steps.map((step) => {
    const { id, title, runCondition } = step;
    const common = { id, title, ...when(runCondition) };
    if (step.type !== 'loop') return { ...common, ...demandsOf(step) };
    const body = typeof step.body === 'string' ? step.body : outlineSteps(step.body);
    return { ...common, rounds: stepRounds(step.loop), body };
  });
}

function demandsOf({
  requireConfirmation,
  approver = 'any',
  validationCriteria,
}: PromptStep): Pick<OutlinedStep, 'confirmation' | 'criteria'> {
  const condition = typeof requireConfirmation === 'boolean' ? undefined : requireConfirmation;
  const isAsked = requireConfirmation !== undefined && requireConfirmation !== false;
  return {
    ...(isAsked && { confirmation: { approver, ...when(condition) } }),
    ...(validationCriteria !== undefined && { criteria: describeCriteria(validationCriteria) }),
  };
}

/** How often a loop of a step workflow goes round. */
export function stepRounds({ type, count, items, condition, itemVar, maxIterations }: LoopSpec): string {
  const most = `at most ${maxIterations} ${maxIterations === 1 ? 'round' : 'rounds'}`;
  if (type === 'for') return `${count} times, ${most}`;
  if (type === 'forEach') return `for each ${itemVar ?? 'currentItem'} of ${items}, ${most}`;
  return `${type} ${condition === undefined ? 'true' : conditionText(condition)}, ${most}`;
}
