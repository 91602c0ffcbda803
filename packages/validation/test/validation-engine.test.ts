import { expect, test } from 'vitest';
import { createValidationEngine } from '@workflowlookup/validation';

test('The same criteria have the same result, whether they are cached or compiled again', async () => {
  const engine = createValidationEngine(2);
  const criteria = (value: string): object => ({ type: 'contains', value });
  for (const value of ['a', 'b', 'c', 'a', 'c']) {
    expect((await engine.validate('a', criteria(value))).valid).toBe(value === 'a');
  }
});

/** Returns criteria that count how often they are read: once to look them up in the cache, and once more to compile them. */
function counting(value: string): { readonly criteria: object; readonly reads: () => number } {
  let reads = 0;
  const get = (): string => {
    reads += 1;
    return 'contains';
  };
  const criteria = Object.defineProperty({ value }, 'type', { get, enumerable: true });
  return { criteria, reads: () => reads };
}

test('The criteria that were used last are cached, up to the given number', async () => {
  const engine = createValidationEngine(2);
  const [a, b, c] = [counting('a'), counting('b'), counting('c')];
  const readsOf = async ({ criteria, reads }: typeof a): Promise<number> => {
    const before = reads();
    await engine.validate('x', criteria);
    return reads() - before;
  };
  const compiling = await readsOf(a);
  expect(compiling).toBeGreaterThan(1);
  expect(await readsOf(b)).toBe(compiling);
  expect(await readsOf(a)).toBe(1);
  expect(await readsOf(c)).toBe(compiling);
  expect(await readsOf(a)).toBe(1);
  expect(await readsOf(b)).toBe(compiling);
});

test('Criteria that were changed in place are compiled again', async () => {
  const engine = createValidationEngine();
  const criteria = { type: 'contains', value: 'a' };
  expect((await engine.validate('a', criteria)).valid).toBe(true);
  criteria.value = 'b';
  expect((await engine.validate('a', criteria)).valid).toBe(false);
});

test('Criteria that are not JSON are refused, and not cached', async () => {
  const endless: Record<string, unknown> = {};
  endless['not'] = endless;
  await expect(createValidationEngine().validate('a', endless)).rejects.toMatchObject({
    code: 'INVALID_CRITERIA',
  });
});

test('Concurrent checks do not share their steps', async () => {
  const engine = createValidationEngine();
  const criteria = { type: 'schema', schema: { items: { type: 'number' } } };
  const output = JSON.stringify(Array.from({ length: 50_000 }, (_, at) => at));
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => engine.validate(output, criteria)));
  expect(verdicts.every(({ valid }) => valid)).toBe(true);
});
