import type { JsonObject, Meter, ConditionSource } from '@workflowlookup/schema';
import { didYouMean, isJsonObject, spend } from '@workflowlookup/schema';
import type { Condition, ConditionIssue, ParsedCondition, Variable, Comparison } from './condition.ts';
import { joinConditions, negate, toVariable } from './condition.ts';
import { messages, useOneOf } from './messages.ts';
import type { Place } from './operators.ts';
import { comparisonSigns, recordIssue, isTooDeep, operators, placeOf, within } from './operators.ts';
import { parseWhen } from './parse-when.ts';

/**
 * Parses a condition in any notation: `{var, …}`, `{type, …}`, or a `when` string. Members may use any notation too.
 * Returns every problem as an issue (docs/authoring.md#conditions); throws only if the meter runs out.
 *
 * @example
 * ```ts
 * const parsed = parseCondition('risk >= 0.7 || exists owner');
 * if (parsed.ok) evaluate(parsed.condition, { risk: 0.9 }); // true
 * ```
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
  if (!isJsonObject(source)) return recordIssue(place, messages.notACondition(source));
  return Object.hasOwn(source, 'type') ? parseWithType(source, place) : parseWithVar(source, place);
}

const words = ['var', 'and', 'or', 'not', ...operators.keys()];

/** Parses the notation with `var`: `{var, <operators>}`, `and`, `or`, `not`. Everything in one object must be true. */
function parseWithVar(source: JsonObject, place: Place): Condition {
  const keys = Object.keys(source).filter((key) => !key.startsWith('x-'));
  const subject = keys.includes('var') ? nameOf(source['var'], within(place, 'var')) : undefined;
  const parts = keys
    .filter((key) => key !== 'var')
    .map((key) => parseKey(key, source[key], subject, within(place, key)));
  if (subject !== undefined && !keys.some((key) => operators.has(key))) {
    parts.unshift({ kind: 'truthy', variable: subject });
  }
  return parts.length === 0 ? { kind: 'constant', value: true } : joinConditions('and', parts);
}

function parseMembers(value: unknown, place: Place): readonly Condition[] {
  if (Array.isArray(value)) return value.map((member, at) => parseAny(member, within(place, at)));
  return [recordIssue(place, messages.notAList(value))];
}

function nameOf(value: unknown, place: Place): Variable {
  if (typeof value === 'string' && value !== '') return toVariable(value);
  recordIssue(place, messages.notAName(value));
  return toVariable('');
}

function parseKey(key: string, value: unknown, subject: Variable | undefined, place: Place): Condition {
  if (key === 'not') return negate(parseAny(value, place));
  if (key === 'and' || key === 'or') return joinConditions(key, parseMembers(value, place));
  const operator = operators.get(key);
  if (operator === undefined)
    return recordIssue(place, messages.unknownOperator(key, useOneOf(didYouMean(key, words), words)));
  return subject === undefined
    ? recordIssue(place, messages.noVariable(key))
    : operator(subject, value, place);
}

const fieldsOf: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['simple', ['variable', 'operator', 'value']],
  ['and', ['conditions']],
  ['or', ['conditions']],
  ['not', ['condition']],
]);

export const signsWithType: ReadonlyMap<unknown, string> = new Map([
  ...comparisonSigns,
  ['exists', 'exists'],
  ['notExists', 'exists'],
]);

/** Parses the notation with `type`: `{type: simple, variable, operator, value}`, and `and`, `or`, `not` of these. */
function parseWithType(source: JsonObject, place: Place): Condition {
  const type = source['type'];
  const fields = fieldsOf.get(type);
  if (fields === undefined) {
    return recordIssue(within(place, 'type'), messages.unknownType(type, [...fieldsOf.keys()].map(String)));
  }
  refuseOthers(source, fields, place);
  if (type === 'simple') return parseSimple(source, place);
  if (type === 'not') {
    return negate(parseAny(source['condition'], placeOf(source, 'condition', place)));
  }
  const conditions = parseMembers(source['conditions'], placeOf(source, 'conditions', place));
  return joinConditions(type === 'and' ? 'and' : 'or', conditions);
}

function refuseOthers(source: JsonObject, fields: readonly string[], place: Place): void {
  for (const key of Object.keys(source)) {
    if (key === 'type' || fields.includes(key) || key.startsWith('x-')) continue;
    recordIssue(within(place, key), messages.unknownField(key, didYouMean(key, fields), fields));
  }
}

function parseSimple(source: JsonObject, place: Place): Condition {
  const subject = nameOf(source['variable'], placeOf(source, 'variable', place));
  const sign = source['operator'];
  const operator = operators.get(signsWithType.get(sign) ?? '');
  if (operator === undefined) {
    const problem = messages.unknownOperator(sign, messages.useOneSign([...signsWithType.keys()]));
    return recordIssue(placeOf(source, 'operator', place), problem);
  }
  const existence = sign === 'exists' || sign === 'notExists';
  return operator(subject, existence ? sign === 'exists' : source['value'], placeOf(source, 'value', place));
}

/** Returns a condition as readable text, in the syntax of `when` strings where that syntax can express it. */
export function describeCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'constant':
      return String(condition.value);
    case 'not':
      return describeNegation(condition.condition);
    case 'and':
    case 'or':
      return condition.conditions
        .map((member) => inside(member, condition.kind))
        .join(condition.kind === 'and' ? ' && ' : ' || ');
    default:
      return describeComparison(condition, '==');
  }
}

function describeNegation(condition: Condition): string {
  if (condition.kind === 'equals') return describeComparison(condition, '!=');
  return condition.kind === 'exists'
    ? `not exists ${condition.variable.name}`
    : `!(${describeCondition(condition)})`;
}

function inside(member: Condition, joined: 'and' | 'or'): string {
  const text = describeCondition(member);
  return (member.kind === 'and' || member.kind === 'or') && member.kind !== joined ? `(${text})` : text;
}

const orders = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function describeComparison(comparison: Comparison, equality: '==' | '!='): string {
  const { name } = comparison.variable;
  switch (comparison.kind) {
    case 'truthy':
      return name;
    case 'exists':
      return `exists ${name}`;
    case 'equals':
      return `${name} ${equality} ${JSON.stringify(comparison.operand.json)}`;
    case 'in':
      return `${name} in ${JSON.stringify(comparison.operands.map(({ json }) => json))}`;
    case 'contains':
      return `${name} contains ${JSON.stringify(comparison.operand.json)}`;
    case 'startsWith':
    case 'endsWith':
      return `${name} ${comparison.kind} ${JSON.stringify(comparison.text)}`;
    case 'matches':
      return `${name} matches a pattern`;
    default:
      return `${name} ${orders[comparison.kind]} ${comparison.bound}`;
  }
}

/** Returns every test of a variable in a condition, in order. */
export function comparisonsIn(condition: Condition): readonly Comparison[] {
  switch (condition.kind) {
    case 'constant':
      return [];
    case 'not':
      return comparisonsIn(condition.condition);
    case 'and':
    case 'or':
      return condition.conditions.flatMap(comparisonsIn);
    default:
      return [condition];
  }
}

/** Returns the names of the variables in a condition, in order of first appearance. */
export function variablesOf(condition: Condition): ReadonlySet<string> {
  return new Set(comparisonsIn(condition).map(({ variable }) => variable.name));
}

/** Returns the names of the variables in an unparsed condition, or none if the condition can't be used. */
export function namesInCondition(source: ConditionSource): Iterable<string> {
  const parsed = parseCondition(source);
  return parsed.ok ? variablesOf(parsed.condition) : [];
}
