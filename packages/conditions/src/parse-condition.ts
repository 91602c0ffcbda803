import type { Meter } from '@workflowlookup/schema';
import { isJsonObject, spend } from '@workflowlookup/schema';
import type { Condition, ConditionIssue, ParsedCondition } from './condition.ts';
import { parseActivity } from './parse-activity.ts';
import { parseLookup } from './parse-lookup.ts';
import { parseWhen } from './parse-when.ts';
import { fail, isTooDeep } from './place.ts';
import { showValue } from './show-value.ts';
import type { Place } from './place.ts';

/**
 * Reads a condition in any dialect: `{var, …}`, `{type, …}`, or a `when` string; members of a condition are
 * conditions in any dialect too. What is wrong comes back as issues (docs/authoring.md#conditions). Throws only what a
 * meter throws that runs out.
 */
export function parseCondition(source: unknown, meter?: Meter): ParsedCondition {
  const issues: ConditionIssue[] = [];
  const condition = parseAny(source, { pointer: '', depth: 1, issues, meter });
  return issues.length === 0 ? { ok: true, condition } : { ok: false, issues };
}

function parseAny(source: unknown, place: Place): Condition {
  if (place.meter !== undefined) spend(place.meter, 500);
  if (isTooDeep(place)) return { kind: 'constant', value: false };
  if (typeof source === 'string') return parseWhen(source, place);
  if (!isJsonObject(source))
    return fail(place, `A condition is an object or a string, found ${showValue(source)}.`);
  return Object.hasOwn(source, 'type')
    ? parseActivity(source, place, parseAny)
    : parseLookup(source, place, parseAny);
}
