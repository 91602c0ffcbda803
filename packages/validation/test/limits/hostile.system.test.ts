import { describe, expect, test } from 'vitest';
import type { Verdict } from '@workflowlookup/validation';
import { tooComplex, verdictOf } from './judged.ts';

// Without its limit, each of these would hang for minutes or crash the process.

const meets = (schema: unknown, output: string): Promise<Verdict> =>
  verdictOf({ type: 'schema', schema, message: 'm' }, output);

/** Returns a schema with forty definitions, each of which refers to the next one twice. */
const doubling = (place: string): object => {
  const levels = Array.from({ length: 40 }, (_, at) => {
    const next = { $ref: `#/${place}/s${at + 1}` };
    return [`s${at}`, { anyOf: [next, next] }];
  });
  return { ...Object.fromEntries(levels), s40: { type: 'string' } };
};

const quarterMegabyte = 'a'.repeat(250_000);

describe('hostile patterns', () => {
  test('with nested repetition end quickly', async () => {
    const output = `${'a'.repeat(60_000)}!`;
    for (const pattern of ['^(a+)+$', '^(a|aa)+$', '(.*a){20}$']) {
      expect((await verdictOf({ type: 'regex', pattern, message: 'm' }, output)).issues).toEqual(['m']);
    }
    expect((await meets({ pattern: '^(a+)+$' }, JSON.stringify(output))).valid).toBe(false);
    expect(
      (await meets({ patternProperties: { '^(a+)+$': false } }, JSON.stringify({ [output]: 1 }))).valid,
    ).toBe(true);
  });

  test('with too many states for the length are not run', async () => {
    const pattern = '(a|b)*a(a|b){900}c?$';
    expect(await verdictOf({ type: 'regex', pattern, message: 'm' }, 'ab'.repeat(1_000_000))).toEqual(
      tooComplex,
    );
    expect(await meets({ pattern }, JSON.stringify('ab'.repeat(1_000_000)))).toEqual(tooComplex);
  });

  test('with a periodic text are not searched in a long one', async () => {
    const value = `${quarterMegabyte}b${quarterMegabyte}`;
    expect(await verdictOf({ type: 'contains', value, message: 'm' }, 'a'.repeat(4_000_000))).toEqual(
      tooComplex,
    );
  });
});

describe('hostile schemas', () => {
  test('with references that double at forty levels run out of steps', async () => {
    expect(await meets({ $defs: doubling('$defs'), $ref: '#/$defs/s0' }, '1')).toEqual(tooComplex);
  });

  test('with references into unknown keywords and defaults run out of steps', async () => {
    expect(await meets({ parts: doubling('parts'), $ref: '#/parts/s0' }, '1')).toEqual(tooComplex);
    expect(await meets({ default: doubling('default'), $ref: '#/default/s0' }, '1')).toEqual(tooComplex);
  });

  test('that apply themselves without end cause no crash', async () => {
    expect(await meets({ $ref: '#' }, '1')).toEqual(tooComplex);
    expect(
      await meets({ $dynamicAnchor: 'n', anyOf: [{ $dynamicRef: '#n' }, { $dynamicRef: '#n' }] }, '1'),
    ).toEqual(tooComplex);
    const $schema = 'https://json-schema.org/draft/2019-09/schema';
    const again = { $recursiveRef: '#' };
    expect(await meets({ $schema, $recursiveAnchor: true, anyOf: [again, again] }, '1')).toEqual(tooComplex);
  });

  test('with a long enumeration for many items run out of steps', async () => {
    const names = Array.from({ length: 9000 }, (_, at) => `k${at}`);
    const output = JSON.stringify(Array.from({ length: 400_000 }, () => 'k8999'));
    expect(await meets({ items: { enum: names } }, output)).toEqual(tooComplex);
  });

  test('that list very many keys again and again run out of steps', async () => {
    const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, 1]));
    const allOf = Array.from({ length: 400 }, () => ({ maxProperties: 1_000_000 }));
    expect(await meets({ allOf }, JSON.stringify(keys))).toEqual(tooComplex);
  });

  test('cannot set their own cost', async () => {
    const free = Object.fromEntries(
      Object.entries(doubling('$defs')).map(([name, schema]) => [
        name,
        { ...(schema as object), $price: { use: -1e9 } },
      ]),
    );
    expect(await meets({ $defs: free, $ref: '#/$defs/s0' }, '1')).toEqual(tooComplex);
  });
});

describe('hostile outputs', () => {
  test('with very many unique items are compared in linear time', async () => {
    const items = Array.from({ length: 100_000 }, (_, i) => ({ i }));
    expect((await meets({ uniqueItems: true }, JSON.stringify(items))).valid).toBe(true);
    expect((await meets({ uniqueItems: true }, JSON.stringify([...items, { i: 5 }]))).valid).toBe(false);
  });

  test.each([
    'url',
    'email',
    'uri',
    'uri-reference',
    'hostname',
    'regex',
    'date-time',
    'ipv6',
    'uri-template',
    'duration',
  ])('do not block the server in the format %s', async (format) => {
    const evil = [
      'http://'.padEnd(8000, 'a:'),
      'a@'.padEnd(8000, 'a-'),
      'a@'.padEnd(8000, 'a.'),
      'P'.padEnd(8000, '1'),
    ];
    const output = JSON.stringify(Array.from({ length: 600 }, (_, at) => evil[at % evil.length]));
    expect((await meets({ items: { type: 'string', not: { format } } }, output)).valid).toBe(false);
    expect((await meets({ format }, JSON.stringify('a:'.repeat(2_000_000)))).issues).toEqual(['m']);
  });

  test('with JSON that is nested millions deep are not parsed', async () => {
    const deep = `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`;
    const $defs = { a: { items: { $ref: '#/$defs/a' } } };
    for (const schema of [
      { $defs, $ref: '#/$defs/a' },
      { uniqueItems: true },
      { type: 'array' },
      { const: [1] },
    ]) {
      expect(await meets(schema, deep)).toEqual(tooComplex);
    }
    expect(await meets({}, '{"a":'.repeat(500_000))).toEqual(tooComplex);
  });

  test('can be large if they are ordinary', async () => {
    const items = Array.from({ length: 20_000 }, (_, at) => ({
      name: `name ${at}`,
      at,
      done: true,
      kind: 'x',
    }));
    const properties = {
      name: { type: 'string', pattern: '^name \\d+$' },
      at: { type: 'number' },
      done: { type: 'boolean' },
      kind: { enum: ['x', 'y'] },
    };
    const schema = {
      type: 'array',
      items: { type: 'object', required: ['name'], additionalProperties: false, properties },
    };
    expect((await meets(schema, JSON.stringify(items))).valid).toBe(true);
  });
});
