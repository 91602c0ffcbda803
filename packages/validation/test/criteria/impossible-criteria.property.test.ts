import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Criteria, JsonObject } from '@workflowlookup/schema';
import { compileCriteria, judge } from '@workflowlookup/validation';
import { has, impossible, length } from './impossible.ts';

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

/** Returns whether criteria are reported as impossible as a whole, and not only one alternative of an `or`. */
async function isImpossible(some: Criteria): Promise<boolean> {
  return (await impossible(some)).some(([pointer]) => !pointer.includes('/or/'));
}

test('No output meets criteria that are reported as impossible', async () => {
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

test('No JSON meets a schema that is reported as impossible', async () => {
  let said = 0;
  await fc.assert(
    fc.asyncProperty(schema, fc.array(values, { minLength: 5, maxLength: 20 }), async (some, all) => {
      const rule: Criteria = { type: 'schema', schema: some, message: 'm' };
      if (!(await isImpossible(rule))) return;
      said += 1;
      const compiled = await compileCriteria(rule);
      for (const value of all) expect(judge(compiled, JSON.stringify(value)).valid).toBe(false);
    }),
  );
  expect(said).toBeGreaterThan(0);
});
