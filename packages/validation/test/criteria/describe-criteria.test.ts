import { expect, test } from 'vitest';
import { describeCriteria } from '@workflowlookup/validation';
import { messages } from '../../src/messages.ts';

const { allOf, mustContain, mustHaveLength, mustMatch, mustMeetSchema, not, oneOf, onlyIf } = messages;

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
  [{ or: [rule('A.'), rule('B.')] }, [oneOf(['A.', 'B.'])]],
  [{ or: [rule('A.')] }, [oneOf(['A.'])]],
  [{ or: [rule('A.'), { and: [rule('B.'), rule('C.')] }] }, [oneOf(['A.', allOf(['B.', 'C.'])])]],
  [{ not: rule('A.') }, [not('A.')]],
  ['fo+', [mustMatch('fo+')]],
  [{ type: 'contains', value: 'x' }, [mustContain('x')]],
  [{ type: 'length', min: 1, max: 5 }, [mustHaveLength(1, 5)]],
  [{ type: 'length', max: 5 }, [mustHaveLength(undefined, 5)]],
  [{ type: 'schema', schema: {} }, [mustMeetSchema]],
  [{ ...rule('A.'), condition: ' size == "large" ' }, [onlyIf('size == "large"', 'A.')]],
  [{ ...rule('A.'), condition: { var: 'size', not_equals: 'large' } }, [onlyIf('size != "large"', 'A.')]],
  [{ or: [{ ...rule('A.'), condition: 'large' }, rule('B.')] }, [oneOf([onlyIf('large', 'A.'), 'B.'])]],
  [{ ...rule('A.'), condition: { var: 7 } }, ['A.']],
  [{ type: 'length', min: 3 }, [mustHaveLength(3, undefined)]],
  [{ type: 'length' }, [mustHaveLength(undefined, undefined)]],
  [{ type: 'regex', pattern: 'fo+' }, [mustMatch('fo+')]],
  [{ type: 'length', message: 7, max: 1 }, [mustHaveLength(undefined, 1)]],
  [{ not: [rule('A.'), rule('B. Or not')] }, [not(allOf(['A.', 'B. Or not']))]],
  [{ not: { or: [rule('A.'), rule('B.')] } }, [not(oneOf(['A.', 'B.']))]],
  [{ or: [[rule('A.'), rule('B.')]] }, [allOf(['A.', 'B.'])]],
  [{ or: [{ or: [] }, rule('A.'), 7, rule('B.')] }, [oneOf(['A.', 'B.'])]],
  [[{ not: 7 }, { or: [] }, { and: 3 }], []],
  [[null, 7, {}, { type: 'bogus' }, { or: 3 }, { type: 'regex', pattern: {} }], []],
])('The criteria %j are described as %j', (criteria, sentences) => {
  expect(describeCriteria(criteria)).toEqual(sentences);
});

test.each([
  [64, ['A.']],
  [65, []],
])('Criteria that are nested %i levels deep are described: %j', (depth, sentences) => {
  let criteria: unknown = rule('A.');
  for (let level = 0; level < depth; level += 1) criteria = level % 2 === 0 ? [criteria] : { and: criteria };
  expect(describeCriteria(criteria)).toEqual(sentences);
});

test('Criteria that contain themselves do not cause an endless loop', () => {
  const endless: unknown[] = [];
  endless.push(endless);
  expect(describeCriteria(endless)).toEqual([]);
});
