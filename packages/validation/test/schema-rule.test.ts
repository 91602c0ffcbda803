import { describe, expect, test } from 'vitest';
import { compileCriteria, judge } from '@workflowlookup/validation';
import { messages } from '../src/messages.ts';

const { expected, notJson, nothingMeetsSchema, wrongValue } = messages;

async function remedies(schema: unknown, output: unknown): Promise<readonly string[]> {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  const verdict = judge(await compileCriteria({ type: 'schema', schema, message: 'm' }), text, {});
  expect(verdict.issues).toEqual(verdict.valid ? [] : ['m']);
  return verdict.suggestions.slice(1);
}

const draft = (name: string): { readonly $schema: string } => ({ $schema: name });

describe('the JSON of an output', () => {
  test.each([
    '{"a":1}',
    ' \n{"a":1}\t',
    '```json\n{"a":1}\n```',
    '\n```\n{"a":1}\n```\n\n',
    '```JSON  \r\n{"a":1}\r\n```',
    '```json\n{"a":1,"code":"```js\\n```"}\n```',
  ])('is found in %j', async (output) => {
    expect(await remedies({ required: ['a'] }, output)).toEqual([]);
  });

  test.each([
    'nope',
    '',
    "{'a':1}",
    'Here: {"a":1}',
    'Here:\n```json\n{"a":1}\n```',
    '```json\n{"a":1}\n```\nDone.',
    '```json\n{"a":1}\n```\n```json\n{"a":2}\n```',
    '```js\n{"a":1}\n```',
    '```json {"a":1} ```',
    '```json\n```',
    '```json\n{"a":1}\n---',
    '{"a":1}\n```',
    'x```json\n{"a":1}\n```',
  ])('is missing from %j', async (output) => {
    expect(await remedies(true, output)).toEqual([notJson]);
  });
});

describe('a schema', () => {
  test.each<[schema: unknown, json: unknown, remedy: string | undefined]>([
    [true, 1, undefined],
    [{}, null, undefined],
    [false, 1, nothingMeetsSchema],
    [{ type: 'object' }, '5', wrongValue('', expected.types(['object']))],
    [
      { properties: { a: { properties: { b: { type: 'string' } } } } },
      { a: { b: 1 } },
      wrongValue('/a/b', expected.types(['string'])),
    ],
    [
      { properties: { 'a/b': { type: 'string' } } },
      { 'a/b': 1 },
      wrongValue('/a~1b', expected.types(['string'])),
    ],
    [{ required: ['a', 'b'] }, { a: 1 }, wrongValue('', expected.property('b'))],
    [{ additionalProperties: false }, { x: 1 }, wrongValue('', expected.noProperty('x'))],
    [
      { properties: { a: {} }, unevaluatedProperties: false },
      { a: 1, x: 1 },
      wrongValue('', expected.noProperty('x')),
    ],
    [{ enum: ['a', 2, null] }, '"b"', wrongValue('', expected.oneOf(['a', 2, null]))],
    [{ items: { const: { a: 1 } } }, [{ a: 1 }, { a: 2 }], wrongValue('/1', expected.constant({ a: 1 }))],
    [{ properties: { a: false } }, { a: 1 }, wrongValue('/a', expected.absent)],
    [{ minimum: 5 }, 1, wrongValue('', 'must be >= 5')],
    [{ format: 'email' }, '"nobody"', wrongValue('', 'must match format "email"')],
    [{ format: 'email' }, '"a@example.org"', undefined],
    [{ format: 'unheard-of' }, '"x"', undefined],
    [{ pattern: '^/api/' }, '"/x"', wrongValue('', 'must match pattern "^/api/"')],
    [{ properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } }, { a: 'a', b: 'b' }, undefined],
    [
      { patternProperties: { '^x\\d': { type: 'number' } } },
      { x1: 'no' },
      wrongValue('/x1', expected.types(['number'])),
    ],
    [{ uniqueItems: true }, [1, '1', [1], { a: 1, b: [2] }, { b: [2], a: 2 }, null, true], undefined],
    [
      { uniqueItems: true },
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      wrongValue('', expected.uniqueItems),
    ],
    [{ uniqueItems: true }, [1, 2, 1], wrongValue('', expected.uniqueItems)],
    [{ uniqueItems: false }, [1, 1], undefined],
    [{ uniqueItems: true }, [[1, 2], [12]], undefined],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, null, wrongValue('', expected.types(['string']))],
    [{ const: 'a'.repeat(198) }, 1, wrongValue('', `must be "${'a'.repeat(198)}"`)],
    [{ const: 'a'.repeat(199) }, 1, wrongValue('', `must be "${'a'.repeat(199)}…`)],
    [{ required: ['constructor'] }, {}, wrongValue('', expected.property('constructor'))],
    [
      { $defs: { s: { $anchor: 'text', type: 'string' } }, items: { $ref: '#text' } },
      [1],
      wrongValue('/0', expected.types(['string'])),
    ],
    [
      { type: 'object', properties: { a: { $ref: '#' } } },
      { a: { a: 1 } },
      wrongValue('/a/a', expected.types(['object'])),
    ],
    [
      { $dynamicAnchor: 'n', properties: { a: { $dynamicRef: '#n' } }, type: 'object' },
      { a: 1 },
      wrongValue('/a', expected.types(['object'])),
    ],
    [{ prefixItems: [{ type: 'string' }] }, [1], wrongValue('/0', expected.types(['string']))],
    [
      { ...draft('http://json-schema.org/draft-07/schema#'), items: [{ type: 'string' }] },
      [1],
      wrongValue('/0', expected.types(['string'])),
    ],
    [
      { ...draft('https://json-schema.org/draft/2019-09/schema'), items: [{ type: 'string' }] },
      [1],
      wrongValue('/0', expected.types(['string'])),
    ],
    [
      { ...draft('https://json-schema.org/draft/2020-12/schema#'), dependentRequired: { a: ['b'] } },
      { a: 1 },
      wrongValue('', 'must have property b when property a is present'),
    ],
  ])('accepts or refuses %j with %j', async (schema, json, remedy) => {
    expect(await remedies(schema, json)).toEqual(remedy === undefined ? [] : [remedy]);
  });

  test('ignores keywords that only Ajv knows', async () => {
    expect(await remedies({ $async: true, type: 'string' }, 1)).toEqual([
      wrongValue('', expected.types(['string'])),
    ]);
    expect(await remedies({ nullable: true }, null)).toEqual([]);
    expect(await remedies({ nullable: true, type: 'string' }, null)).toEqual([
      wrongValue('', expected.types(['string'])),
    ]);
    expect(await remedies({ id: 'x', properties: { id: { type: 'number' } } }, { id: 'no' })).toEqual([
      wrongValue('/id', expected.types(['number'])),
    ]);
    expect(await remedies({ $price: 'free', type: 'number' }, 1)).toEqual([]);
  });

  test('treats its own __proto__ like any other property', async () => {
    expect(await remedies({ required: ['__proto__'] }, '{"__proto__": 1}')).toEqual([]);
    expect(await remedies({ required: ['__proto__'] }, '{}')).toEqual([
      wrongValue('', expected.property('__proto__')),
    ]);
  });

  test('has a result that does not depend on an earlier one', async () => {
    const compiled = await compileCriteria({ type: 'schema', schema: { type: 'string' }, message: 'm' });
    expect(
      [judge(compiled, '1'), judge(compiled, '"x"'), judge(compiled, '1')].map(({ valid }) => valid),
    ).toEqual([false, true, false]);
  });
});
