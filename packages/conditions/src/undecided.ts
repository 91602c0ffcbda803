import type { Condition, Context } from './condition.ts';
import { evaluate } from './evaluate.ts';
import { read } from './look-up.ts';
import { neverHolds } from './never-holds.ts';

/**
 * The variables that were never set and that keep a false condition from being settled: given values, they could
 * make it true. Empty when the condition is true, and when it stays false whatever they become.
 */
export function undecided(condition: Condition, context: Context): readonly string[] {
  if (evaluate(condition, context)) return [];
  // Mostly nothing is missing, which is found out long before a proof is.
  if (settled(condition, context) === false || neverHolds(condition)) return [];
  const names = new Set<string>();
  blame({ condition, context, wanted: true }, names);
  return [...names];
}

// Kleene's three values: a comparison on a missing variable is unknown.
function settled(condition: Condition, context: Context): boolean | undefined {
  switch (condition.kind) {
    case 'constant':
      return condition.value;
    case 'not': {
      const value = settled(condition.condition, context);
      return value === undefined ? undefined : !value;
    }
    case 'and':
    case 'or':
      return joined(condition.conditions, condition.kind === 'or', context);
    default:
      if (read(context, condition.variable) !== undefined) return evaluate(condition, context);
      return neverHolds(condition) ? false : undefined;
  }
}

function joined(members: readonly Condition[], decisive: boolean, context: Context): boolean | undefined {
  let result: boolean | undefined = !decisive;
  for (const member of members) {
    const value = settled(member, context);
    if (value === decisive) return decisive;
    if (value === undefined) result = undefined;
  }
  return result;
}

interface Question {
  readonly condition: Condition;
  readonly context: Context;
  /** The value the condition would need. */
  readonly wanted: boolean;
}

function blame({ condition, context, wanted }: Question, names: Set<string>): void {
  if (evaluate(condition, context) === wanted || settled(condition, context) !== undefined) return;
  switch (condition.kind) {
    case 'constant':
      return;
    case 'not':
      return blame({ condition: condition.condition, context, wanted: !wanted }, names);
    case 'and':
    case 'or':
      for (const member of condition.conditions) blame({ condition: member, context, wanted }, names);
      return;
    default:
      names.add(condition.variable.name);
  }
}
