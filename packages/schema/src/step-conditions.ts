import type { PlacedCondition } from './rule-conditions.ts';
import { conditionAt, ruleConditions } from './rule-conditions.ts';
import type { Step } from './step-workflow.ts';

/** Every condition of a step of a step workflow, those of validation criteria included; of a loop without its body. */
export function* conditionsOfStep(step: Step): Generator<PlacedCondition> {
  yield* conditionAt(step.runCondition, '/runCondition');
  if (step.type === 'loop') return yield* conditionAt(step.loop.condition, '/loop/condition');
  const { requireConfirmation, validationCriteria } = step;
  if (typeof requireConfirmation !== 'boolean') {
    yield* conditionAt(requireConfirmation, '/requireConfirmation');
  }
  yield* ruleConditions(validationCriteria, '/validationCriteria');
}
