import { didYouMean } from '@workflowlookup/schema';
import type { JsonObject } from '@workflowlookup/schema';
import type { Condition } from './condition.ts';
import { join, negate } from './join.ts';
import { operators } from './operators.ts';
import type { ParseMember } from './parse-lookup.ts';
import { nameOf, parseMembers } from './parse-lookup.ts';
import { fail, placeOf, within } from './place.ts';
import { showValue } from './show-value.ts';
import type { Place } from './place.ts';

const fieldsOf: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['simple', ['variable', 'operator', 'value']],
  ['and', ['conditions']],
  ['or', ['conditions']],
  ['not', ['condition']],
]);

const spellings: ReadonlyMap<unknown, string> = new Map([
  ['==', 'equals'],
  ['!=', 'not_equals'],
  ['>', 'gt'],
  ['<', 'lt'],
  ['>=', 'gte'],
  ['<=', 'lte'],
  ['exists', 'exists'],
  ['notExists', 'exists'],
]);

/** Reads the activity dialect: `{type: simple, variable, operator, value}` and `and`, `or`, `not` over such. */
export function parseActivity(source: JsonObject, place: Place, parseMember: ParseMember): Condition {
  const type = source['type'];
  const fields = fieldsOf.get(type);
  if (fields === undefined) {
    const names = [...fieldsOf.keys()].join(', ');
    return fail(
      within(place, 'type'),
      `Unknown type of condition ${showValue(type)}.`,
      `Use one of ${names}.`,
    );
  }
  refuseOthers(source, fields, place);
  if (type === 'simple') return parseSimple(source, place);
  if (type === 'not') {
    return negate(parseMember(source['condition'], placeOf(source, 'condition', place)));
  }
  const conditions = parseMembers(source['conditions'], placeOf(source, 'conditions', place), parseMember);
  return join(type === 'and' ? 'and' : 'or', conditions);
}

function refuseOthers(source: JsonObject, fields: readonly string[], place: Place): void {
  for (const key of Object.keys(source)) {
    if (key === 'type' || fields.includes(key) || key.startsWith('x-')) continue;
    const near = didYouMean(key, fields);
    const suggestion = near === undefined ? `Use ${fields.join(', ')}.` : `Did you mean "${near}"?`;
    fail(within(place, key), `Unknown field ${showValue(key)} in a condition.`, suggestion);
  }
}

function parseSimple(source: JsonObject, place: Place): Condition {
  const subject = nameOf(source['variable'], placeOf(source, 'variable', place));
  const sign = source['operator'];
  const operator = operators.get(spellings.get(sign) ?? '');
  if (operator === undefined) {
    const signs = [...spellings.keys()].join(' ');
    return fail(
      placeOf(source, 'operator', place),
      `Unknown operator ${showValue(sign)}.`,
      `Use one of ${signs}`,
    );
  }
  const existence = sign === 'exists' || sign === 'notExists';
  return operator(subject, existence ? sign === 'exists' : source['value'], placeOf(source, 'value', place));
}
