import type { ConditionSource } from '@workflowlookup/schema';
import type { Comparison, Condition } from './condition.ts';
import { parseCondition } from './parse-condition.ts';

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

/** Returns the names of the variables in a condition, in order of first appearance. */
export function variablesOf(condition: Condition): ReadonlySet<string> {
  const names = new Set<string>();
  collect(condition, names);
  return names;
}

function collect(condition: Condition, names: Set<string>): void {
  switch (condition.kind) {
    case 'constant':
      return;
    case 'not':
      return collect(condition.condition, names);
    case 'and':
    case 'or':
      for (const member of condition.conditions) collect(member, names);
      return;
    default:
      names.add(condition.variable.name);
  }
}

/** Returns the names of the variables in an unparsed condition, or none if the condition can't be used. */
export function namesInCondition(source: ConditionSource): Iterable<string> {
  const parsed = parseCondition(source);
  return parsed.ok ? variablesOf(parsed.condition) : [];
}
