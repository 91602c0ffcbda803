import type { Finding, Meter, PlacedCondition, Step, StepWorkflowDefinition } from '@workflowlookup/schema';
import { conditionsOfStep, walkSteps } from '@workflowlookup/schema';
import { neverHolds } from './never-holds.ts';
import { parseCondition } from './parse-condition.ts';

/**
 * Finds every condition of a step workflow that can't be used (errors), and every step whose `runCondition` no
 * context can satisfy (warnings). Pointers lead into the document.
 */
export function checkConditions(definition: StepWorkflowDefinition, meter?: Meter): readonly Finding[] {
  return [...walkSteps(definition.steps)].flatMap(({ step, pointer }) => [
    ...[...conditionsOfStep(step)].flatMap((condition) => unusable(condition, pointer, meter)),
    ...neverRuns(step, `${pointer}/runCondition`, meter),
  ]);
}

function unusable(
  { source, pointer }: PlacedCondition,
  place: string,
  meter: Meter | undefined,
): readonly Finding[] {
  const parsed = parseCondition(source, meter);
  if (parsed.ok) return [];
  return parsed.issues.map((issue) => ({
    ...issue,
    severity: 'error',
    code: 'broken-condition',
    pointer: place + pointer + issue.pointer,
  }));
}

function neverRuns({ runCondition }: Step, pointer: string, meter: Meter | undefined): readonly Finding[] {
  const parsed = runCondition === undefined ? undefined : parseCondition(runCondition, meter);
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
