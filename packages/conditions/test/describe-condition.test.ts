import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Context } from '@workflowlookup/conditions';
import { describeCondition, evaluate, parseCondition } from '@workflowlookup/conditions';

function described(source: unknown): string {
  const parsed = parseCondition(source);
  if (!parsed.ok) throw new Error(parsed.issues[0]?.message);
  return describeCondition(parsed.condition);
}

function holds(source: string, context: Context): boolean {
  const parsed = parseCondition(source);
  return parsed.ok && evaluate(parsed.condition, context);
}

test.each([
  [{ var: 'ready' }, 'ready'],
  [{ type: 'simple', variable: 'ripe', operator: '==', value: true }, 'ripe == true'],
  [{ var: 'fruit', not_equals: 'plum' }, 'fruit != "plum"'],
  [{ type: 'simple', variable: 'crates', operator: '>=', value: 20 }, 'crates >= 20'],
  [{ var: 'crates', lt: 3 }, 'crates < 3'],
  [{ var: 'fruit', in: ['plum', 'pear'] }, 'fruit in ["plum","pear"]'],
  [{ var: 'note', exists: true }, 'exists note'],
  [{ type: 'simple', variable: 'note', operator: 'notExists' }, 'not exists note'],
  [{ var: 'fruit', contains: 'Um' }, 'fruit contains "Um"'],
  [{ var: 'fruit', endsWith: 'Um' }, 'fruit endsWith "um"'],
  [{ var: 'fruit', startsWith: 'Pl' }, 'fruit startsWith "pl"'],
  [{ var: 'fruit', matches: '^p' }, 'fruit matches a pattern'],
  [{ not: { var: 'ready' } }, '!(ready)'],
  ['a and (b or c)', 'a && (b || c)'],
  ['a and b or c', '(a && b) || c'],
  ['true', 'true'],
  [{}, 'true'],
  ['a and (b and c)', 'a && b && c'],
])('The condition %j is described as %s', (source, text) => {
  expect(described(source)).toBe(text);
});

const name = fc.constantFrom('a', 'b.c', 'd-e');
const literal = fc.oneof(
  fc.integer().map(String),
  fc.boolean().map(String),
  fc.constantFrom('"x y"', "'it'"),
);
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      name,
      name.map((it) => `exists ${it}`),
    ),
    fc.tuple(name, fc.constantFrom('==', '!='), literal).map((parts) => parts.join(' ')),
    fc.tuple(name, fc.constantFrom('<', '<=', '>', '>='), fc.integer()).map((parts) => parts.join(' ')),
    fc.tuple(name, fc.array(literal, { maxLength: 3 })).map(([it, items]) => `${it} in [${items.join(',')}]`),
    fc
      .tuple(tie('condition'), fc.constantFrom('and', '||'), tie('condition'))
      .map(([one, by, two]) => `(${one} ${by} ${two})`),
    tie('condition').map((it) => `not (${it})`),
  ),
}));

const context = fc.dictionary(
  fc.constantFrom('a', 'b.c', 'd-e'),
  fc.oneof(fc.integer(), fc.boolean(), fc.constant('it')),
);

test('The description of a `when` string has the same meaning, and describes itself', () => {
  fc.assert(
    fc.property(condition, context, (source, values) => {
      const text = described(source);
      expect(described(text)).toBe(text);
      expect(holds(text, values)).toBe(holds(source, values));
    }),
  );
});
