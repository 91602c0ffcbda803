import type { Condition } from './condition.ts';

/** Conditions that must all hold, or of which one must; a lone one stands for itself. */
export function join(kind: 'and' | 'or', conditions: readonly Condition[]): Condition {
  const [first, ...others] = conditions;
  return first !== undefined && others.length === 0 ? first : { kind, conditions };
}

/** The negation of a condition. */
export function negate(condition: Condition): Condition {
  return { kind: 'not', condition };
}
