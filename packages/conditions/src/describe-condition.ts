import type { Comparison, Condition } from './condition.ts';

/** A condition as people read it, in the spelling of `when` strings where these have one. */
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
