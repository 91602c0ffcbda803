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
])('the schema %j is impossible', async (schema, pointer, why) => {
  expect(await impossible({ type: 'schema', schema, message: m })).toEqual([
    [`/schema${pointer}`, `No JSON meets this schema: ${why}.`],
  ]);
});

test('schemas of different types can not both be met', async () => {
  const ofType = (type: string): Criteria => ({ type: 'schema', schema: { type }, message: m });
  expect(await impossible([ofType('array'), ofType('object')])).toEqual([
    ['', 'No JSON is of type array and of type object.'],
  ]);
  expect(await impossible([ofType('integer'), ofType('number')])).toEqual([]);
});
