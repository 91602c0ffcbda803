import type { ConditionSource } from '@workflowlookup/schema';
import { parseCondition } from './parse-condition.ts';
import { variablesOf } from './variables-of.ts';

/** The names of the variables a condition mentions, as its author wrote it; none where it can't be used. */
export function namesInCondition(source: ConditionSource): Iterable<string> {
  const parsed = parseCondition(source);
  return parsed.ok ? variablesOf(parsed.condition) : [];
}
