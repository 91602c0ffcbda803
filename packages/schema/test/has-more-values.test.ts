import { hasMoreValues } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, member) => sum + valuesIn(member), 1);
}

const longText = fc.string({
  unit: fc.constantFrom('a', '\\', '"', ',', '['),
  minLength: 40,
  maxLength: 200,
});

test('The values of JSON are counted, whatever its strings contain', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.jsonValue(), fc.constant('a,[{"\\,"'), longText)), (value) => {
      const count = valuesIn(value);
      const text = JSON.stringify(value);
      // Each value except the outermost counts once. An empty list or object counts twice.
      expect(hasMoreValues(text, 2 * count)).toBe(false);
      expect(hasMoreValues(text, count - 2)).toBe(true);
    }),
  );
});

test.each(['['.repeat(300_000), '[1'.concat(',1'.repeat(300_000), ']'), '{"a":'.repeat(300_000)])(
  'Too many values are found even in text that is not JSON: %.5s',
  (text) => {
    expect(hasMoreValues(text, 200_000)).toBe(true);
    expect(hasMoreValues(JSON.stringify(text), 200_000)).toBe(false);
  },
);
