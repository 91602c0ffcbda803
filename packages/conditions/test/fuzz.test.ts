import { evaluate, parseCondition, undecided } from '@workflowlookup/conditions';
import { neverHolds } from '../src/check-conditions.ts';
import { expect, test } from 'vitest';
import { fuzz, fuzzOptions } from '../../../test/support/fuzz.ts';

const names = ['a', 'a.b', '__proto__', 'constructor', 'x', '1', '-1', '1e999', 'null', 'true', '"x"', "'x'"];
const context = { a: { b: [1, 'x'] }, x: 'xx', items: ['x'] };

/** Returns whether a condition is read or refused, and expects that a refusal has a reason. */
function outcomeOf(source: unknown): string {
  const parsed = parseCondition(source);
  const outcomes = parsed.ok
    ? [evaluate(parsed.condition, context), neverHolds(parsed.condition)]
    : parsed.issues;
  expect(outcomes.length).toBeGreaterThan(0);
  expect(parsed.ok ? undecided(parsed.condition, context) : []).toBeInstanceOf(Array);
  return parsed.ok ? 'read' : 'refused';
}

const some = expect.any(Number) as number;

test('Any text is parsed as a `when` string, or refused', fuzzOptions, async () => {
  const signs = [
    '==',
    '!=',
    '===',
    '>',
    '>=',
    '<',
    '(',
    ')',
    '[',
    ']',
    ',',
    '!',
    '&&',
    '||',
    ' and ',
    ' or ',
    ' not ',
    ' in ',
    'exists ',
    ' ',
    '.',
  ];
  const seeds = ['a == 1 && (x != "y" || !exists a.b)', 'x in ["a", "b"] and not (a.b > 2)', 'exists items'];
  const outcomes = await fuzz('`when`', { seeds, tokens: [...signs, ...names] }, outcomeOf);
  expect(outcomes).toEqual({ read: some, refused: some });
});

test('Any JSON is parsed as a condition, or refused', fuzzOptions, async () => {
  const seeds = [
    { and: [{ var: 'a.b', equals: 1 }, { not: { var: 'x', matches: '^x+$' } }] },
    {
      or: [
        { var: 'x', in: ['a', 'xx'] },
        { var: 'a', exists: true },
      ],
    },
    { type: 'and', conditions: [{ type: 'simple', variable: 'x', operator: '==', value: 'xx' }] },
    { var: 'x', matches: '(a|b)*c{2,3}[^d-f]\\w+' },
    { or: [{ var: 'x', equals: 1, exists: true }] },
    // The only one that is refused, because `and` is not a list.
    { and: { var: 'x', equals: 1, exists: true } },
  ].map((value) => JSON.stringify(value));
  const keys = [
    'var',
    'and',
    'or',
    'not',
    'type',
    'conditions',
    'equals',
    'matches',
    'in',
    'exists',
    ...names,
  ];
  const tokens = [
    ...keys.map((key) => JSON.stringify(key)),
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '(a+)+$',
    '\\\\',
    '{1,9999}',
  ];
  const outcomes = await fuzz('conditions', { seeds, tokens }, (text) => {
    const value = parse(text);
    return value === undefined ? 'not JSON' : outcomeOf(value.json);
  });
  expect(outcomes).toEqual({ read: some, refused: some, 'not JSON': some });
});

function parse(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
