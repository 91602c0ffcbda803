import type { Criteria, Finding, Step, StepWorkflowDefinition } from '@workflowlookup/schema';
import { walkSteps } from '@workflowlookup/schema';
import { neverHolds } from './never-holds.ts';
import { parseCondition } from './parse-condition.ts';

/**
 * Finds every condition of a step workflow that can't be used (errors), and every step whose `runCondition` no
 * context can satisfy (warnings). Pointers lead into the document.
 */
export function checkConditions(definition: StepWorkflowDefinition): readonly Finding[] {
  return [...walkSteps(definition.steps)].flatMap(({ step, pointer }) => [
    ...conditionsOf(step, pointer).flatMap(unusable),
    ...neverRuns(step, `${pointer}/runCondition`),
  ]);
}

interface Placed {
  readonly source: unknown;
  readonly pointer: string;
}

function unusable({ source, pointer }: Placed): readonly Finding[] {
  const parsed = parseCondition(source);
  if (parsed.ok) return [];
  return parsed.issues.map((issue) => ({
    ...issue,
    severity: 'error',
    code: 'broken-condition',
    pointer: pointer + issue.pointer,
  }));
}

function neverRuns({ runCondition }: Step, pointer: string): readonly Finding[] {
  const parsed = runCondition === undefined ? undefined : parseCondition(runCondition);
  if (!parsed?.ok || !neverHolds(parsed.condition)) return [];
  const message = 'No context can satisfy this condition: a step that can never run.';
  return [
    {
      severity: 'warning',
      code: 'never-holds',
      pointer,
      message,
      suggestion: 'Correct the condition, or remove the step.',
    },
  ];
}

function conditionsOf(step: Step, pointer: string): readonly Placed[] {
  const found: Placed[] = [];
  if (step.runCondition !== undefined)
    found.push({ source: step.runCondition, pointer: `${pointer}/runCondition` });
  if (step.type === 'loop') {
    const { condition } = step.loop;
    return condition === undefined
      ? found
      : [...found, { source: condition, pointer: `${pointer}/loop/condition` }];
  }
  const { requireConfirmation, validationCriteria } = step;
  if (requireConfirmation !== undefined && typeof requireConfirmation !== 'boolean') {
    found.push({ source: requireConfirmation, pointer: `${pointer}/requireConfirmation` });
  }
  return [...found, ...ruleConditions(validationCriteria, `${pointer}/validationCriteria`)];
}

function ruleConditions(criteria: Criteria | undefined, pointer: string): readonly Placed[] {
  if (criteria === undefined || typeof criteria === 'string') return [];
  if ('type' in criteria) {
    return criteria.condition === undefined
      ? []
      : [{ source: criteria.condition, pointer: `${pointer}/condition` }];
  }
  if ('and' in criteria) return ruleConditions(criteria.and, `${pointer}/and`);
  if ('or' in criteria) return ruleConditions(criteria.or, `${pointer}/or`);
  if ('not' in criteria) return ruleConditions(criteria.not, `${pointer}/not`);
  return criteria.flatMap((member, at) => ruleConditions(member, `${pointer}/${at}`));
}
