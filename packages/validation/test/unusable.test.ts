import { describe, expect, test } from 'vitest';
import { WorkflowError } from '@workflowlookup/schema';
import { compileCriteria } from '@workflowlookup/validation';

async function refusalOf(criteria: unknown): Promise<readonly unknown[]> {
  try {
    await compileCriteria(criteria);
    return [];
  } catch (error) {
    if (!(error instanceof WorkflowError)) throw error;
    return [error.code, error.data['pointer'], error.message];
  }
}

const rule = { type: 'contains', value: 'x', message: 'm' };
const nested = (depth: number): unknown => (depth === 0 ? rule : { and: [nested(depth - 1)] });
const schemaRule = (schema: unknown): object => ({ type: 'schema', schema, message: 'm' });
const chain = (length: number): object =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [`s${at}`, { $ref: `#/$defs/s${(at + 1) % length}` }]),
  );

const tooLarge = ['INVALID_CRITERIA', '/schema', expect.stringContaining('The JSON Schema is too large.')];

describe('unusable criteria', () => {
  test.each<[criteria: unknown, pointer: string, message: string]>([
    [null, '', 'A rule is an object, a pattern or a list, found null.'],
    [42, '', 'A rule is an object, a pattern or a list, found 42.'],
    [[rule, 7], '/1', 'A rule is an object, a pattern or a list, found 7.'],
    [{}, '', 'A rule has a "type", a composition exactly one of "and", "or" and "not"; found neither.'],
    [{ and: [rule], or: [rule] }, '', 'found "and", "or".'],
    [{ xor: [rule] }, '', 'found "xor".'],
    [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }, '', 'found "a", "b", "c", "d", "e".'],
    [{ 'x-note': 1 }, '', 'found neither.'],
    [[[rule], { not: 7 }], '/1/not', 'A rule is an object, a pattern or a list, found 7.'],
    [{ not: { type: 'regex' } }, '/not', 'A regex rule needs a string "pattern", found nothing.'],
    [{ and: rule }, '/and', '"and" joins a list of at least one member, found an object.'],
    [{ or: [] }, '/or', '"or" joins a list of at least one member'],
    [
      { not: { or: [rule, { type: 'exact' }] } },
      '/not/or/1/type',
      'Unknown type of rule "exact". Use one of contains, regex, length, schema.',
    ],
    [
      { type: 'contains' },
      '',
      'A contains rule needs a string "value", found nothing. Add "value" with the text to look for.',
    ],
    [[{ type: 'contains', value: 1 }], '/0/value', 'needs a string "value", found 1.'],
    [{ ...rule, vale: 'x' }, '/vale', 'Unknown field "vale" in a "contains" rule. Did you mean "value"?'],
    [{ ...rule, message: 5 }, '/message', '"message" is a string, found 5.'],
    [{ ...rule, suggestion: [] }, '/suggestion', '"suggestion" is a string, found a list.'],
    [{ ...rule, condition: { and: [{ bogus: 1 }] } }, '/condition/and/0/bogus', 'Unknown operator "bogus".'],
    [{ ...rule, condition: 'a ==' }, '/condition', 'Column 5: Expected a value, found the end.'],
    [{ type: 'regex', message: 'm' }, '', 'A regex rule needs a string "pattern", found nothing.'],
    [{ type: 'regex', pattern: 5 }, '/pattern', 'A regex rule needs a string "pattern", found 5.'],
    [{ type: 'regex', pattern: '(a)\\1' }, '/pattern', 'The back reference \\1 is not supported'],
    [{ type: 'regex', pattern: '(?!.*TODO)' }, '/pattern', 'Look-around (?!…) is not supported'],
    [{ type: 'regex', pattern: 'a', flags: 'zz' }, '/flags', 'Unknown flag "z"'],
    [{ type: 'regex', pattern: 'a', flags: 1 }, '/flags', '"flags" is a string, found 1.'],
    [['['], '/0', 'Bad pattern: missing closing ] at "["'],
    [{ type: 'length', min: '1' }, '/min', '"min" is a whole number of characters, found "1".'],
    [{ type: 'length', max: -1 }, '/max', '"max" is a whole number of characters, found -1.'],
    [schemaRule(undefined), '/schema', 'A schema rule needs a JSON Schema "schema", found nothing.'],
    [
      schemaRule(draftOf('http://json-schema.org/draft-04/schema#')),
      '/schema/$schema',
      'is not supported. Use draft-07, 2019-09 or 2020-12',
    ],
  ])('%j is refused at %s', async (criteria, pointer, message) => {
    expect(await refusalOf(criteria)).toEqual([
      'INVALID_CRITERIA',
      pointer,
      expect.stringContaining(message),
    ]);
  });

  test('a JSON Schema too large to compile is refused, and so is one that is no JSON', async () => {
    const large = [
      { allOf: Array.from({ length: 500 }, () => ({})) },
      { enum: Array.from({ length: 10_000 }, (_, at) => at) },
      { const: () => 1 },
    ];
    for (const schema of large) expect(await refusalOf(schemaRule(schema))).toEqual(tooLarge);
  });

  test('a chain of references as long as a schema may be is compiled, or refused where it takes the whole stack', async () => {
    const refusal = await refusalOf(schemaRule({ $defs: chain(497), $ref: '#/$defs/s0' }));
    expect([[], tooLarge]).toContainEqual(refusal);
  });

  test.each<[schema: unknown, pointer: string, message: string]>([
    [{ type: 'bogus' }, '/type', '/type must be equal to one of the allowed values'],
    [{ properties: { a: { minLength: -1 } } }, '/properties/a/minLength', 'must be >= 0'],
    [{ items: [{}] }, '/items', '/items must be object,boolean'],
    [
      { properties: { a: { pattern: '(?=a)' } } },
      '/properties/a/pattern',
      'Look-around (?=…) is not supported',
    ],
    [{ patternProperties: { '[': {} } }, '/patternProperties/[', 'missing closing ]'],
    [{ allOf: [{}, { pattern: '[' }] }, '/allOf/1/pattern', 'missing closing ]'],
    [{ $ref: '#/%zz' }, '', 'malformed: URI contains malformed percent-encoding.'],
    [{ $ref: '#/$defs/none' }, '', "can't resolve reference #/$defs/none"],
    [{ $ref: 'https://example.org/schema' }, '', "can't resolve reference https://example.org/schema"],
    [
      { enum: [{ type: 'string' }], items: { $ref: '#/enum/0' } },
      '',
      'cannot refer to a value that is no schema',
    ],
    [
      { enum: [{ type: 'string' }], items: { $ref: '#/%65num/0' } },
      '',
      'cannot refer to a value that is no schema: "#/%65num/0"',
    ],
    [
      { const: { type: 'string' }, items: { $dynamicRef: '#/const' } },
      '',
      'cannot refer to a value that is no schema: "#/const"',
    ],
    [
      { const: { type: 'string' }, items: { $recursiveRef: '#/const' } },
      '',
      'cannot refer to a value that is no schema: "#/const"',
    ],
  ])('the malformed JSON Schema %j is an invalid workflow', async (schema, pointer, message) => {
    const expected = ['INVALID_WORKFLOW', `/0/schema${pointer}`, expect.stringContaining(message)];
    const refusal = await refusalOf([schemaRule(schema)]);
    expect(refusal).toEqual(expected);
    expect(refusal[2]).toMatch(/[^.]\.$/);
  });

  test('a property named enum may be referred to', async () => {
    const properties = { enum: { type: 'string' }, copy: { $ref: '#/properties/enum' } };
    expect(await refusalOf(schemaRule({ properties }))).toEqual([]);
  });

  test('the message names the place, what was found and what would do', async () => {
    const [, , message] = await refusalOf([{ ...rule, value: 1 }]);
    expect(message).toBe(
      'The validation criteria at /0/value are unusable: A contains rule needs a string "value", found 1. ' +
        'Add "value" with the text to look for.',
    );
    const [, , bare] = await refusalOf(42);
    expect(bare).toBe(
      'The validation criteria are unusable: A rule is an object, a pattern or a list, found 42.',
    );
    const [, , dangling] = await refusalOf(schemaRule({ $ref: '#/none' }));
    expect(dangling).toBe(
      'The validation criteria at /schema are unusable: The JSON Schema is malformed: ' +
        "can't resolve reference #/none from id #.",
    );
  });

  test('criteria may be nested 32 deep', async () => {
    expect(await refusalOf(nested(32))).toEqual([]);
    const [code, , message] = await refusalOf(nested(33));
    expect([code, message]).toEqual(['INVALID_CRITERIA', expect.stringContaining('nested deeper than 32')]);
    const endless: unknown[] = [];
    endless.push(endless);
    expect((await refusalOf(endless))[0]).toBe('INVALID_CRITERIA');
  });
});

function draftOf($schema: string): object {
  return { $schema };
}
