import { describe, expect, test } from 'vitest';
import type { ConditionIssue } from '@workflowlookup/conditions';
import { parseCondition } from '@workflowlookup/conditions';

function issuesOf(source: unknown): readonly ConditionIssue[] {
  const parsed = parseCondition(source);
  return parsed.ok ? [] : parsed.issues;
}

const nested = (depth: number): unknown => (depth === 0 ? 'a' : { not: nested(depth - 1) });

describe('the object form of a condition', () => {
  test.each<[source: unknown, pointer: string, message: string, suggestion?: string]>([
    [7, '', 'A condition must be an object or a string, found 7.'],
    [null, '', 'A condition must be an object or a string, found null.'],
    [[], '', 'A condition must be an object or a string, found a list.'],
    [
      { var: 7 },
      '/var',
      'The name of a variable must be a string, found 7.',
      'Write the name of a variable.',
    ],
    [
      { var: '' },
      '/var',
      'The name of a variable must be a string, found "".',
      'Write the name of a variable.',
    ],
    [{ var: 'a', equal: 1 }, '/equal', 'Unknown operator "equal".', 'Did you mean "equals"?'],
    [
      { var: 'a', startswith: 'x' },
      '/startswith',
      'Unknown operator "startswith".',
      'Did you mean "startsWith"?',
    ],
    [
      { equals: 1 },
      '/equals',
      '"equals" has no variable to compare.',
      'Add "var" with the name of a variable.',
    ],
    [
      { and: { var: 'a' } },
      '/and',
      '"and" and "or" need a list of conditions, found an object.',
      'Put the conditions in a list.',
    ],
    [{ or: ['a', { not: 3 }] }, '/or/1/not', 'A condition must be an object or a string, found 3.'],
    [
      { var: 'a', gt: '1' },
      '/gt',
      'A comparison with <, <=, > or >= needs a number, found "1".',
      'Write a number.',
    ],
    [{ var: 'a', in: 'x' }, '/in', '"in" needs a list, found "x".', 'Write a list of values.'],
    [
      { var: 'a', exists: 'yes' },
      '/exists',
      '"exists" needs true or false, found "yes".',
      'Write true or false.',
    ],
    [{ var: 'a', startsWith: 1 }, '/startsWith', '"startsWith" needs a string, found 1.', 'Write a string.'],
    [
      { var: 'a', matches: 1 },
      '/matches',
      '"matches" needs a pattern as a string, found 1.',
      'Write a string.',
    ],
    [{ var: 'a', equals: Number.NaN }, '/equals', '"equals" needs a JSON value, found NaN.'],
    [
      { var: 'a', matches: '[' },
      '/matches',
      'Bad pattern: missing closing ] at "[".',
      'Write a pattern in RE2 syntax.',
    ],
    [
      { var: 'a', gt: 'x'.repeat(40) },
      '/gt',
      `A comparison with <, <=, > or >= needs a number, found "${'x'.repeat(40)}".`,
      'Write a number.',
    ],
    [
      { var: 'a', gt: 'x'.repeat(41) },
      '/gt',
      `A comparison with <, <=, > or >= needs a number, found "${'x'.repeat(40)}…".`,
      'Write a number.',
    ],
    [
      { var: 'a', gt: true },
      '/gt',
      'A comparison with <, <=, > or >= needs a number, found true.',
      'Write a number.',
    ],
    [{ var: 'a', equals: Symbol() }, '/equals', '"equals" needs a JSON value, found a symbol.'],
    [
      { var: 'a', resembles: 1 },
      '/resembles',
      'Unknown operator "resembles".',
      'Use one of var, and, or, not, equals, not_equals, gt, gte, lt, lte, contains, startsWith, endsWith, matches, in, exists.',
    ],
    [
      { type: 'simple', variable: 'a', operator: '>', value: 1, colour: 'red' },
      '/colour',
      'Unknown field "colour" in a condition.',
      'Use variable, operator, value.',
    ],
    [{ type: 'not', condition: 3 }, '/condition', 'A condition must be an object or a string, found 3.'],
    [
      { type: 'and', conditions: 3 },
      '/conditions',
      '"and" and "or" need a list of conditions, found 3.',
      'Put the conditions in a list.',
    ],
    [
      { type: 'simple', variable: 7, operator: '==', value: 1 },
      '/variable',
      'The name of a variable must be a string, found 7.',
      'Write the name of a variable.',
    ],
    [
      { type: 'simple', variable: 'a', operator: '>', value: 'x' },
      '/value',
      'A comparison with <, <=, > or >= needs a number, found "x".',
      'Write a number.',
    ],
    [{ type: 'some' }, '/type', 'Unknown type of condition "some".', 'Use one of simple, and, or, not.'],
    [{ type: 'not' }, '', 'A condition must be an object or a string, found nothing.'],
    [
      { type: 'and', conditions: [], condition: 1 },
      '/condition',
      'Unknown field "condition" in a condition.',
      'Did you mean "conditions"?',
    ],
    [
      { type: 'simple', variable: 'a', operator: '===', value: 1 },
      '/operator',
      'Unknown operator "===".',
      'Use one of == != > < >= <= exists notExists',
    ],
    [{ type: 'simple', variable: 'a', operator: '==' }, '', '"equals" needs a JSON value, found nothing.'],
  ])('is refused for %j at %s', (source, pointer, message, suggestion) => {
    const expected = suggestion === undefined ? { pointer, message } : { pointer, message, suggestion };
    expect(issuesOf(source)).toEqual([expected]);
  });

  test('is refused with every error at its position', () => {
    const source = { and: [{ var: 'a', like: 1 }, 'b ==', { var: 'c', 'a/b~': 1 }] };
    const pointers = issuesOf(source).map((issue) => Reflect.get(issue, 'pointer') as unknown);
    expect(pointers).toEqual(['/and/0/like', '/and/1', '/and/2/a~1b~0']);
  });

  test('may have keys that begin with x-', () => {
    expect(parseCondition({ var: 'a', equals: 1, 'x-note': 'why' }).ok).toBe(true);
    expect(parseCondition({ type: 'not', condition: 'a', 'x-note': 'why' }).ok).toBe(true);
  });

  test('treats its own __proto__ key as an unknown operator', () => {
    expect(issuesOf(JSON.parse('{"__proto__": {"var": "a"}}'))).toMatchObject([{ pointer: '/__proto__' }]);
  });

  test('refuses a pattern with a back reference or look-around, with the reason', () => {
    expect(issuesOf({ var: 'a', matches: '(a)\\1' })).toMatchObject([
      { message: 'The back reference \\1 is not supported: patterns run in linear time.' },
    ]);
    expect(issuesOf({ var: 'a', matches: '(?!a)b' })).toMatchObject([
      { message: 'Look-around (?!…) is not supported: patterns run in linear time.' },
    ]);
  });

  test('is refused if it is nested deeper than 64 levels', () => {
    expect(parseCondition(nested(63)).ok).toBe(true);
    expect(issuesOf(nested(64))).toMatchObject([
      { message: 'The condition is nested deeper than 64 levels.' },
    ]);
    expect(issuesOf(nested(5_000))).toHaveLength(1);
    const endless: { not?: unknown } = {};
    endless.not = endless;
    expect(issuesOf(endless)).toHaveLength(1);
  });
});

describe('the string form of a condition', () => {
  test.each<[source: string, column: number, message: string, suggestion?: string]>([
    ['a ==', 5, 'Expected a value, found the end.'],
    ['a == 1 &&', 10, 'Expected the name of a variable, found the end.'],
    ['(a == 1', 8, 'Expected ")", found the end.'],
    ['a == 1)', 7, 'Expected "and", "or" or the end, found ")".'],
    ['a === 1', 3, 'Expected "and", "or" or the end, found "===".', 'Write == instead.'],
    ['a !== 1', 3, 'Expected "and", "or" or the end, found "!==".', 'Write != instead.'],
    ['a = 1', 3, 'Expected "and", "or" or the end, found "=".', 'Write == instead.'],
    ['a <> 1', 3, 'Expected "and", "or" or the end, found "<>".', 'Write != instead.'],
    ['a & b', 3, 'Expected "and", "or" or the end, found "&".', 'Write && instead.'],
    ['a AND b', 3, 'Expected "and", "or" or the end, found "AND".', 'Write and instead.'],
    ['size == large', 9, 'Expected a value, found "large".', 'Put quotes around it: "large".'],
    ['1 < a', 1, 'Expected the name of a variable, found "1".'],
    ['true == a', 6, 'A comparison must start with the name of a variable, found "==".'],
    ['exists a == 1', 10, 'A comparison must start with the name of a variable, found "==".'],
    [
      '!a == 1',
      4,
      '"!" applies only to the word next to it, found "==".',
      'Put the comparison in parentheses: !(a == 1).',
    ],
    ['a == 1 == 2', 8, 'Expected "and", "or" or the end, found "==".'],
    ['a > "3"', 5, 'A comparison with <, <=, > or >= needs a number, found "3".', 'Write a number.'],
    ['a in "x"', 6, 'Expected a list, found "x".', 'Write a list: name in ["a", "b"].'],
    ['a in ["x" "y"]', 11, 'Expected "," or "]", found "y".'],
    ['a in ["x",]', 11, 'Expected a value, found "]".'],
    ['a == "x', 6, 'The string has no closing quote.'],
    ['a == 1 # b', 8, 'Unexpected "#".'],
    ['a == 1.2.3', 6, 'Unexpected "1".'],
    ['a "in" ["x"]', 3, 'Expected "and", "or" or the end, found "in".'],
    ['and', 1, 'Expected the name of a variable, found "and".'],
    ['exists', 7, 'Expected the name of a variable, found the end.'],
    ["a == 'x", 6, 'The string has no closing quote.'],
    ['a "==" 1', 3, 'Expected "and", "or" or the end, found "==".'],
    ['a "===" 1', 3, 'Expected "and", "or" or the end, found "===".'],
    ['"not" a', 1, 'Expected the name of a variable, found "not".'],
    ['a == and', 6, 'Expected a value, found "and".'],
    ['a == )', 6, 'Expected a value, found ")".'],
  ])('is refused for %s at column %i', (source, column, message, suggestion) => {
    const found = issuesOf(source).map((issue) => [issue.pointer, issue.message, issue.suggestion]);
    expect(found).toEqual([['', `Column ${column}: ${message}`, suggestion]]);
  });

  test.each([
    ['a === 1 || b === 2', [{ kind: 'swap', from: '===', to: '==' }]],
    ['a !== "!="', [{ kind: 'swap', from: '!==', to: '!=' }]],
    ['a === "x === y"', [undefined]],
    ['a = 1', [undefined]],
    ['a === "==="', [undefined]],
    ['a == "x', [undefined]],
  ])('has a repair for %s', (source, repairs) => {
    expect(issuesOf(source).map(({ repair }) => repair)).toEqual(repairs);
  });

  test('is refused if it is empty', () => {
    expect(issuesOf(' \n')).toEqual([
      {
        pointer: '',
        message: 'The condition is empty.',
        suggestion: 'Write a condition, such as ready == true.',
      },
    ]);
  });

  test('is refused if parentheses, not and ! are nested deeper than 64 levels', () => {
    for (const open of ['(', 'not ', '!']) {
      const close = open === '(' ? ')' : '';
      expect(parseCondition(`${open.repeat(60)}a${close.repeat(60)}`).ok).toBe(true);
      const column = open.length * 64 + 1;
      expect(issuesOf(`${open.repeat(2_000)}a`)).toMatchObject([
        { message: `Column ${column}: The condition is nested deeper than 64 levels.` },
      ]);
    }
  });

  test('is refused if it is too long', () => {
    expect(issuesOf(`a == "${'x'.repeat(10_000)}"`)).toMatchObject([
      { message: expect.stringContaining('10000') as string },
    ]);
  });
});
