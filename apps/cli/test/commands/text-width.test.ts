import { expect, test } from 'vitest';
import { columns } from '../../src/terminal/plain-text.ts';

test.each([
  ['plain text', 'session', 7],
  ['wide characters', '日本', 4],
  ['a joiner between letters', 'می\u200Cخواهم', 7],
  ['decomposed letters', 'e\u0301\u1112\u1161\u11AB', 3],
  ['an emoji of several', '👩\u200D👩\u200D👧', 2],
])('a column is as wide as %s on a terminal', (_, text, width) => {
  const [first = ''] = columns([
    ['x'.repeat(width + 1), '|'],
    [text, '|'],
  ])
    .split('\n')
    .slice(-1);
  expect(first.slice(text.length)).toBe(`${' '.repeat(3)}|`);
});
