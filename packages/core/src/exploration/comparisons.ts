import type { Comparison, Condition } from '@workflowlookup/conditions';

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

/** The names of the variables that conditions read. */
export function namesRead(conditions: Iterable<{ readonly condition: Condition }>): readonly string[] {
  return [...conditions].flatMap(({ condition }) =>
    comparisonsIn(condition).map(({ variable }) => variable.name),
  );
}
