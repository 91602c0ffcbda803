import { expect, test } from 'vitest';
import { describeCriteria } from '@workflowlookup/validation';

const rule = (message: string): object => ({ type: 'contains', value: 'x', message });

test.each<[criteria: unknown, sentences: readonly string[]]>([
  [undefined, []],
  [[], []],
  [rule('Say x.'), ['Say x.']],
  [
    [rule('A.'), rule('B.')],
    ['A.', 'B.'],
  ],
  [{ and: [rule('A.'), [rule('B.')]] }, ['A.', 'B.']],
  [{ or: [rule('A.'), rule('B.')] }, ['One of: A; B']],
  [{ or: [rule('A.')] }, ['A']],
  [{ or: [rule('A.'), { and: [rule('B.'), rule('C.')] }] }, ['One of: A; All of: B; C']],
  [{ not: rule('A.') }, ['Not: A']],
  ['fo+', ['The output must match the pattern fo+']],
  [{ type: 'contains', value: 'x' }, ['The output must contain "x".']],
  [{ type: 'length', min: 1, max: 5 }, ['The output must have at least 1 and at most 5 characters.']],
  [{ type: 'length', max: 5 }, ['The output must have at most 5 characters.']],
  [{ type: 'schema', schema: {} }, ['The output must be JSON that meets the schema.']],
  [{ type: 'length', min: 3 }, ['The output must have at least 3 characters.']],
  [{ type: 'length' }, ['The output must have at least 0 characters.']],
  [{ type: 'regex', pattern: 'fo+' }, ['The output must match the pattern fo+']],
  [{ type: 'length', message: 7, max: 1 }, ['The output must have at most 1 characters.']],
  [{ not: [rule('A.'), rule('B. Or not')] }, ['Not: All of: A; B. Or not']],
  [{ not: { or: [rule('A.'), rule('B.')] } }, ['Not: One of: A; B']],
  [{ or: [[rule('A.'), rule('B.')]] }, ['All of: A; B']],
  [{ or: [{ or: [] }, rule('A.'), 7, rule('B.')] }, ['One of: A; B']],
  [[{ not: 7 }, { or: [] }, { and: 3 }], []],
  [[null, 7, {}, { type: 'bogus' }, { or: 3 }, { type: 'regex', pattern: {} }], []],
])('%j reads as %j', (criteria, sentences) => {
  expect(describeCriteria(criteria)).toEqual(sentences);
});

test.each([
  [64, ['A.']],
  [65, []],
])('tells what stands %i levels deep: %j', (depth, sentences) => {
  let criteria: unknown = rule('A.');
  for (let level = 0; level < depth; level += 1) criteria = level % 2 === 0 ? [criteria] : { and: criteria };
  expect(describeCriteria(criteria)).toEqual(sentences);
});

test('survives criteria without end', () => {
  const endless: unknown[] = [];
  endless.push(endless);
  expect(describeCriteria(endless)).toEqual([]);
});
