import { describeCondition, parseCondition } from '@workflowlookup/conditions';
import type { ConditionSource } from '@workflowlookup/schema';

/** A condition as people read it: as its author wrote it where that is a sentence already. */
export function conditionText(source: ConditionSource): string {
  if (typeof source === 'string') return source.trim();
  const parsed = parseCondition(source);
  return parsed.ok ? describeCondition(parsed.condition) : JSON.stringify(source);
}

/** `when` for an outline, nothing where there is no condition. */
export function when(source: ConditionSource | undefined): { readonly when?: string } {
  return source === undefined ? {} : { when: conditionText(source) };
}
