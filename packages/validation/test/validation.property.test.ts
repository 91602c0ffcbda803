import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { WorkflowError } from '@workflowlookup/schema';
import { compileCriteria, describeCriteria, judge } from '@workflowlookup/validation';

const letters = ['a', 'b', 'c'] as const;
const leaf = fc.oneof(
  fc.constantFrom(...letters).map((value) => ({ type: 'contains', value, message: value })),
  fc.constantFrom(...letters),
  fc.nat(4).map((min) => ({ type: 'length', min })),
);
const { criteria } = fc.letrec<{ criteria: unknown }>((tie) => ({
  criteria: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({ not: tie('criteria') }),
    fc.record({ and: fc.array(tie('criteria'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('criteria'), { minLength: 1, maxLength: 3 }) }),
    fc.array(tie('criteria'), { minLength: 1, maxLength: 3 }),
  ),
}));
const output = fc.string({ unit: fc.constantFrom(...letters), maxLength: 5 });

async function passes(some: unknown, text: string): Promise<boolean> {
  return judge(await compileCriteria(some), text).valid;
}

test('"not" negates, and "and", "or" and lists agree with every and some', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(criteria, { minLength: 1, maxLength: 3 }), output, async (members, text) => {
      const each = await Promise.all(members.map((member) => passes(member, text)));
      expect(await passes({ and: members }, text)).toBe(each.every(Boolean));
      expect(await passes(members, text)).toBe(each.every(Boolean));
      expect(await passes({ or: members }, text)).toBe(each.some(Boolean));
      expect(await passes({ not: { or: members } }, text)).toBe(!each.some(Boolean));
    }),
  );
});

test('An output is valid exactly if there are no issues, and each suggestion is made once', async () => {
  await fc.assert(
    fc.asyncProperty(criteria, output, async (some, text) => {
      const { valid, issues, suggestions } = judge(await compileCriteria(some), text);
      expect(valid).toBe(issues.length === 0);
      expect(valid).toBe(suggestions.length === 0);
      expect(new Set(suggestions).size).toBe(suggestions.length);
    }),
  );
});

test('Criteria of any shape are checked or refused with an error code', async () => {
  const keys = fc.constantFrom(
    'type',
    'and',
    'or',
    'not',
    'value',
    'pattern',
    'flags',
    'min',
    'schema',
    'condition',
    '__proto__',
  );
  const words = fc.constantFrom('contains', 'regex', 'length', 'schema', 'object', '(', 'a+');
  const { any } = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 5 },
      words,
      fc.jsonValue(),
      fc.dictionary(keys, tie('any')),
      fc.array(tie('any'), { maxLength: 3 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(any, fc.string(), async (some, text) => {
      expect(describeCriteria(some)).toBeInstanceOf(Array);
      const outcome: unknown = await compileCriteria(some).then(
        (compiled) => judge(compiled, text),
        (error: unknown) => error,
      );
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(WorkflowError);
      else expect(outcome).toHaveProperty('valid');
    }),
  );
});

test('Any JSON is compiled and checked as a schema, or refused with an error code', async () => {
  const known =
    'type properties items allOf anyOf not $ref $id $defs enum const pattern required uniqueItems format if then';
  const keywords = fc.constantFrom(
    ...known.split(' '),
    'contains',
    'unevaluatedProperties',
    'a',
    '$price',
    '$async',
  );
  const words = fc.constantFrom('string', 'object', 'array', '#', '#/$defs/a', '^a', 'email', 'a');
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.boolean(),
      words,
      fc.nat(3),
      fc.dictionary(keywords, tie('schema'), { maxKeys: 4 }),
      fc.array(tie('schema'), { maxLength: 2 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(schema, fc.json(), async (some, text) => {
      const outcome: unknown = await compileCriteria({ type: 'schema', schema: some }).then(
        (compiled) => judge(compiled, text),
        (error: unknown) => error,
      );
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(WorkflowError);
      else expect(outcome).toHaveProperty('valid');
    }),
  );
});
