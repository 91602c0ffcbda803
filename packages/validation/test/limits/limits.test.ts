import { WorkflowError } from '@workflowlookup/schema';
import type { Verdict } from '@workflowlookup/validation';
import { compileCriteria, judge } from '@workflowlookup/validation';
import { messages } from '../../src/messages.ts';
import { maxOutputBytes } from '../../src/validation-engine.ts';
import { describe, expect, test } from 'vitest';
import { tooComplex, verdictOf } from './judged.ts';

const { criteriaUnusable, schemaTooLarge } = messages;

// An output just below a limit is checked, and one just above it is reported as too complex. hostile.system.test.ts tests
// extremes.

const meets = (schema: unknown, output: unknown): Promise<Verdict> =>
  verdictOf({ type: 'schema', schema, message: 'm' }, JSON.stringify(output));

const list = <T>(length: number, of: (at: number) => T): readonly T[] =>
  Array.from({ length }, (_, at) => of(at));

describe('the limit of 50 million steps', () => {
  test('allows 9,000 names with 5,000 items, but not with 6,000', async () => {
    const schema = { items: { enum: list(9000, (at) => `k${at}`) } };
    expect(
      (
        await meets(
          schema,
          list(5000, () => 'k0'),
        )
      ).valid,
    ).toBe(true);
    expect(
      await meets(
        schema,
        list(6000, () => 'k0'),
      ),
    ).toEqual(tooComplex);
  });

  test.each([
    ['of lists', [list(4000, () => 1), list(4990, () => 2)]],
    ['of objects', { a: list(4000, () => 1), b: list(4990, () => null) }],
  ])('counts the values within a constant %s', async (_, value) => {
    const schema = { items: { not: { const: value } } };
    expect(
      (
        await meets(
          schema,
          list(5000, () => 1),
        )
      ).valid,
    ).toBe(true);
    expect(
      await meets(
        schema,
        list(6000, () => 1),
      ),
    ).toEqual(tooComplex);
  });

  test.each([
    ['additionalProperties', true],
    ['maxProperties', 1e6],
    ['minProperties', 0],
    ['patternProperties', {}],
    ['propertyNames', true],
    ['unevaluatedProperties', true],
  ])('does not allow %s to list 10,000 keys 130 times', async (keyword, value) => {
    const keys = Object.fromEntries(list(10_000, (at) => [`k${at}`, 1]));
    expect(await meets({ allOf: list(130, () => ({ [keyword]: value })) }, keys)).toEqual(tooComplex);
  });

  test('does not count keys that no keyword lists', async () => {
    const keys = Object.fromEntries(list(10_000, (at) => [`k${at}`, 1]));
    expect((await meets({ allOf: list(130, () => ({ required: ['k1'] })) }, keys)).valid).toBe(true);
  });

  test.each([
    ['a long text', 'x'.repeat(1_600_000), 'string'],
    ['a long list', list(100_000, () => 0), 'array'],
  ])('allows %s to be read 460 times, but not 499 times', async (_, output, type) => {
    const schema = (times: number): object => ({ allOf: list(times, () => ({ type })) });
    expect((await meets(schema(460), output)).valid).toBe(true);
    expect(await meets(schema(499), output)).toEqual(tooComplex);
  });

  test('allows texts to be compared at 90 levels, but not at 110', async () => {
    const within = (depth: number): unknown => (depth === 0 ? 'x'.repeat(500_000) : [within(depth - 1)]);
    const inObjects = (depth: number): unknown =>
      depth === 0 ? 'x'.repeat(500_000) : { a: inObjects(depth - 1) };
    for (const nest of [within, inObjects]) {
      expect((await meets({ uniqueItems: true }, [1, nest(90)])).valid).toBe(true);
      expect(await meets({ uniqueItems: true }, [1, nest(110)])).toEqual(tooComplex);
    }
  });

  test('allows 20 texts of 8,000 characters to be checked for a format, but not 26', async () => {
    const schema = { items: { not: { format: 'ipv4' } } };
    expect(
      (
        await meets(
          schema,
          list(20, () => 'x'.repeat(8000)),
        )
      ).valid,
    ).toBe(true);
    expect(
      await meets(
        schema,
        list(26, () => 'x'.repeat(8000)),
      ),
    ).toEqual(tooComplex);
  });

  test('allows a text of 800,000 characters to be searched for one of 996', async () => {
    const contains = { type: 'contains', value: `${'a'.repeat(995)}b`, message: 'm' };
    expect((await verdictOf(contains, 'a'.repeat(800_000))).issues).toEqual(['m']);
    expect(await verdictOf(contains, 'a'.repeat(800_001))).toEqual(tooComplex);
  });

  test('does not allow a pattern with many states on a long text', async () => {
    const pattern = '(a|b)*a(a|b){900}c?$';
    const output = 'ab'.repeat(50_000);
    expect(await verdictOf({ type: 'regex', pattern, message: 'm' }, output)).toEqual(tooComplex);
    expect(await meets({ pattern }, output)).toEqual(tooComplex);
    expect(await meets({ patternProperties: { [pattern]: {} } }, { [output]: 1 })).toEqual(tooComplex);
  });

  test('applies to each check separately', async () => {
    const compiled = await compileCriteria({
      type: 'schema',
      schema: { items: { enum: list(9000, (at) => at) } },
      message: 'm',
    });
    const output = JSON.stringify(list(4000, () => 0));
    expect([1, 2, 3].map(() => judge(compiled, output).valid)).toEqual([true, true, true]);
  });
});

describe('a rule that is too complex', () => {
  const costly = { type: 'regex', pattern: '(a|b)*a(a|b){900}c?$', message: 'm' };
  const output = 'ab'.repeat(50_000);

  test('does not pass inside a not', async () => {
    expect(await verdictOf({ not: costly }, output)).toEqual(tooComplex);
  });

  test('does not use up the steps of the other rules', async () => {
    const other = { type: 'contains', value: 'ab', message: 'n' };
    expect(await verdictOf([costly, other], output)).toEqual(tooComplex);
  });
});

describe('the formats', () => {
  test.each<[format: string, good: unknown, bad: unknown]>([
    ['date', '2024-02-29', '2023-02-29'],
    ['time', '10:00:00Z', '25:00:00Z'],
    ['duration', 'P1D', '1D'],
    ['ipv4', '10.0.0.1', '10.0.0'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123e4567'],
    ['uri', 'https://example.org/a', 'example'],
    ['regex', '^a+$', '('],
    ['int32', 5, 2 ** 31],
  ])('include %s, which accepts %j and refuses %j', async (format, good, bad) => {
    expect((await meets({ format }, good)).valid).toBe(true);
    expect((await meets({ format }, bad)).issues).toEqual(['m']);
  });

  test('include password, which accepts any text', async () => {
    expect((await meets({ format: 'password' }, '')).valid).toBe(true);
  });

  test('accept no text longer than 8,192 characters', async () => {
    expect((await meets({ format: 'regex' }, 'a'.repeat(8192))).valid).toBe(true);
    expect((await meets({ format: 'regex' }, 'a'.repeat(8193))).issues).toEqual(['m']);
  });
});

describe('the size of a schema', () => {
  const refusal = async (schema: unknown): Promise<string | undefined> => {
    try {
      await compileCriteria({ type: 'schema', schema, message: 'm' });
      return undefined;
    } catch (error) {
      return (error as WorkflowError).message;
    }
  };
  const nested = (depth: number): object => (depth === 0 ? {} : { not: nested(depth - 1) });
  const inLists = (depth: number): unknown => (depth === 0 ? 1 : [inLists(depth - 1)]);
  const tooLarge = criteriaUnusable('/schema', schemaTooLarge(500, 10_000, 64));

  test.each<[what: string, fits: object, tooMuch: object]>([
    ['500 objects', { allOf: list(499, () => ({})) }, { allOf: list(500, () => ({})) }],
    ['10,000 values', { enum: list(9998, (at) => at) }, { enum: list(9999, (at) => at) }],
    ['64 levels', nested(64), nested(65)],
    ['64 levels of lists', { const: inLists(63) }, { const: inLists(64) }],
  ])('is at most %s', async (_, fits, tooMuch) => {
    expect(await refusal(fits)).toBeUndefined();
    expect(await refusal(tooMuch)).toBe(tooLarge);
  });
});

describe('the size of an output', () => {
  const schema = { type: ['array', 'object', 'string'] };
  const text = (criteria: unknown, output: string): Promise<Verdict> =>
    verdictOf({ type: 'schema', schema: criteria, message: 'm' }, output);

  test.each([
    ['lists', '[', ']', ''],
    ['objects', '{"a":', '}', '1'],
  ])('is limited to 500 levels of %s', async (_, open, close, inmost) => {
    const nested = (depth: number): string => `${open.repeat(depth)}${inmost}${close.repeat(depth)}`;
    expect((await text(schema, nested(500))).valid).toBe(true);
    expect(await text(schema, nested(501))).toEqual(tooComplex);
  });

  test('is measured in levels, and not in brackets or in brackets within texts', async () => {
    const shallow = `[${list(600, () => '[]').join()},${list(600, () => '{}').join()}]`;
    expect((await text(schema, shallow)).valid).toBe(true);
    expect((await text(schema, JSON.stringify(`"${'['.repeat(1000)}\\`))).valid).toBe(true);
    expect((await text(schema, JSON.stringify(['\\', '{'.repeat(1000)]))).valid).toBe(true);
  });

  test.each([
    ['one byte', 'x', maxOutputBytes],
    ['two bytes', 'é', maxOutputBytes / 2],
  ])('is limited to 5 MB, with characters of %s', async (_, char, count) => {
    const compiled = await compileCriteria(undefined);
    expect(judge(compiled, char.repeat(count)).valid).toBe(true);
    const refused = (): Verdict => judge(compiled, char.repeat(count + 1));
    expect(refused).toThrow(WorkflowError);
    const refusal = { code: 'INVALID_INPUT', data: { field: 'output', maxBytes: maxOutputBytes } };
    expect(refused).toThrow(expect.objectContaining(refusal));
  });
});
