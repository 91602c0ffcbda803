import type { Meter } from '@workflowlookup/schema';
import { holds } from './comparison.ts';
import type { Condition, Context } from './condition.ts';
import { read } from './look-up.ts';

/**
 * Whether a condition is true in a context. Throws only what a meter throws that runs out. A missing variable equals only `null`, is not true, has
 * no order and contains nothing.
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
