import type { Condition } from '@workflowlookup/conditions';
import { parseCondition } from '@workflowlookup/conditions';
import type { PlacedCondition } from '@workflowlookup/schema';

/** A condition ready to evaluate, and where it stands. */
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
