import type { Json } from '@workflowlookup/schema';
import { isJsonObject, maxDepth } from '@workflowlookup/schema';
import type { Condition, Variable } from './condition.ts';
import { negate } from './join.ts';
import { normalize, operand } from './operand.ts';
import { compilePattern } from './pattern.ts';
import { fail, within } from './place.ts';
import { showValue } from './show-value.ts';
import type { Place } from './place.ts';

/** Makes the comparison of one operator; a value it can't use is recorded at the place. */
type Operator = (variable: Variable, value: unknown, place: Place) => Condition;

/** The operators of the lookup dialect; the other dialects are spelled in their terms. */
export const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['equals', equalTo],
  ['not_equals', (variable, value, place) => negate(equalTo(variable, value, place))],
  ['gt', order('gt')],
  ['gte', order('gte')],
  ['lt', order('lt')],
  ['lte', order('lte')],
  ['contains', contains],
  ['startsWith', affix('startsWith')],
  ['endsWith', affix('endsWith')],
  ['matches', matches],
  ['in', oneOf],
  ['exists', exists],
]);

function equalTo(variable: Variable, value: unknown, place: Place): Condition {
  if (!isJson(value)) return fail(place, `"equals" needs a JSON value, found ${showValue(value)}.`);
  return { kind: 'equals', variable, operand: operand(value) };
}

function order(kind: 'gt' | 'gte' | 'lt' | 'lte'): Operator {
  return (variable, value, place) => {
    if (typeof value === 'number' && Number.isFinite(value)) return { kind, variable, bound: value };
    return fail(
      place,
      `An order needs a number to compare with, found ${showValue(value)}.`,
      'Write a number.',
    );
  };
}

function contains(variable: Variable, value: unknown, place: Place): Condition {
  if (!isJson(value)) return fail(place, `"contains" needs a JSON value, found ${showValue(value)}.`);
  const text = value === null || typeof value === 'object' ? undefined : normalize(String(value));
  return { kind: 'contains', variable, operand: operand(value), text };
}

function affix(kind: 'startsWith' | 'endsWith'): Operator {
  return (variable, value, place) => {
    if (typeof value === 'string') return { kind, variable, text: normalize(value) };
    return fail(place, `"${kind}" needs a string, found ${showValue(value)}.`, 'Write a string.');
  };
}

function matches(variable: Variable, value: unknown, place: Place): Condition {
  if (typeof value !== 'string') {
    return fail(
      place,
      `"matches" needs a pattern as a string, found ${showValue(value)}.`,
      'Write a string.',
    );
  }
  const pattern = compilePattern(value, 'i', place.meter);
  if (!pattern.ok) return fail(place, pattern.message, 'Write a pattern in RE2 syntax.');
  return { kind: 'matches', variable, pattern };
}

function oneOf(variable: Variable, value: unknown, place: Place): Condition {
  if (!Array.isArray(value))
    return fail(place, `"in" needs a list, found ${showValue(value)}.`, 'Write a list of values.');
  const stray = value.findIndex((item) => !isJson(item));
  if (stray >= 0)
    return fail(within(place, stray), `"in" needs JSON values, found ${showValue(value[stray])}.`);
  return { kind: 'in', variable, operands: value.filter(isJson).map(operand) };
}

function exists(variable: Variable, value: unknown, place: Place): Condition {
  if (typeof value !== 'boolean') {
    return fail(place, `"exists" needs true or false, found ${showValue(value)}.`, 'Write true or false.');
  }
  const there: Condition = { kind: 'exists', variable };
  return value ? there : negate(there);
}

function isJson(value: unknown, depth = 0): value is Json {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (depth >= maxDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
  return isJsonObject(value) && Object.values(value).every((item) => isJson(item, depth + 1));
}
