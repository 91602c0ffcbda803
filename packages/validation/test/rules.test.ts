import { describe, expect, test } from 'vitest';
import type { Context } from '@workflowlookup/conditions';
import type { Verdict } from '@workflowlookup/validation';
import { compileCriteria, judge } from '@workflowlookup/validation';
import { messages } from '../src/messages.ts';

async function verdictOf(output: string, criteria: unknown, context: Context = {}): Promise<Verdict> {
  return judge(await compileCriteria(criteria), output, context);
}

const valid: Verdict = { valid: true, issues: [], suggestions: [] };
const failed = (issues: readonly string[], ...remedies: readonly string[]): Verdict => ({
  valid: false,
  issues,
  suggestions: [messages.reviewCriteria, ...remedies],
});

const has = (value: string, more: object = {}): object => ({
  type: 'contains',
  value,
  message: value.toUpperCase(),
  ...more,
});
const whenLarge = { condition: { var: 'size', equals: 'large' } };

describe('missing criteria', () => {
  test.each([undefined, []])('accept any text that is not blank: %j', async (criteria) => {
    expect(await verdictOf('x', criteria)).toEqual(valid);
    expect(await verdictOf(' \n\t', criteria)).toEqual(
      failed([messages.emptyOutput], messages.writeSomething),
    );
  });
});

describe('a single rule', () => {
  test.each<[output: string, rule: unknown, expected: Verdict]>([
    ['has a', has('a'), valid],
    ['x A', has('a'), failed(['A'], messages.includeText('a'))],
    [
      'x',
      { type: 'contains', value: 'say "hi"' },
      failed([messages.mustContain('say "hi"')], messages.includeText('say "hi"')),
    ],
    ['a1', '\\d', valid],
    ['ab', '\\d', failed([messages.mustMatch('\\d')], messages.writeMatch('\\d'))],
    ['A\nB', { type: 'regex', pattern: '^b$', flags: 'gimsu', message: 'm' }, valid],
    ['abc', { type: 'length', min: 3, max: 3 }, valid],
    [
      'ab',
      { type: 'length', min: 3 },
      failed([messages.mustHaveLength(3, undefined)], messages.addCharacters(1)),
    ],
    [
      'ab',
      { type: 'length', min: 42 },
      failed([messages.mustHaveLength(42, undefined)], messages.addCharacters(40)),
    ],
    ['ab', { type: 'length', max: 1, message: 'm' }, failed(['m'], messages.removeCharacters(1))],
    [
      'abc',
      { type: 'length', min: 5, max: 1, message: 'm' },
      failed(['m'], messages.addCharacters(2), messages.removeCharacters(2)),
    ],
    ['', { type: 'length', min: 0 }, valid],
    ['x', has('a', { suggestion: 'Say more of a.' }), failed(['A'], 'Say more of a.')],
    ['x', has('a', { 'x-note': 'ignored' }), failed(['A'], messages.includeText('a'))],
  ])('accepts or refuses %j with %j', async (output, rule, expected) => {
    expect(await verdictOf(output, rule)).toEqual(expected);
    expect(await verdictOf(output, [rule])).toEqual(expected);
  });
});

describe('composed rules', () => {
  test.each<[output: string, criteria: unknown, issues: readonly string[]]>([
    ['ab', [has('a'), has('b')], []],
    ['', [has('a'), [has('b')], { and: [has('c')] }], ['A', 'B', 'C']],
    ['b', { or: [has('a'), has('b')] }, []],
    ['', { or: [has('a'), { and: [has('b'), has('c')] }] }, ['A', 'B', 'C']],
    ['b', { or: [has('a'), { and: [has('b'), has('c')] }] }, ['A', 'C']],
    ['a', { not: has('a') }, [messages.metButForbidden('A')]],
    ['a', { not: { not: has('a') } }, []],
    ['b', { not: { not: has('a') } }, [messages.metButForbidden(messages.not('A'))]],
    ['ab', { not: [has('a'), has('b')] }, [messages.metButForbidden(messages.allOf(['A', 'B']))]],
    ['a', { not: { or: [has('a'), has('b')] } }, [messages.metButForbidden(messages.oneOf(['A', 'B']))]],
    ['a', { not: [has('a'), has('b')] }, []],
    ['', { and: [has('a')], 'x-note': 'ours' }, ['A']],
  ])('accept or refuse %j with %j', async (output, criteria, issues) => {
    const { valid: isValid, issues: found } = await verdictOf(output, criteria);
    expect(found).toEqual(issues);
    expect(isValid).toBe(issues.length === 0);
  });

  test('include the suggestion of a failed not', async () => {
    const not = async (member: unknown): Promise<readonly string[]> =>
      (await verdictOf('abc', { not: member })).suggestions.slice(1);
    expect(await not(has('a'))).toEqual([messages.removeText('a')]);
    expect(await not('b+')).toEqual([messages.removeMatch('b+')]);
    expect(await not({ type: 'regex', pattern: 'b+', message: 'm' })).toEqual([messages.removeMatch('b+')]);
    expect(await not([has('a')])).toEqual([messages.meetNoLonger('A')]);
    expect(await not({ type: 'length', min: 1, message: 'Not blank.' })).toEqual([
      messages.meetNoLonger('Not blank.'),
    ]);
  });

  test('make each suggestion once', async () => {
    expect(await verdictOf('', [has('a'), has('a', { message: 'Again' })])).toEqual(
      failed(['A', 'Again'], messages.includeText('a')),
    );
  });
});

describe('the condition of a rule', () => {
  const small = { size: 'small' };
  test.each<[criteria: unknown, issues: readonly string[]]>([
    [has('a', whenLarge), []],
    [[has('a', whenLarge), has('b')], ['B']],
    [{ and: [has('a', whenLarge), has('b')] }, ['B']],
    [{ or: [has('a', whenLarge), has('b')] }, ['B']],
    [{ or: [has('a', whenLarge)] }, []],
    [{ not: has('x', whenLarge) }, []],
    [{ not: { or: [has('x', whenLarge)] } }, []],
    [{ or: [{ not: has('x', whenLarge) }, has('b')] }, ['B']],
    [{ not: { and: [has('x', whenLarge), has('x', whenLarge)] } }, []],
    [has('a', { condition: 'size == "small"' }), ['A']],
    [has('a', { condition: {} }), ['A']],
  ])('leaves the rule out if it is false: %j', async (criteria, issues) => {
    expect((await verdictOf('x', criteria, small)).issues).toEqual(issues);
  });

  test('keeps the rule if it is true', async () => {
    expect((await verdictOf('x', [has('a', whenLarge), has('b')], { size: ' LARGE ' })).issues).toEqual([
      'A',
      'B',
    ]);
  });
});
