import type { Comparison, Condition } from '@workflowlookup/conditions';
import { parseCondition } from '@workflowlookup/conditions';
import type { PlacedCondition } from '@workflowlookup/schema';

export interface Clause {
  readonly condition: Condition;
  readonly pointer: string;
}

/** Conditions ready to evaluate; those that can't be used are left out. */
export function compileConditions(placed: Iterable<PlacedCondition>): readonly Clause[] {
  return [...placed].flatMap(({ source, pointer }) => {
    const parsed = parseCondition(source);
    return parsed.ok ? [{ condition: parsed.condition, pointer }] : [];
  });
}

/** Every test of a variable in a condition. */
export function comparisonsIn(condition: Condition): readonly Comparison[] {
  switch (condition.kind) {
    case 'constant':
      return [];
    case 'not':
      return comparisonsIn(condition.condition);
    case 'and':
    case 'or':
      return condition.conditions.flatMap(comparisonsIn);
    default:
      return [condition];
  }
}

export function namesRead(conditions: Iterable<{ readonly condition: Condition }>): readonly string[] {
  return [...conditions].flatMap(({ condition }) =>
    comparisonsIn(condition).map(({ variable }) => variable.name),
  );
}
