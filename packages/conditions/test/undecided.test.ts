import { describe, expect, test } from 'vitest';
import type { Context } from '@workflowlookup/conditions';
import { neverHolds, parseCondition, undecided, variablesOf } from '@workflowlookup/conditions';

function parse(source: unknown): Parameters<typeof neverHolds>[0] {
  const parsed = parseCondition(source);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.condition;
}

describe('undecided', () => {
  test.each<[source: unknown, context: Context, expected: readonly string[]]>([
    ['size == "small"', {}, ['size']],
    ['size == "small"', { size: 'large' }, []],
    ['size == "small"', { size: 'small' }, []],
    ['size == "small"', { size: null }, []],
    ['a == 1 && b == 2', { a: 5 }, []],
    ['a == 1 && b == 2', { a: 1 }, ['b']],
    ['a == 1 && b == 2', {}, ['a', 'b']],
    ['a == 1 || b == 2', { a: 5 }, ['b']],
    ['a == 1 || (b == 2 && c == 3)', { b: 3 }, ['a']],
    ['a != 1', { a: 1 }, []],
    ['a != 1 && b == 2', {}, ['b']],
    ['!(a == 1 || b != 2)', {}, ['b']],
    ['not a == 1 and not exists b', { a: 1 }, []],
    ['exists a', {}, ['a']],
    ['!exists a', {}, []],
    ['user.name == "x" && user.name == "x"', {}, ['user.name']],
    ['a in []', {}, []],
    ['a == 1 && a == 2', {}, []],
    ['false', {}, []],
    ['false || a', {}, ['a']],
  ])('%s in %j: %j', (source, context, expected) => {
    expect(undecided(parse(source), context)).toEqual(expected);
  });
});

test('variablesOf names each variable once, in order', () => {
  const condition = parse({ and: ['b > 1 || exists a', { not: { var: 'b', equals: 1 } }, {}] });
  expect([...variablesOf(condition)]).toEqual(['b', 'a']);
});

describe('neverHolds', () => {
  test.each([
    { not: {} },
    'false',
    'a && false',
    { or: [] },
    { or: ['false', { not: {} }] },
    { var: 'a', in: [] },
    { var: 'a', equals: 'x', not_equals: ' X ' },
    {
      and: [
        { var: 'a', equals: 1 },
        { var: 'a', equals: 2 },
      ],
    },
    { and: [{ var: 'a', equals: 'small' }, { and: [{ var: 'a', equals: 'large' }] }] },
    'a == 3 && a > 5',
    'a > 5 && a < 5',
    'a > 5 && !(a > 5)',
    'a > 5 && a <= 5',
    'a == true && a == false',
    'a == true && !a',
    'a == "on" && a == true',
    'a == 5 && a == true',
    'a in [1, 2] && a in [3, "4"]',
    'a == null && exists a',
    'a == null && a > 0',
    '!exists a && a == 1',
    { and: ['!exists a', { var: 'a', contains: 'x' }] },
    'a && !a',
    'not (a == 1 or a != 1)',
    { var: 'a', equals: [1], not_equals: [1] },
    '(a == 1 && a == 2) || (b > 2 && b < 1)',
  ])('proves %j', (source) => {
    expect(neverHolds(parse(source))).toBe(true);
  });

  test.each([
    {},
    'a',
    '!a',
    'a == 1 && b == 2',
    'a == 1 && a == "1"',
    'a == 1 && a == true',
    'a == 1 && a != "1"',
    'a == 0 && a',
    'a == "0" && !a',
    'a > 5 && a < 6',
    'a >= 5 && a <= 5',
    'a > 5 && a != 6',
    'a > 1.7976931348623157e308 || true',
    '!(a > 5) && !(a <= 5)',
    'a == null && !exists a',
    'a in [1, 2] && a in ["2", 3]',
    'a == 1 || a == 2',
    { var: 'a', contains: 'x', startsWith: 'y' },
    { and: [] },
    { var: 'a.b', equals: 1, not_equals: 2 },
  ])('leaves %j alone', (source) => {
    expect(neverHolds(parse(source))).toBe(false);
  });

  test('gives up on lists too long to hold against each other', () => {
    const long = Array.from({ length: 50_000 }, (_, at) => at);
    expect(neverHolds(parse({ var: 'a', in: long, equals: 'no' }))).toBe(false);
  });
});
