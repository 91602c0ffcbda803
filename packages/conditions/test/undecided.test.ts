import { describe, expect, test } from 'vitest';
import type { Context } from '@workflowlookup/conditions';
import { parseCondition, undecided, variablesOf } from '@workflowlookup/conditions';
import { neverHolds } from '../src/check-conditions.ts';

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
    ['!(a == 5) || b', { a: 5 }, ['b']],
    ['a in [] || b', {}, ['b']],
    ['(a and b) and c', { a: 1, b: 1 }, ['c']],
    [{ and: [{}, 'a'] }, {}, ['a']],
  ])('returns for %s with %j the variables %j', (source, context, expected) => {
    expect(undecided(parse(source), context)).toEqual(expected);
  });
});

test('variablesOf returns each variable once, in order', () => {
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
    'a == 1 && (b == 1 && a == 2)',
    'a == 1 && !(b == 3 || a == 1)',
    'a == true && a != "yes" && a != "true" && a != "1"',
    'a == false && a != "no" && a != "false" && a != "0"',
  ])('recognizes that %j is never true', (source) => {
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
    { and: [{}, 'a'] },
    'a == 1 && (a == 1 || a == 2)',
    'a == 1 && !(a == 1 && b == 2)',
    { var: 'a', equals: 1, contains: '1.0' },
    'a == true && a > 0',
    'a == true && a != "true" && a != "1"',
    'a == true && a != "yes" && a != "1"',
    'a == true && a != "yes" && a != "true"',
    'a == false && a != "false" && a != "0"',
    'a == false && a != "no" && a != "0"',
    'a == false && a != "no" && a != "false"',
    'a == 1e10 && a != "10000000000"',
    'a == 1 && a != "1" && a != "1e+0"',
    'a > 1 && a < 9 && a < 3',
  ])('does not claim that %j is never true', (source) => {
    expect(neverHolds(parse(source))).toBe(false);
  });

  test('gives up on lists that are too long to compare', () => {
    const long = Array.from({ length: 50_000 }, (_, at) => at);
    expect(neverHolds(parse({ var: 'a', in: long, equals: 'no' }))).toBe(false);
  });

  test('compares up to 500 values with up to 500 comparisons', () => {
    const words = (length: number): readonly string[] => Array.from({ length }, (_, at) => `w${at}`);
    const oneOf = (length: number): unknown => ({ var: 'a', in: words(length), equals: 'never' });
    expect(neverHolds(parse(oneOf(499)))).toBe(true);
    expect(neverHolds(parse(oneOf(500)))).toBe(false);
    const none = (length: number): unknown => ({ and: ['a == "x"', ...Array(length).fill('a != "x"')] });
    expect(neverHolds(parse(none(499)))).toBe(true);
    expect(neverHolds(parse(none(500)))).toBe(false);
  });
});
