import { expect, test } from 'vitest';
import type { Criteria, JsonObject } from '@workflowlookup/schema';
import { messages } from '../../src/messages.ts';
import { has, impossible, length } from './impossible.ts';

const { contradictions, meets } = messages;

const m = 'm';
const matches = (pattern: string, flags?: string): Criteria => ({
  type: 'regex',
  pattern,
  message: m,
  ...(flags !== undefined && { flags }),
});

test.each<[criteria: Criteria, pointer: string, why: string]>([
  [length({ min: 5, max: 2 }), '', messages.contradictoryLengths(5, 2)],
  [[length({ min: 9 }), { and: [length({ max: 8 })] }], '', messages.contradictoryLengths(9, 8)],
  [{ and: [has('four'), length({ max: 3 })] }, '', messages.contradictoryLengths(4, 3)],
  [
    [has('ready'), { not: has('read') }],
    '',
    messages.impliesForbidden(meets.contains('ready'), meets.contains('read')),
  ],
  [
    [has('v12'), { not: matches('\\d+') }],
    '',
    messages.impliesForbidden(meets.contains('v12'), meets.matches('\\d+')),
  ],
  [
    ['done', { not: { or: [has('x'), 'done'] } }],
    '',
    messages.impliesForbidden(meets.matches('done'), meets.matches('done')),
  ],
  [{ or: [has('a'), length({ min: 2, max: 1 })] }, '/or/1', messages.contradictoryLengths(2, 1)],
  [{ not: matches('a*') }, '', messages.alwaysForbidden(meets.matches('a*'))],
  [{ not: has('') }, '', messages.alwaysForbidden(meets.contains(''))],
  [{ not: length({ min: 0 }) }, '', messages.alwaysForbidden(meets.other('length'))],
  [{ not: length({}) }, '', messages.alwaysForbidden(meets.other('length'))],
  [[{ not: length({ min: 0 }) }, has('a')], '/0', messages.alwaysForbidden(meets.other('length'))],
  [[has('a'), [has('b'), length({ max: 0 })]], '/1', messages.contradictoryLengths(1, 0)],
  [
    { and: [has('a'), { or: [length({ min: 2, max: 1 }), has('b')] }] },
    '/and/1/or/0',
    messages.contradictoryLengths(2, 1),
  ],
  [
    [has('ready'), { or: [has('x')] }, { not: { and: [has('read')] } }],
    '',
    messages.impliesForbidden(meets.contains('ready'), meets.contains('read')),
  ],
  [{ not: { not: length({ min: 2, max: 1 }) } }, '', messages.contradictoryLengths(2, 1)],
  [[matches('a', ''), { not: 'a' }], '', messages.impliesForbidden(meets.matches('a'), meets.matches('a'))],
  [
    [has('READ'), { not: matches('read', 'i') }],
    '',
    messages.impliesForbidden(meets.contains('READ'), meets.matches('read')),
  ],
])('The criteria %j are reported as impossible', async (criteria, pointer, why) => {
  expect(await impossible(criteria)).toEqual([[pointer, why]]);
});

test.each<[criteria: Criteria]>([
  [[has('ready'), { not: has('already') }]],
  [[length({ min: 3 }), length({ max: 3 })]],
  [{ or: [length({ min: 9 }), length({ max: 8 })] }],
  [['done', { not: matches('done', 'i') }]],
  [['done', { not: '^done$' }]],
  [{ not: '^$' }],
  [{ not: matches('a+') }],
  [{ not: { and: [has('a'), { not: has('a') }] } }],
  [[length({ min: 9 }), length({ max: 8, condition: 'short' })]],
  [[length({ min: 9, condition: 'long' }), length({ max: 8 })]],
  [{ not: length({ min: 1 }) }],
  [{ not: length({ max: 9 }) }],
  [{ not: length({ min: 0, max: 9 }) }],
  [{ not: { or: [length({ min: 2 }), has('b')] } }],
  [[has('a'), { or: [{ not: has('a') }, has('b')] }]],
  [[has('a'), { not: 'b' }]],
  [[has('a'), { not: length({ max: 3 }) }]],
  [['a', { not: has('a') }]],
  [[has('a b'), { not: '\\Ba' }]],
  [[has('a b'), { not: 'a\\b' }]],
  [{ not: '^' }],
  [{ not: '\\b' }],
  [[length({ min: 1 }), { not: length({ min: 5 }) }]],
])('The criteria %j are not reported as impossible', async (criteria) => {
  expect(await impossible(criteria)).toEqual([]);
});

test.each<[schema: JsonObject | false, pointer: string, why: string]>([
  [false, '', contradictions.isFalse],
  [{ type: 'string', enum: [1, 2] }, '/enum', contradictions.enumOfOtherTypes],
  [{ type: ['null', 'array'], const: {} }, '/const', contradictions.constOfOtherType],
  [
    { type: 'integer', minimum: 3, maximum: 2 },
    '/minimum',
    contradictions.bounds('minimum', 3, 'maximum', 2),
  ],
  [
    { type: 'string', minLength: 3, maxLength: 2 },
    '/minLength',
    contradictions.bounds('minLength', 3, 'maxLength', 2),
  ],
  [
    { type: 'object', required: ['name'], properties: { nmae: {} }, additionalProperties: false },
    '/required/0',
    contradictions.requiredAndForbidden('name'),
  ],
  [
    {
      type: 'object',
      required: ['rows'],
      properties: { rows: { type: 'array', minItems: 1, items: { type: 'string', const: 4 } } },
    },
    '/properties/rows/items/const',
    contradictions.constOfOtherType,
  ],
  [{ allOf: [{}, { not: {} }] }, '/allOf/1/not', contradictions.notExcludesAll],
  [{ anyOf: [false, { not: true }] }, '/anyOf/0', contradictions.isFalse],
  [{ oneOf: [{ not: {} }, false] }, '/oneOf/0/not', contradictions.notExcludesAll],
  [{ type: 'object', const: [] }, '/const', contradictions.constOfOtherType],
  [{ type: 'null', const: false }, '/const', contradictions.constOfOtherType],
  [{ type: 'integer', enum: [1.5, '1'] }, '/enum', contradictions.enumOfOtherTypes],
  [
    { type: 'number', minimum: 1.5, maximum: 1 },
    '/minimum',
    contradictions.bounds('minimum', 1.5, 'maximum', 1),
  ],
  [
    { type: 'array', minItems: 2, maxItems: 1 },
    '/minItems',
    contradictions.bounds('minItems', 2, 'maxItems', 1),
  ],
  [
    { type: 'object', minProperties: 2, maxProperties: 1 },
    '/minProperties',
    contradictions.bounds('minProperties', 2, 'maxProperties', 1),
  ],
  [
    { type: ['string', 'array'], minLength: 2, maxLength: 1, minItems: 1, items: false },
    '/minLength',
    contradictions.bounds('minLength', 2, 'maxLength', 1),
  ],
  [
    { type: 'object', required: ['a', 'b/c'], properties: { a: {}, 'b/c': false } },
    '/properties/b~1c',
    contradictions.isFalse,
  ],
  [
    { type: 'object', required: ['constructor'], additionalProperties: false },
    '/required/0',
    contradictions.requiredAndForbidden('constructor'),
  ],
])('The schema %j is reported as impossible', async (schema, pointer, why) => {
  expect(await impossible({ type: 'schema', schema, message: m })).toEqual([
    [`/schema${pointer}`, messages.nothingMeets(why)],
  ]);
});

test.each<[schema: JsonObject]>([
  [{ enum: [1, 'a'] }],
  [{ type: 'string', enum: [1, 'a'] }],
  [{ type: 'integer', const: 1 }],
  [{ type: 'number', const: 1.5 }],
  [{ type: 'array', const: [] }],
  [{ type: 'object', const: {} }],
  [{ type: ['null', 'array'], const: [] }],
  [{ type: 'null', const: null }],
  [{ type: 'boolean', const: false }],
  [{ type: ['string', 'array'], minLength: 2, maxLength: 1 }],
  [{ minLength: 2, maxLength: 1 }],
  [{ type: 'integer', minimum: 2, maximum: 2 }],
  [{ type: 'integer', minimum: 2 }],
  [{ type: 'string', minItems: 2, maxItems: 1 }],
  [{ type: 'array', items: false }],
  [{ type: 'array', items: false, minItems: 0 }],
  [{ type: 'array', minItems: 1, prefixItems: [{}], items: false }],
  [{ type: 'array', minItems: 1 }],
  [{ type: 'object', required: ['a'], additionalProperties: false, patternProperties: { a: {} } }],
  [{ type: 'object', required: ['a'], additionalProperties: {} }],
  [{ type: 'object', required: ['a'], properties: { a: {} }, additionalProperties: false }],
  [{ type: 'object', properties: { a: false } }],
  [{ not: { type: 'string' } }],
  [{ not: false }],
  [{ anyOf: [false, {}] }],
  [{ oneOf: [{}, false] }],
  [{ allOf: [{}, { type: 'string' }] }],
])('The schema %j is not reported as impossible', async (schema) => {
  expect(await impossible({ type: 'schema', schema, message: m })).toEqual([]);
});

test('Two schemas of different types are reported as impossible together', async () => {
  const ofType = (...type: readonly string[]): Criteria => ({
    type: 'schema',
    schema: { type: type.length === 1 ? (type[0] ?? '') : type },
    message: m,
  });
  expect(await impossible([ofType('array'), ofType('object')])).toEqual([
    ['', messages.contradictoryTypes(['array'], ['object'])],
  ]);
  expect(await impossible([ofType('integer'), ofType('number')])).toEqual([]);
  expect(await impossible([ofType('number'), ofType('integer')])).toEqual([]);
  expect(await impossible([ofType('number'), ofType('string')])).toEqual([
    ['', messages.contradictoryTypes(['number'], ['string'])],
  ]);
  expect(await impossible([ofType('integer'), ofType('string')])).toHaveLength(1);
  expect(await impossible([ofType('string', 'null'), ofType('null', 'array')])).toEqual([]);
  expect(await impossible([ofType('string', 'null'), ofType('array', 'object')])).toEqual([
    ['', messages.contradictoryTypes(['string', 'null'], ['array', 'object'])],
  ]);
  expect(await impossible([{ type: 'schema', schema: {}, message: m }, ofType('array')])).toEqual([]);
});
