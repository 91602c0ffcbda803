import type { Message } from './messages.ts';
import { messages } from './messages.ts';
import type { Json, JsonObject, Meter, Repair } from '@workflowlookup/schema';
import { isJsonObject, maxDepth, toPointer } from '@workflowlookup/schema';
import type { Condition, ConditionIssue, Variable } from './condition.ts';
import { negate, normalize, toOperand } from './condition.ts';
import { compilePattern } from './pattern.ts';

/** Builds the comparison for one operator. If the value can't be used, it records an issue at the place. */
export type Operator = (variable: Variable, value: unknown, place: Place) => Condition;

/**
 * The operators of conditions with `var`. The other two notations have fewer operators. Each of theirs becomes one of
 * these.
 *
 * A new operator also belongs into the JSON Schema of step workflows (`condition`). For the other two notations, give it
 * a sign in `comparisonSigns`, and let `pieces` in `parse-when.ts` read this sign. A word, such as `in`, needs a case in
 * `operatorOf` there instead, and must not be taken from workflows that use it as the name of a variable. Then
 * `describeComparison` in `parse-condition.ts` must write the operator in the same way. If no kind of `Comparison` fits
 * it, a new kind also needs a case in `holds` and `stepsOf` (`condition.ts`), and in `valuesAround` in the package
 * `analysis`, so that `workflowlookup test` finds the paths behind the comparison.
 */
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

/** The comparison signs of the other two notations, and the operators that they stand for. */
export const comparisonSigns: ReadonlyMap<string, string> = new Map([
  ['==', 'equals'],
  ['!=', 'not_equals'],
  ['>', 'gt'],
  ['<', 'lt'],
  ['>=', 'gte'],
  ['<=', 'lte'],
]);

function equalTo(variable: Variable, value: unknown, place: Place): Condition {
  if (!isJson(value)) return recordIssue(place, messages.needsJson('equals', value));
  return { kind: 'equals', variable, operand: toOperand(value) };
}

function order(kind: 'gt' | 'gte' | 'lt' | 'lte'): Operator {
  return (variable, value, place) => {
    if (typeof value === 'number' && Number.isFinite(value)) return { kind, variable, bound: value };
    return recordIssue(place, messages.orderNeedsNumber(value));
  };
}

function contains(variable: Variable, value: unknown, place: Place): Condition {
  if (!isJson(value)) return recordIssue(place, messages.needsJson('contains', value));
  const text = value === null || typeof value === 'object' ? undefined : normalize(String(value));
  return { kind: 'contains', variable, operand: toOperand(value), text };
}

function affix(kind: 'startsWith' | 'endsWith'): Operator {
  return (variable, value, place) => {
    if (typeof value === 'string') return { kind, variable, text: normalize(value) };
    return recordIssue(place, messages.needsString(kind, value));
  };
}

function matches(variable: Variable, value: unknown, place: Place): Condition {
  if (typeof value !== 'string') return recordIssue(place, messages.needsPattern('matches', value));
  const pattern = compilePattern(value, 'i', place.meter);
  if (!pattern.ok) return recordIssue(place, messages.badPattern(pattern.message));
  return { kind: 'matches', variable, pattern };
}

function oneOf(variable: Variable, value: unknown, place: Place): Condition {
  if (!Array.isArray(value)) return recordIssue(place, messages.needsList('in', value));
  const stray = value.findIndex((item) => !isJson(item));
  if (stray >= 0) return recordIssue(within(place, stray), messages.needsJsonItems('in', value[stray]));
  return { kind: 'in', variable, operands: value.filter(isJson).map(toOperand) };
}

function exists(variable: Variable, value: unknown, place: Place): Condition {
  if (typeof value !== 'boolean') return recordIssue(place, messages.needsBoolean('exists', value));
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

/** The position of the parser. Issues are collected here, so that one pass finds all of them. */
export interface Place {
  readonly pointer: string;
  readonly depth: number;
  /** Column in a `when` string, from 1. */
  readonly column?: number;
  /** An automatic fix for an issue at this place. */
  readonly repair?: Repair;
  /** Pays for compiling patterns. */
  readonly meter?: Meter | undefined;
  readonly issues: ConditionIssue[];
}

/** Returns the place one level deeper, at a key or an index. */
export function within(place: Place, ...keys: readonly (string | number)[]): Place {
  return { ...place, pointer: place.pointer + toPointer(keys), depth: place.depth + 1 };
}

/** Returns the place of a field, or of the object if the field is missing. */
export function placeOf(source: JsonObject, key: string, place: Place): Place {
  return Object.hasOwn(source, key) ? within(place, key) : place;
}

/** Records an issue and returns a placeholder condition, so that parsing can continue. */
export function recordIssue(place: Place, { message, suggestion }: Message): Condition {
  const { pointer, column, repair } = place;
  const text = column === undefined ? message : messages.atColumn(column, message);
  place.issues.push({
    pointer,
    message: text,
    ...(suggestion !== undefined && { suggestion }),
    ...(repair && { repair }),
  });
  return { kind: 'constant', value: false };
}

/** Tells whether a place is nested too deeply, and records an issue if it is. */
export function isTooDeep(place: Place): boolean {
  if (place.depth <= maxDepth) return false;
  recordIssue(place, messages.tooDeep);
  return true;
}
