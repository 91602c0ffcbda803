import { describe, expect, test } from 'vitest';
import { compilePattern, parseCondition } from '@workflowlookup/conditions';
import { WorkflowError } from '@workflowlookup/schema';
import { compileCriteria } from '@workflowlookup/validation';
import type { Message } from '../../src/messages.ts';
import { messages } from '../../src/messages.ts';

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

const tooLarge = [
  'INVALID_CRITERIA',
  '/schema',
  expect.stringContaining(messages.schemaTooLarge(500, 10_000, 64).message),
];

describe('unusable criteria', () => {
  const types = ['contains', 'regex', 'length', 'schema'];

  test.each<[criteria: unknown, pointer: string, expected: { readonly message: string }]>([
    [null, '', messages.notARule(null)],
    [42, '', messages.notARule(42)],
    [[rule, 7], '/1', messages.notARule(7)],
    [{}, '', messages.noTypeOrComposition([])],
    [{ and: [rule], or: [rule] }, '', messages.noTypeOrComposition(['and', 'or'])],
    [{ xor: [rule] }, '', messages.noTypeOrComposition(['xor'])],
    [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }, '', messages.noTypeOrComposition(['a', 'b', 'c', 'd', 'e'])],
    [{ 'x-note': 1 }, '', messages.noTypeOrComposition([])],
    [[[rule], { not: 7 }], '/1/not', messages.notARule(7)],
    [{ not: { type: 'regex' } }, '/not', messages.noPattern(undefined)],
    [{ and: rule }, '/and', messages.noMembers('and', rule)],
    [{ or: [] }, '/or', messages.noMembers('or', [])],
    [{ not: { or: [rule, { type: 'exact' }] } }, '/not/or/1/type', messages.unknownRuleType('exact', types)],
    [{ type: 'contains' }, '', messages.containsNothing(undefined)],
    [[{ type: 'contains', value: 1 }], '/0/value', messages.containsNothing(1)],
    [{ ...rule, vale: 'x' }, '/vale', messages.unknownField('vale', 'contains', 'value')],
    [{ ...rule, message: 5 }, '/message', messages.notText('message', 5)],
    [{ ...rule, suggestion: [] }, '/suggestion', messages.notText('suggestion', [])],
    [
      { ...rule, condition: { and: [{ bogus: 1 }] } },
      '/condition/and/0/bogus',
      conditionProblem({ bogus: 1 }),
    ],
    [{ ...rule, condition: 'a ==' }, '/condition', conditionProblem('a ==')],
    [{ type: 'regex', message: 'm' }, '', messages.noPattern(undefined)],
    [{ type: 'regex', pattern: 5 }, '/pattern', messages.noPattern(5)],
    [{ type: 'regex', pattern: '(a)\\1' }, '/pattern', patternProblem('(a)\\1')],
    [{ type: 'regex', pattern: '(?!.*TODO)' }, '/pattern', patternProblem('(?!.*TODO)')],
    [{ type: 'regex', pattern: 'a', flags: 'zz' }, '/flags', patternProblem('a', 'zz')],
    [{ type: 'regex', pattern: 'a', flags: 1 }, '/flags', messages.badFlags(1)],
    [['['], '/0', patternProblem('[')],
    [{ type: 'length', min: '1' }, '/min', messages.badBound('min', '1')],
    [{ type: 'length', max: -1 }, '/max', messages.badBound('max', -1)],
    [schemaRule(undefined), '/schema', messages.noSchema(undefined)],
    [
      schemaRule({ $schema: 'http://json-schema.org/draft-04/schema#' }),
      '/schema/$schema',
      messages.unknownDialect('http://json-schema.org/draft-04/schema#'),
    ],
  ])('are refused if they are %j, at %s', async (criteria, pointer, expected) => {
    const message = messages.criteriaUnusable(pointer, expected);
    expect(await refusalOf(criteria)).toEqual(['INVALID_CRITERIA', pointer, message]);
  });

  test('are refused if a JSON Schema is too large to compile, or is not JSON', async () => {
    const large = [
      { allOf: Array.from({ length: 500 }, () => ({})) },
      { enum: Array.from({ length: 10_000 }, (_, at) => at) },
      { const: () => 1 },
    ];
    for (const schema of large) expect(await refusalOf(schemaRule(schema))).toEqual(tooLarge);
  });

  test('with a long chain of references are compiled, or refused if they use up the stack', async () => {
    const refusal = await refusalOf(schemaRule({ $defs: chain(497), $ref: '#/$defs/s0' }));
    expect([[], tooLarge]).toContainEqual(refusal);
  });

  // Most of these messages come from Ajv, so only the pointer is asserted.
  test.each<[schema: unknown, pointer: string]>([
    [{ type: 'bogus' }, '/type'],
    [{ properties: { a: { minLength: -1 } } }, '/properties/a/minLength'],
    [{ items: [{}] }, '/items'],
    [{ properties: { a: { pattern: '(?=a)' } } }, '/properties/a/pattern'],
    [{ patternProperties: { '[': {} } }, '/patternProperties/['],
    [{ allOf: [{}, { pattern: '[' }] }, '/allOf/1/pattern'],
    [{ $ref: '#/%zz' }, ''],
    [{ $ref: '#/$defs/none' }, ''],
    [{ $ref: 'https://example.org/schema' }, ''],
  ])('with the malformed JSON Schema %j make the workflow invalid', async (schema, pointer) => {
    const refusal = await refusalOf([schemaRule(schema)]);
    expect(refusal).toEqual(['INVALID_WORKFLOW', `/0/schema${pointer}`, expect.stringMatching(/[^.]\.$/)]);
  });

  test.each<[schema: object, reference: string]>([
    [{ enum: [{ type: 'string' }], items: { $ref: '#/enum/0' } }, '#/enum/0'],
    [{ enum: [{ type: 'string' }], items: { $ref: '#/%65num/0' } }, '#/%65num/0'],
    [{ const: { type: 'string' }, items: { $dynamicRef: '#/const' } }, '#/const'],
    [{ const: { type: 'string' }, items: { $recursiveRef: '#/const' } }, '#/const'],
  ])('with a reference in %j to a value that is not a schema are refused', async (schema, reference) => {
    const problem = { message: messages.malformedSchema('', messages.referenceToValue(reference)) };
    const message = messages.criteriaUnusable('/schema', problem);
    expect(await refusalOf(schemaRule(schema))).toEqual(['INVALID_WORKFLOW', '/schema', message]);
  });

  test('do not include references to a property named enum', async () => {
    const properties = { enum: { type: 'string' }, copy: { $ref: '#/properties/enum' } };
    expect(await refusalOf(schemaRule({ properties }))).toEqual([]);
  });

  test('are those nested deeper than 32 levels', async () => {
    expect(await refusalOf(nested(32))).toEqual([]);
    const [code, , message] = await refusalOf(nested(33));
    expect(code).toBe('INVALID_CRITERIA');
    expect(message).toContain(messages.criteriaTooDeep(32).message);
    const endless: unknown[] = [];
    endless.push(endless);
    expect((await refusalOf(endless))[0]).toBe('INVALID_CRITERIA');
  });
});

function conditionProblem(condition: unknown): { readonly message: string } {
  const parsed = parseCondition(condition);
  const [problem] = parsed.ok ? [] : parsed.issues;
  if (problem === undefined) throw new Error('The condition can be used.');
  return problem;
}

function patternProblem(pattern: string, flags = ''): Message {
  const compiled = compilePattern(pattern, flags);
  return messages.badPattern(compiled.ok ? '' : compiled.message);
}
