import { describe, expect, test } from 'vitest';
import { compilePattern } from '@workflowlookup/conditions';

function found(pattern: string, text: string, flags?: string): boolean {
  const compiled = compilePattern(pattern, flags);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.test(text);
}

describe('compilePattern', () => {
  test.each<[pattern: string, text: string, expected: boolean, flags?: string]>([
    ['\\d+', 'a1', true],
    ['\\bfoo\\b', 'a foo b', true],
    ['\\bfoo\\b', 'afoob', false],
    ['[\\w.-]+@\\w+', 'me.x@there', true],
    ['\\/api\\/v\\d', '/api/v1', true],
    ['/api/', '/api/', true],
    ['\\u0041', 'A', true],
    ['\\u{1F600}', '😀', true],
    ['\\u{1F600}', '😁', false],
    ['\\uD83D\\uDE00', '😀', true],
    ['[\\u00e0-\\u00ff]', 'é', true],
    ['\\\\u0041', 'A', false],
    ['\\\\u0041', '\\u0041', true],
    ['\\Q\\u0041\\E', '\\u0041', true],
    ['(?<year>\\d{4})', '2024', true],
    ['(?i)abc', 'ABC', true],
    ['abc', 'ABC', false],
    ['abc', 'ABC', true, 'i'],
    ['^b$', 'a\nb', false],
    ['^b$', 'a\nb', true, 'm'],
    ['b$', 'b\n', false],
    ['a.b', 'a\nb', false],
    ['a.b', 'a\nb', true, 's'],
    ['^.$', '😀', true],
    ['\\p{Lu}', 'É', true],
    ['a', 'bab', true, 'gu'],
    ['', '', true],
  ])('finds %s in %j: %s', (pattern, text, expected, flags) => {
    expect(found(pattern, text, flags)).toBe(expected);
  });

  test('keeps no state between searches', () => {
    const pattern = compilePattern('a', 'g');
    expect(pattern.ok && [pattern.test('a'), pattern.test('a')]).toEqual([true, true]);
  });

  test.each([
    ['(a)\\1', '', 'The back reference \\1 is not supported: patterns run in linear time.'],
    ['(?<n>a)\\k<n>', '', 'The back reference \\k is not supported: patterns run in linear time.'],
    ['(?=a)', '', 'Look-around (?=…) is not supported: patterns run in linear time.'],
    ['x(?!a)y', '', 'Look-around (?!…) is not supported: patterns run in linear time.'],
    ['(?<=a)b', '', 'Look-around (?<=…) is not supported: patterns run in linear time.'],
    ['(?<!a)b', '', 'Look-around (?<!…) is not supported: patterns run in linear time.'],
    ['[', '', 'Bad pattern: missing closing ] at "[".'],
    ['*a', '', 'Bad pattern: missing argument to repetition operator at "*".'],
    ['a', 'y', 'Unknown flag "y": the flags are i, m, s, u and g.'],
    ['a', 'constructor', 'Unknown flag "c": the flags are i, m, s, u and g.'],
    ['a'.repeat(4097), '', 'The pattern has 4097 characters; at most 4096 are supported.'],
    ['(a?b?c?){999}'.repeat(20), '', 'The pattern repeats too much; use smaller counts.'],
    ['(a?b?c?){2,999}'.repeat(20), '', 'The pattern repeats too much; use smaller counts.'],
    ['(a?b?c?){999,}'.repeat(20), '', 'The pattern repeats too much; use smaller counts.'],
    ['(abcdefghijklmnop){1000}', '', 'The pattern is too large; use smaller counts.'],
  ])('refuses %s with flags "%s"', (pattern, flags, message) => {
    expect(compilePattern(pattern, flags)).toEqual({ ok: false, message });
  });

  test('runs patterns in linear time that make a backtracking engine hang', () => {
    const text = `${'a'.repeat(50_000)}!`;
    expect(found('^(a+)+$', text)).toBe(false);
    expect(found('^(a|aa)+$', text)).toBe(false);
    expect(found('(.*)*b', text)).toBe(false);
  });
});
