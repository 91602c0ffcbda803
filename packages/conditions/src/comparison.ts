import type { Meter } from '@workflowlookup/schema';
import { spend } from '@workflowlookup/schema';
import type { Comparison } from './condition.ts';
import { equals, normalize, numberOf, saysFalse } from './operand.ts';

// A search that might take more steps than this is not run (docs/authoring.md#patterns).
const maxSearchSteps = 20_000_000;

/** Whether a comparison holds for the value its variable has; `undefined` is a missing variable. */
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

/** What a comparison takes at most. */
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
  if (typeof value === 'string') return !saysFalse(normalize(value));
  return Boolean(value);
}

function contains({ operand, text }: Extract<Comparison, { kind: 'contains' }>, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => equals(item, operand));
  if (typeof value !== 'string' || text === undefined) return false;
  // A search for a periodic text may take as many steps as both lengths multiplied.
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
