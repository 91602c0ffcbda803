import type { Meter } from '@workflowlookup/schema';
import { spend } from '@workflowlookup/schema';
import type { Comparison, Condition, Context } from './condition.ts';
import { equals, normalize, numberOf, read, meansFalse } from './condition.ts';

/**
 * Evaluates a condition against a context. A missing variable equals only `null`, isn't true, has no order and contains
 * nothing. Throws only if the meter runs out.
 *
 * @example
 * ```ts
 * const parsed = parseCondition({ var: 'size', equals: 'large' });
 * if (parsed.ok) evaluate(parsed.condition, { size: 'small' }); // false
 * ```
 */
export function evaluate(condition: Condition, context: Context, meter?: Meter): boolean {
  switch (condition.kind) {
    case 'constant':
      return condition.value;
    case 'not':
      return !evaluate(condition.condition, context, meter);
    case 'and':
      for (const member of condition.conditions) if (!evaluate(member, context, meter)) return false;
      return true;
    case 'or':
      for (const member of condition.conditions) if (evaluate(member, context, meter)) return true;
      return false;
    default:
      return holds(condition, read(context, condition.variable), meter);
  }
}

// A search that might take more steps than this is not run (docs/authoring.md#patterns).
const maxSearchSteps = 20_000_000;

/** Tells whether a comparison is true for the value of its variable; `undefined` means the variable is missing. */
export function holds(comparison: Comparison, value: unknown, meter?: Meter): boolean {
  if (meter !== undefined) spend(meter, stepsOf(comparison, value));
  switch (comparison.kind) {
    case 'truthy':
      return isTruthy(value);
    case 'exists':
      return value !== undefined && value !== null;
    case 'equals':
      return equals(value, comparison.operand);
    case 'in':
      return comparison.operands.some((operand) => equals(value, operand));
    case 'contains':
      return contains(comparison, value);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isOrdered(comparison.kind, numeric(value), comparison.bound);
    default:
      return typeof value === 'string' && fits(comparison, value);
  }
}

function stepsOf(comparison: Comparison, value: unknown): number {
  if (Array.isArray(value)) return 20 + value.length * 5;
  if (typeof value !== 'string') return 20;
  const { length } = value;
  switch (comparison.kind) {
    case 'matches':
      return 20 + Math.min(comparison.pattern.size * length, maxSearchSteps);
    case 'contains':
      return 20 + Math.min((length * (comparison.text?.length ?? 0)) / 16, maxSearchSteps) + length / 4;
    case 'in':
      return 20 + (comparison.operands.length * (length + 16)) / 4;
    default:
      return 20 + length / 4;
  }
}

function isTruthy(value: unknown): boolean {
  if (typeof value === 'string') return !meansFalse(normalize(value));
  return Boolean(value);
}

function contains({ operand, text }: Extract<Comparison, { kind: 'contains' }>, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => equals(item, operand));
  if (typeof value !== 'string' || text === undefined) return false;
  // Searching for a periodic text can take as many steps as the product of both lengths.
  return (value.length * text.length) / 16 <= maxSearchSteps && normalize(value).includes(text);
}

function numeric(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' ? numberOf(normalize(value)) : undefined;
}

function isOrdered(kind: 'gt' | 'gte' | 'lt' | 'lte', value: number | undefined, bound: number): boolean {
  if (value === undefined) return false;
  if (kind === 'gt') return value > bound;
  if (kind === 'gte') return value >= bound;
  return kind === 'lt' ? value < bound : value <= bound;
}

function fits(
  comparison: Extract<Comparison, { kind: 'startsWith' | 'endsWith' | 'matches' }>,
  value: string,
): boolean {
  if (comparison.kind === 'matches') {
    const { size, test } = comparison.pattern;
    return size * value.length <= maxSearchSteps && test(value);
  }
  const text = normalize(value);
  return comparison.kind === 'startsWith' ? text.startsWith(comparison.text) : text.endsWith(comparison.text);
}
