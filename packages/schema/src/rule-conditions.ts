import type { ConditionSource, Criteria } from './step-workflow.ts';

/** A condition as its author wrote it, and where it stands. */
export interface PlacedCondition {
  readonly source: ConditionSource;
  /** JSON pointer in what was walked: a step, an activity, or of a walk over a workflow the file. */
  readonly pointer: string;
}

/** The condition at a place where there may be none. */
export function* conditionAt(
  source: ConditionSource | undefined,
  pointer: string,
): Generator<PlacedCondition> {
  if (source !== undefined) yield { source, pointer };
}

/** The conditions of the rules of criteria, at any depth. */
export function* ruleConditions(criteria: Criteria | undefined, pointer: string): Generator<PlacedCondition> {
  if (criteria === undefined || typeof criteria === 'string') return;
  if ('type' in criteria) return yield* conditionAt(criteria.condition, `${pointer}/condition`);
  for (const [key, member] of Object.entries(criteria) as readonly [string, Criteria][]) {
    if (!key.startsWith('x-')) yield* ruleConditions(member, `${pointer}/${key}`);
  }
}
