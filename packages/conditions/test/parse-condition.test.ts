import { describe, expect, test } from 'vitest';
import type { ConditionIssue } from '@workflowlookup/conditions';
import { parseCondition } from '@workflowlookup/conditions';
import type { Message } from '../src/messages.ts';
import { messages, useOneOf } from '../src/messages.ts';

function issuesOf(source: unknown): readonly ConditionIssue[] {
  const parsed = parseCondition(source);
  return parsed.ok ? [] : parsed.issues;
}

const words =
  'var and or not equals not_equals gt gte lt lte contains startsWith endsWith matches in exists'.split(' ');
const signs = ['==', '!=', '>', '<', '>=', '<=', 'exists', 'notExists'];
const nested = (depth: number): unknown => (depth === 0 ? 'a' : { not: nested(depth - 1) });

describe('the object form of a condition', () => {
  test.each<[source: unknown, pointer: string, problem: Message]>([
    [7, '', messages.notACondition(7)],
    [null, '', messages.notACondition(null)],
    [[], '', messages.notACondition([])],
    [{ var: 7 }, '/var', messages.notAName(7)],
    [{ var: '' }, '/var', messages.notAName('')],
    [{ var: 'a', equal: 1 }, '/equal', messages.unknownOperator('equal', useOneOf('equals', []))],
    [
      { var: 'a', startswith: 'x' },
      '/startswith',
      messages.unknownOperator('startswith', useOneOf('startsWith', [])),
    ],
    [{ equals: 1 }, '/equals', messages.noVariable('equals')],
    [{ and: { var: 'a' } }, '/and', messages.notAList({})],
    [{ or: ['a', { not: 3 }] }, '/or/1/not', messages.notACondition(3)],
    [{ var: 'a', gt: '1' }, '/gt', messages.orderNeedsNumber('1')],
    [{ var: 'a', in: 'x' }, '/in', messages.needsList('in', 'x')],
    [{ var: 'a', exists: 'yes' }, '/exists', messages.needsBoolean('exists', 'yes')],
    [{ var: 'a', startsWith: 1 }, '/startsWith', messages.needsString('startsWith', 1)],
    [{ var: 'a', matches: 1 }, '/matches', messages.needsPattern('matches', 1)],
    [{ var: 'a', equals: Number.NaN }, '/equals', messages.needsJson('equals', Number.NaN)],
    [
      { var: 'a', matches: '[' },
      '/matches',
      messages.badPattern(messages.invalidPattern('missing closing ]', '[')),
    ],
    [{ var: 'a', gt: true }, '/gt', messages.orderNeedsNumber(true)],
    [{ var: 'a', equals: Symbol() }, '/equals', messages.needsJson('equals', Symbol())],
    [
      { var: 'a', resembles: 1 },
      '/resembles',
      messages.unknownOperator('resembles', useOneOf(undefined, words)),
    ],
    [
      { type: 'simple', variable: 'a', operator: '>', value: 1, colour: 'red' },
      '/colour',
      messages.unknownField('colour', undefined, ['variable', 'operator', 'value']),
    ],
    [{ type: 'not', condition: 3 }, '/condition', messages.notACondition(3)],
    [{ type: 'and', conditions: 3 }, '/conditions', messages.notAList(3)],
    [{ type: 'simple', variable: 7, operator: '==', value: 1 }, '/variable', messages.notAName(7)],
    [{ type: 'simple', variable: 'a', operator: '>', value: 'x' }, '/value', messages.orderNeedsNumber('x')],
    [{ type: 'some' }, '/type', messages.unknownType('some', ['simple', 'and', 'or', 'not'])],
    [{ type: 'not' }, '', messages.notACondition(undefined)],
    [
      { type: 'and', conditions: [], condition: 1 },
      '/condition',
      messages.unknownField('condition', 'conditions', []),
    ],
    [
      { type: 'simple', variable: 'a', operator: '===', value: 1 },
      '/operator',
      messages.unknownOperator('===', messages.useOneSign(signs)),
    ],
    [{ type: 'simple', variable: 'a', operator: '==' }, '', messages.needsJson('equals', undefined)],
  ])('is refused for %j at %s', (source, pointer, problem) => {
    expect(issuesOf(source)).toEqual([{ pointer, ...problem }]);
  });

  test.each([
    [40, ''],
    [41, '…'],
  ])('is refused with at most 40 characters of the wrong value, which has %i', (length, rest) => {
    const [issue] = issuesOf({ var: 'a', gt: 'x'.repeat(length) });
    expect(issue?.message).toContain(`"${'x'.repeat(40)}${rest}"`);
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
      messages.badPattern(messages.backReference('\\1')),
    ]);
    expect(issuesOf({ var: 'a', matches: '(?!a)b' })).toMatchObject([
      messages.badPattern(messages.lookAround('(?!')),
    ]);
  });

  test('is refused if it is nested deeper than 64 levels', () => {
    expect(parseCondition(nested(63)).ok).toBe(true);
    expect(issuesOf(nested(64))).toMatchObject([messages.tooDeep]);
    expect(issuesOf(nested(5_000))).toHaveLength(1);
    const endless: { not?: unknown } = {};
    endless.not = endless;
    expect(issuesOf(endless)).toHaveLength(1);
  });
});

describe('the string form of a condition', () => {
  const { expected } = messages;
  const found = messages.foundInstead;
  const correcting = (sign: string, spelling: string): Message => ({
    ...found(expected.moreOrEnd, sign),
    suggestion: messages.writeInstead(spelling),
  });
  test.each<[source: string, column: number, problem: Message]>([
    ['a ==', 5, found(expected.value, undefined)],
    ['a == 1 &&', 10, found(expected.name, undefined)],
    ['(a == 1', 8, found(expected.closingParenthesis, undefined)],
    ['a == 1)', 7, found(expected.moreOrEnd, ')')],
    ['a === 1', 3, correcting('===', '==')],
    ['a !== 1', 3, correcting('!==', '!=')],
    ['a = 1', 3, correcting('=', '==')],
    ['a <> 1', 3, correcting('<>', '!=')],
    ['a & b', 3, correcting('&', '&&')],
    ['a AND b', 3, correcting('AND', 'and')],
    ['size == large', 9, found(messages.quotedValue('large'), 'large')],
    ['1 < a', 1, found(expected.name, '1')],
    ['true == a', 6, found(expected.nameFirst, '==')],
    ['exists a == 1', 10, found(expected.nameFirst, '==')],
    ['!a == 1', 4, found(expected.parentheses, '==')],
    ['a == 1 == 2', 8, found(expected.moreOrEnd, '==')],
    ['a > "3"', 5, messages.orderNeedsNumber('3')],
    ['a in "x"', 6, found(expected.list, 'x')],
    ['a in ["x" "y"]', 11, found(expected.commaOrBracket, 'y')],
    ['a in ["x",]', 11, found(expected.value, ']')],
    ['a == "x', 6, { message: `${messages.noClosingQuote}.` }],
    ['a == 1 # b', 8, { message: `${messages.unexpected('#')}.` }],
    ['a == 1.2.3', 6, { message: `${messages.unexpected('1')}.` }],
    ['a "in" ["x"]', 3, found(expected.moreOrEnd, 'in')],
    ['and', 1, found(expected.name, 'and')],
    ['exists', 7, found(expected.name, undefined)],
    ["a == 'x", 6, { message: `${messages.noClosingQuote}.` }],
    ['a "==" 1', 3, found(expected.moreOrEnd, '==')],
    ['a "===" 1', 3, found(expected.moreOrEnd, '===')],
    ['"not" a', 1, found(expected.name, 'not')],
    ['a == and', 6, found(expected.value, 'and')],
    ['a == )', 6, found(expected.value, ')')],
  ])('is refused for %s at column %i', (source, column, { message, suggestion }) => {
    expect(issuesOf(source).map((issue) => [issue.pointer, issue.message, issue.suggestion])).toEqual([
      ['', messages.atColumn(column, message), suggestion],
    ]);
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
    expect(issuesOf(' \n')).toEqual([{ pointer: '', ...messages.emptyCondition }]);
  });

  test('is refused if parentheses, not and ! are nested deeper than 64 levels', () => {
    for (const open of ['(', 'not ', '!']) {
      const close = open === '(' ? ')' : '';
      expect(parseCondition(`${open.repeat(60)}a${close.repeat(60)}`).ok).toBe(true);
      const column = open.length * 64 + 1;
      expect(issuesOf(`${open.repeat(2_000)}a`)).toMatchObject([
        { message: messages.atColumn(column, messages.tooDeep.message) },
      ]);
    }
  });

  test('is refused if it is too long', () => {
    expect(issuesOf(`a == "${'x'.repeat(10_000)}"`)).toMatchObject([messages.tooLong(10_007, 10_000)]);
  });
});
