import type { ConditionIssue } from '@workflowlookup/conditions';
import { compilePattern, evaluate, parseCondition } from '@workflowlookup/conditions';
import { describe, expect, test } from 'vitest';
import { messages } from '../src/messages.ts';

function issuesOf(source: unknown): readonly ConditionIssue[] {
  const parsed = parseCondition(source);
  return parsed.ok ? [] : parsed.issues;
}

const within = (depth: number): unknown => (depth === 0 ? 1 : [within(depth - 1)]);
const inObjects = (depth: number): unknown => (depth === 0 ? 1 : { in: inObjects(depth - 1) });

describe('values that JSON cannot represent', () => {
  test.each([NaN, Infinity, undefined, 1n, Symbol('s'), () => true, [1, NaN], { a: [undefined] }])(
    'are equal to nothing: %o',
    (value) => {
      for (const operator of ['equals', 'contains'])
        expect(issuesOf({ var: 'a', [operator]: value })).toMatchObject([
          { pointer: `/${operator}`, ...messages.needsJson(operator, value) },
        ]);
    },
  );

  test.each([NaN, Infinity, -Infinity])('cannot be bounds: %o', (value) => {
    expect(issuesOf({ var: 'a', gt: value })).toMatchObject([
      { pointer: '/gt', ...messages.orderNeedsNumber(value) },
    ]);
  });

  test('are reported at their position in a list, even at the start', () => {
    expect(issuesOf({ var: 'a', in: [1, NaN] })).toMatchObject([
      { pointer: '/in/1', ...messages.needsJsonItems('in', NaN) },
    ]);
    expect(issuesOf({ var: 'a', in: [NaN, 1] })).toMatchObject([{ pointer: '/in/0' }]);
  });

  test('make a list or an object with other values invalid', () => {
    expect(issuesOf({ var: 'a', equals: [NaN, 1] })).toHaveLength(1);
    expect(issuesOf({ var: 'a', equals: { x: NaN, y: 1 } })).toHaveLength(1);
  });
});

describe('the limits for conditions', () => {
  test.each([
    ['lists', within],
    ['objects', inObjects],
  ])('allow %s up to 64 levels deep', (_, nest) => {
    expect(issuesOf({ var: 'a', equals: nest(64) })).toEqual([]);
    expect(issuesOf({ var: 'a', equals: nest(65) })).toHaveLength(1);
  });

  test('allow texts and patterns up to their documented length', () => {
    const ofLength = (length: number): string => `a == "${'x'.repeat(length - 7)}"`;
    expect(issuesOf(ofLength(10_000))).toEqual([]);
    expect(issuesOf(ofLength(10_001))).toMatchObject([messages.tooLong(10_001, 10_000)]);
    expect(compilePattern('a'.repeat(4096)).ok).toBe(true);
    expect(compilePattern('a'.repeat(4097)).ok).toBe(false);
  });
});

describe('the values of a contains operator', () => {
  const holds = (source: unknown, context: object): boolean => {
    const parsed = parseCondition(source);
    if (!parsed.ok) throw new Error(parsed.issues.map(({ message }) => message).join('\n'));
    return evaluate(parsed.condition, context as Record<string, never>);
  };

  test('that are null or objects are found in lists, and not in texts', () => {
    expect(holds({ var: 'a', contains: null }, { a: [null] })).toBe(true);
    expect(holds({ var: 'a', contains: null }, { a: 'null' })).toBe(false);
    expect(holds({ var: 'a', contains: { b: 1 } }, { a: [{ b: 1 }] })).toBe(true);
    expect(holds({ var: 'a', contains: { b: 1 } }, { a: '[object Object]' })).toBe(false);
  });
});

test('A pattern that cannot be used is refused with the reason', () => {
  const refused = (pattern: string): string => {
    const compiled = compilePattern(pattern);
    return compiled.ok ? '' : compiled.message;
  };
  expect(refused('(?<=a)b')).toBe(messages.lookAround('(?<='));
  expect(refused('a\\1')).toBe(messages.backReference('\\1'));
  expect(refused('(')).toBe(messages.invalidPattern('missing closing )', '('));
  expect(refused('[z-a]')).toBe(messages.invalidPattern('invalid character class range', 'z-a'));
});
