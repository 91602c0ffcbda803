import { describe, expect, test } from 'vitest';
import type { Context } from '@workflowlookup/conditions';
import { evaluate, lookUp, parseCondition } from '@workflowlookup/conditions';

function judge(source: unknown, context: Context = {}): boolean {
  const parsed = parseCondition(source);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return evaluate(parsed.condition, context);
}

const missing = Symbol('missing');
const contextOf = (value: unknown): Context => (value === missing ? {} : { a: value });

describe('the comparison with equals', () => {
  test.each<[value: unknown, operand: unknown, expected: boolean]>([
    ['large', 'LARGE', true],
    ['  large\n', 'large', true],
    ['larger', 'large', false],
    ['two words', 'twowords', false],
    ['1', '1.0', false],
    [1, '1', true],
    [1, ' 1.0 ', true],
    [1000, '1e3', true],
    ['1e3', 1000, true],
    ['+5', 5, true],
    ['-0.5', -0.5, true],
    ['.5', 0.5, true],
    ['0x10', 16, false],
    ['1_000', 1000, false],
    ['Infinity', 1, false],
    ['1e999', 1e308, false],
    ['', 0, false],
    ['', false, false],
    ['', null, false],
    ['', '', true],
    ['  ', '', true],
    [true, 'YES', true],
    [true, '1', true],
    [true, 'on', false],
    [true, 1, false],
    [false, 0, false],
    [1, true, false],
    ['1', true, true],
    ['no', false, true],
    ['false', false, true],
    [false, 'no', true],
    ['yes', 'true', false],
    [null, null, true],
    [missing, null, true],
    [undefined, null, true],
    [null, '', false],
    [missing, '', false],
    [missing, false, false],
    [0, null, false],
    [Number.NaN, 'nan', false],
    [[1, 'x'], [1, 'x'], true],
    [[1], ['1'], false],
    [['X'], ['x'], false],
    [[1, 2], [1], false],
    [[1, 3], [1, 2], false],
    [{ x: 1 }, { x: 2 }, false],
    [{ x: 1, y: 2 }, { x: 1, z: 2 }, false],
    [null, [], false],
    [{ x: { y: [null] } }, { x: { y: [null] } }, true],
    [{ x: 1, y: 2 }, { x: 1 }, false],
    [{}, { x: null }, false],
    [[], {}, false],
    ['[1]', [1], false],
    [{}, {}, true],
  ])('of %j and %j is %s', (value, operand, expected) => {
    expect(judge({ var: 'a', equals: operand }, contextOf(value))).toBe(expected);
    expect(judge({ var: 'a', not_equals: operand }, contextOf(value))).toBe(!expected);
    expect(judge({ var: 'a', in: ['unlike', operand] }, contextOf(value))).toBe(expected);
    expect(judge({ var: 'a', contains: operand }, { a: ['unlike', value] })).toBe(
      value === missing ? false : expected,
    );
  });
});

describe('the truth value', () => {
  test.each<[value: unknown, expected: boolean]>([
    [missing, false],
    [null, false],
    [false, false],
    [0, false],
    [Number.NaN, false],
    ['', false],
    ['  ', false],
    ['false', false],
    [' NO ', false],
    ['0', false],
    ['off', true],
    ['0.0', true],
    ['anything', true],
    [-1, true],
    [[], true],
    [{}, true],
  ])('of %j is %s', (value, expected) => {
    expect(judge({ var: 'a' }, contextOf(value))).toBe(expected);
    expect(judge('a', contextOf(value))).toBe(expected);
    expect(judge('!a', contextOf(value))).toBe(!expected);
  });
});

describe('a comparison by order', () => {
  test.each<[value: unknown, source: object, expected: boolean]>([
    [2, { gt: 1 }, true],
    [' 2.5e0 ', { gt: 2.4 }, true],
    ['2x', { gt: 1 }, false],
    ['', { lt: 1 }, false],
    [true, { gt: 0 }, false],
    [null, { gte: 0 }, false],
    [missing, { lte: 0 }, false],
    [[5], { gt: 1 }, false],
    [Number.POSITIVE_INFINITY, { gt: 1 }, false],
    [3, { gte: 1, lt: 5 }, true],
    [5, { gte: 1, lt: 5 }, false],
    [1, { gte: 1, lt: 5 }, true],
    [0, { gte: 1 }, false],
  ])('of %j under %j is %s', (value, source, expected) => {
    expect(judge({ var: 'a', ...source }, contextOf(value))).toBe(expected);
  });
});

describe('a text operator', () => {
  test.each<[value: unknown, source: object, expected: boolean]>([
    ['Say HELLO', { contains: ' hello ' }, true],
    ['port 42', { contains: 42 }, true],
    ['anything', { contains: '' }, true],
    ['null', { contains: null }, false],
    [42, { contains: '4' }, false],
    [[1, 2], { contains: '2' }, true],
    [['large one'], { contains: 'large' }, false],
    [[[1]], { contains: [1] }, true],
    [{ a: 1 }, { contains: 'a' }, false],
    [' Hello', { startsWith: 'he' }, true],
    ['Hello ', { endsWith: 'LO' }, true],
    [missing, { startsWith: '' }, false],
    ['HELLO', { matches: '^h.*o$' }, true],
    ['say hello', { matches: 'hel+o' }, true],
    ['HELLO', { matches: '(?-i)^h' }, false],
    [5, { matches: '5' }, false],
  ])('applied to %j with %j is %s', (value, source, expected) => {
    expect(judge({ var: 'a', ...source }, contextOf(value))).toBe(expected);
  });
});

describe('a variable path', () => {
  test.each<[context: Context, path: string, expected: unknown]>([
    [{ 'a.b': 1, a: { b: 2 } }, 'a.b', 1],
    [{ a: { b: { c: 3 } } }, 'a.b.c', 3],
    [{ list: [{ name: 'one' }, { name: 'two' }] }, 'list.1.name', 'two'],
    [{ list: ['x'] }, 'list.01', undefined],
    [{ list: ['x'] }, 'list.length', undefined],
    [{ text: 'abc' }, 'text.0', undefined],
    [{ a: null }, 'a.b', undefined],
    [{ a: null }, 'a', null],
    [{}, 'constructor', undefined],
    [{}, '__proto__', undefined],
    [{ a: {} }, 'a.constructor.name', undefined],
    [{ constructor: 'mine' }, 'constructor', 'mine'],
    [JSON.parse('{"__proto__": {"x": 1}}') as Context, '__proto__.x', 1],
    [Object.create({ inherited: 1 }) as Context, 'inherited', undefined],
    [{ '': { '': 5 } }, '.', 5],
  ])('in %j at %s is looked up', (context, path, expected) => {
    expect(lookUp(context, path)).toBe(expected);
  });

  test('does not find inherited properties', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'a.constructor', 'a.b.hasOwnProperty']) {
      expect(judge({ var: name, exists: true }, { a: { b: {} } })).toBe(false);
      expect(judge({ var: name }, { a: { b: {} } })).toBe(false);
      expect(judge({ var: name, equals: null }, { a: { b: {} } })).toBe(true);
    }
  });

  test('exists only if the value is not null', () => {
    expect([0, '', false, []].map((a) => judge({ var: 'a', exists: true }, { a }))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(judge({ var: 'a', exists: true }, { a: null })).toBe(false);
    expect(judge({ var: 'a', exists: false }, { a: null })).toBe(true);
  });
});

describe('joined conditions', () => {
  test('in one object must all be true', () => {
    expect(judge({})).toBe(true);
    expect(judge({ var: 'a', equals: 3, gt: 5 }, { a: 3 })).toBe(false);
    expect(judge({ and: ['a'], or: ['b'], not: 'c' }, { a: 1, b: 1 })).toBe(true);
    expect(judge({ and: ['a'], or: ['b'], not: 'c' }, { a: 1, b: 1, c: 1 })).toBe(false);
    expect(judge({ var: 'a', or: ['b'] }, { b: 1 })).toBe(false);
    expect(judge({ var: 'a', or: ['b'] }, { a: 1, b: 1 })).toBe(true);
  });

  test('of an empty list are true with and, and false with or', () => {
    expect(judge({ and: [] })).toBe(true);
    expect(judge({ or: [] })).toBe(false);
  });

  test('can nest notations in each other', () => {
    const source = {
      type: 'and',
      conditions: [
        'n > 3',
        { not: { type: 'simple', variable: 's', operator: '==', value: 'x' } },
        { or: ['a', 'b'] },
      ],
    };
    expect(judge(source, { n: 4, b: true })).toBe(true);
    expect(judge(source, { n: 4, b: true, s: 'X' })).toBe(false);
    expect(judge(source, { n: 3, b: true })).toBe(false);
  });
});

test('A hostile pattern and a huge value are evaluated quickly', () => {
  expect(judge({ var: 'a', matches: '^(a+)+$' }, { a: `${'a'.repeat(60_000)}!` })).toBe(false);
  expect(judge({ var: 'a', matches: '(a|b)*a(a|b){500}c' }, { a: `c${'ab'.repeat(2_000_000)}` })).toBe(false);
  const periodic = `${'a'.repeat(100_000)}b${'a'.repeat(100_000)}`;
  expect(judge({ var: 'a', contains: periodic }, { a: 'a'.repeat(5_000_000) })).toBe(false);
});
