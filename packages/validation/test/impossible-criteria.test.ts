import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Criteria, JsonObject } from '@workflowlookup/schema';
import { checkCriteria, compileCriteria, judge } from '@workflowlookup/validation';

const base = '/steps/0/validationCriteria';
const m = 'm';

/** Where criteria are said to be impossible, and why. */
async function impossible(validationCriteria: Criteria): Promise<readonly [string, string][]> {
  const step = { id: 'one', title: 'One', prompt: 'Do it.', validationCriteria };
  const found = await checkCriteria({ id: 'a-flow', name: 'A', description: 'A.', steps: [step] });
  return found
    .filter(({ code }) => code === 'impossible-criteria')
    .map(({ pointer, message }) => [pointer.slice(base.length), message]);
}

const has = (value: string): Criteria => ({ type: 'contains', value, message: m });
const matches = (pattern: string, flags?: string): Criteria => ({
  type: 'regex',
  pattern,
  message: m,
  ...(flags !== undefined && { flags }),
});
const length = (bounds: object): Criteria => ({ type: 'length', message: m, ...bounds });

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

const letters = ['a', 'b', 'ab'] as const;
const leaf = fc.oneof(
  fc.constantFrom(...letters).map(has),
  fc.constantFrom(...letters, 'a?', '^a', 'b$'),
  fc.nat(3).map((min) => length({ min })),
  fc.nat(3).map((max) => length({ max })),
);
const { criteria } = fc.letrec<{ criteria: Criteria }>((tie) => ({
  criteria: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ not: tie('criteria') }),
    fc.record({ or: fc.array(tie('criteria'), { minLength: 1, maxLength: 2 }) }),
    fc.array(tie('criteria'), { minLength: 1, maxLength: 3 }),
  ),
}));

/** Whether criteria as a whole are said to be impossible, and not one of several that would do. */
async function isImpossible(some: Criteria): Promise<boolean> {
  return (await impossible(some)).some(([pointer]) => !pointer.includes('/or/'));
}

test('no output meets what is said to be impossible', async () => {
  let said = 0;
  const outputs = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 }), { minLength: 5 });
  await fc.assert(
    fc.asyncProperty(criteria, outputs, async (some, texts) => {
      if (!(await isImpossible(some))) return;
      said += 1;
      const compiled = await compileCriteria(some);
      for (const text of texts) expect(judge(compiled, text).valid).toBe(false);
    }),
    { numRuns: 500 },
  );
  expect(said).toBeGreaterThan(0);
});

const { schema } = fc.letrec<{ schema: JsonObject | boolean }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom('string', 'integer', 'object', 'array', ['string', 'null']),
        minimum: fc.nat(3),
        maximum: fc.nat(3),
        minLength: fc.nat(2),
        maxLength: fc.nat(2),
        minItems: fc.nat(2),
        items: tie('schema'),
        required: fc.constantFrom(['a'], ['a', 'b']),
        properties: fc.record({ a: tie('schema') }, { requiredKeys: [] }),
        additionalProperties: fc.boolean(),
        enum: fc.constantFrom([1], ['a', 1], [null]),
        const: fc.constantFrom(1, 'a', null),
        allOf: fc.tuple(tie('schema')),
        anyOf: fc.tuple(tie('schema'), tie('schema')),
        not: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ) as fc.Arbitrary<JsonObject | boolean>,
}));
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom(null, 0, 1, 2, 3, '', 'a', 'bb', true),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.record({ a: tie('value'), b: tie('value') }, { requiredKeys: [] }),
  ),
})).value;

test('no JSON meets a schema that is said to be impossible', async () => {
  let said = 0;
  await fc.assert(
    fc.asyncProperty(schema, fc.array(values, { minLength: 5, maxLength: 20 }), async (some, all) => {
      const rule: Criteria = { type: 'schema', schema: some, message: m };
      if (!(await isImpossible(rule))) return;
      said += 1;
      const compiled = await compileCriteria(rule);
      for (const value of all) expect(judge(compiled, JSON.stringify(value)).valid).toBe(false);
    }),
    { numRuns: 150 },
  );
  expect(said).toBeGreaterThan(0);
});
