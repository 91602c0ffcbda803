import { expect, test } from 'vitest';
import type { Criteria, JsonObject } from '@workflowlookup/schema';
import { has, impossible, length } from './impossible.ts';

const m = 'm';
const matches = (pattern: string, flags?: string): Criteria => ({
  type: 'regex',
  pattern,
  message: m,
  ...(flags !== undefined && { flags }),
});

test.each<[criteria: Criteria, pointer: string, why: string]>([
  [length({ min: 5, max: 2 }), '', 'No output has at least 5 and at most 2 characters.'],
  [
    [length({ min: 9 }), { and: [length({ max: 8 })] }],
    '',
    'No output has at least 9 and at most 8 characters.',
  ],
  [{ and: [has('four'), length({ max: 3 })] }, '', 'No output has at least 4 and at most 3 characters.'],
  [[has('ready'), { not: has('read') }], '', 'No output contains "ready" and does not: contains "read".'],
  [[has('v12'), { not: matches('\\d+') }], '', 'No output contains "v12" and does not: matches "\\\\d+".'],
  [
    ['done', { not: { or: [has('x'), 'done'] } }],
    '',
    'No output matches "done" and does not: matches "done".',
  ],
  [
    { or: [has('a'), length({ min: 2, max: 1 })] },
    '/or/1',
    'No output has at least 2 and at most 1 characters.',
  ],
  [{ not: matches('a*') }, '', 'Every output matches "a*", which must not be.'],
  [{ not: has('') }, '', 'Every output contains "", which must not be.'],
  [{ not: length({ min: 0 }) }, '', 'Every output meets the length rule, which must not be.'],
  [{ not: length({}) }, '', 'Every output meets the length rule, which must not be.'],
  [[{ not: length({ min: 0 }) }, has('a')], '/0', 'Every output meets the length rule, which must not be.'],
  [[has('a'), [has('b'), length({ max: 0 })]], '/1', 'No output has at least 1 and at most 0 characters.'],
  [
    { and: [has('a'), { or: [length({ min: 2, max: 1 }), has('b')] }] },
    '/and/1/or/0',
    'No output has at least 2 and at most 1 characters.',
  ],
  [
    [has('ready'), { or: [has('x')] }, { not: { and: [has('read')] } }],
    '',
    'No output contains "ready" and does not: contains "read".',
  ],
  [{ not: { not: length({ min: 2, max: 1 }) } }, '', 'No output has at least 2 and at most 1 characters.'],
  [[matches('a', ''), { not: 'a' }], '', 'No output matches "a" and does not: matches "a".'],
  [
    [has('READ'), { not: matches('read', 'i') }],
    '',
    'No output contains "READ" and does not: matches "read".',
  ],
])('%j is impossible', async (criteria, pointer, why) => {
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
])('%j can be met', async (criteria) => {
  expect(await impossible(criteria)).toEqual([]);
});

test.each<[schema: JsonObject | false, pointer: string, why: string]>([
  [false, '', 'it is false'],
  [{ type: 'string', enum: [1, 2] }, '/enum', "no value of 'enum' has the type that 'type' asks for"],
  [{ type: ['null', 'array'], const: {} }, '/const', "no value of 'const' has the type that 'type' asks for"],
  [{ type: 'integer', minimum: 3, maximum: 2 }, '/minimum', "'minimum' 3 is more than 'maximum' 2"],
  [{ type: 'string', minLength: 3, maxLength: 2 }, '/minLength', "'minLength' 3 is more than 'maxLength' 2"],
  [
    { type: 'object', required: ['name'], properties: { nmae: {} }, additionalProperties: false },
    '/required/0',
    '"name" is required and not allowed',
  ],
  [
    {
      type: 'object',
      required: ['rows'],
      properties: { rows: { type: 'array', minItems: 1, items: { type: 'string', const: 4 } } },
    },
    '/properties/rows/items/const',
    "no value of 'const' has the type that 'type' asks for",
  ],
  [{ allOf: [{}, { not: {} }] }, '/allOf/1/not', "'not' refuses every value"],
  [{ anyOf: [false, { not: true }] }, '/anyOf/0', 'it is false'],
  [{ oneOf: [{ not: {} }, false] }, '/oneOf/0/not', "'not' refuses every value"],
  [{ type: 'object', const: [] }, '/const', "no value of 'const' has the type that 'type' asks for"],
  [{ type: 'null', const: false }, '/const', "no value of 'const' has the type that 'type' asks for"],
  [{ type: 'integer', enum: [1.5, '1'] }, '/enum', "no value of 'enum' has the type that 'type' asks for"],
  [{ type: 'number', minimum: 1.5, maximum: 1 }, '/minimum', "'minimum' 1.5 is more than 'maximum' 1"],
  [{ type: 'array', minItems: 2, maxItems: 1 }, '/minItems', "'minItems' 2 is more than 'maxItems' 1"],
  [
    { type: 'object', minProperties: 2, maxProperties: 1 },
    '/minProperties',
    "'minProperties' 2 is more than 'maxProperties' 1",
  ],
  [
    { type: ['string', 'array'], minLength: 2, maxLength: 1, minItems: 1, items: false },
    '/minLength',
    "'minLength' 2 is more than 'maxLength' 1",
  ],
  [
    { type: 'object', required: ['a', 'b/c'], properties: { a: {}, 'b/c': false } },
    '/properties/b~1c',
    'it is false',
  ],
  [
    { type: 'object', required: ['constructor'], additionalProperties: false },
    '/required/0',
    '"constructor" is required and not allowed',
  ],
])('the schema %j is impossible', async (schema, pointer, why) => {
  expect(await impossible({ type: 'schema', schema, message: m })).toEqual([
    [`/schema${pointer}`, `No JSON meets this schema: ${why}.`],
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
])('the schema %j can be met, as far as that shows', async (schema) => {
  expect(await impossible({ type: 'schema', schema, message: m })).toEqual([]);
});

test('schemas of different types can not both be met', async () => {
  const ofType = (...type: readonly string[]): Criteria => ({
    type: 'schema',
    schema: { type: type.length === 1 ? (type[0] ?? '') : type },
    message: m,
  });
  expect(await impossible([ofType('array'), ofType('object')])).toEqual([
    ['', 'No JSON is of type array and of type object.'],
  ]);
  expect(await impossible([ofType('integer'), ofType('number')])).toEqual([]);
  expect(await impossible([ofType('number'), ofType('integer')])).toEqual([]);
  expect(await impossible([ofType('number'), ofType('string')])).toEqual([
    ['', 'No JSON is of type number and of type string.'],
  ]);
  expect(await impossible([ofType('integer'), ofType('string')])).toHaveLength(1);
  expect(await impossible([ofType('string', 'null'), ofType('null', 'array')])).toEqual([]);
  expect(await impossible([ofType('string', 'null'), ofType('array', 'object')])).toEqual([
    ['', 'No JSON is of type string or null and of type array or object.'],
  ]);
  expect(await impossible([{ type: 'schema', schema: {}, message: m }, ofType('array')])).toEqual([]);
});
