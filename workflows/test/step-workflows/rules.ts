import type { Criteria, Rule, StepWorkflowDefinition } from '@workflowlookup/schema';
import { walkSteps } from '@workflowlookup/schema';

/** Returns the criteria of every step that has any, by step id. */
export function criteriaOf(definition: StepWorkflowDefinition): ReadonlyMap<string, Criteria> {
  return new Map(
    [...walkSteps(definition.steps)].flatMap(({ step }) =>
      step.type === 'loop' || step.validationCriteria === undefined
        ? []
        : [[step.id, step.validationCriteria]],
    ),
  );
}

/** Returns all rules in criteria, also those that are combined with `and`, `or` or `not`. */
export function rulesIn(criteria: Criteria): readonly Rule[] {
  if (typeof criteria === 'string') return [];
  if ('type' in criteria) return [criteria];
  if ('and' in criteria) return criteria.and.flatMap(rulesIn);
  if ('or' in criteria) return criteria.or.flatMap(rulesIn);
  if ('not' in criteria) return rulesIn(criteria.not);
  return criteria.flatMap(rulesIn);
}
