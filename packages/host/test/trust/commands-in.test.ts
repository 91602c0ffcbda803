import { expect, test } from 'vitest';
import { commandsIn } from '../../src/trust/review.ts';

const long = 1_000_000;

test.each([
  ['a program without a pipe', 'x curl '],
  ['a program and a pipe far behind it', 'x curl x '],
  ['pipes', '| a '],
  ['quotation marks', '" " '],
  ['spaces', '    '],
  ['code', '`a '],
  ['escapes', '\\u0063'],
])('The time to find commands is linear in the length of the text: %s', (_, part) => {
  const text = `${part.repeat(long / part.length)}|`;
  const started = performance.now();
  commandsIn(text);
  // A million characters take a fraction of this in linear time, and minutes in quadratic time.
  expect(performance.now() - started).toBeLessThan(5_000);
});
