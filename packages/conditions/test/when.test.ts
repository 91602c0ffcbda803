import { expect, test } from 'vitest';
import type { Condition } from '@workflowlookup/conditions';
import { parseCondition } from '@workflowlookup/conditions';

/** Returns a condition with every group in parentheses, which shows the precedence of its operators. */
function grouped(condition: Condition): string {
  switch (condition.kind) {
    case 'constant':
      return String(condition.value);
    case 'not':
      return `!${grouped(condition.condition)}`;
    case 'and':
    case 'or':
      return `(${condition.conditions.map(grouped).join(condition.kind === 'and' ? ' & ' : ' | ')})`;
    case 'equals':
      return `${condition.variable.name}=${JSON.stringify(condition.operand.json)}`;
    case 'in':
      return `${condition.variable.name} in ${JSON.stringify(condition.operands.map(({ json }) => json))}`;
    case 'exists':
      return `there(${condition.variable.name})`;
    case 'truthy':
      return condition.variable.name;
    default:
      return 'bound' in condition
        ? `${condition.variable.name} ${condition.kind} ${condition.bound}`
        : condition.kind;
  }
}

test.each([
  ['a', 'a'],
  ['true', 'true'],
  ['a == 1 || b == 1 && c == 1', '(a=1 | (b=1 & c=1))'],
  ['(a == 1 || b == 1) && c == 1', '((a=1 | b=1) & c=1)'],
  ['a && b && c', '(a & b & c)'],
  ['a and b or c and d', '((a & b) | (c & d))'],
  ['not a == 1 and b', '(!a=1 & b)'],
  ['not not a', '!!a'],
  ['!a && !b', '(!a & !b)'],
  ['!!a', '!!a'],
  ['!(a == 1)', '!a=1'],
  ['!exists a', '!there(a)'],
  ['not a in [1]', '!a in [1]'],
  ['a != 1', '!a=1'],
  ['a<-1', 'a lt -1'],
  ['a >= 2.5e1', 'a gte 25'],
  ['a == null', 'a=null'],
  ["a == 'it\\'s'", 'a="it\'s"'],
  ['a == "line\\nbreak \\\\ \\q"', 'a="line\\nbreak \\\\ q"'],
  ['a in []', 'a in []'],
  ['a in ["x", 2, true, null]', 'a in ["x",2,true,null]'],
  ['list.0.first-name == "Ann"', 'list.0.first-name="Ann"'],
  ['größe > 1', 'größe gt 1'],
  ['  ( a )\n==\t1 ', 'a=1'],
  ['android || order || note || inner || existsNot', '(android | order | note | inner | existsNot)'],
])('The string %s is parsed as %s', (source, expected) => {
  const parsed = parseCondition(source);
  expect(parsed.ok ? grouped(parsed.condition) : parsed.issues).toBe(expected);
});
