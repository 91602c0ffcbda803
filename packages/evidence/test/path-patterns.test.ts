import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { pathsOutside } from '../src/path-patterns.ts';

const isWithin = async (path: string, pattern: string): Promise<boolean> =>
  (await pathsOutside([path], [pattern])).length === 0;

test.each([
  ['src/**', 'src/a/b.ts', true],
  ['src/**', 'src2/a.ts', false],
  ['**/*.test.ts', 'a.test.ts', true],
  ['**/*.test.ts', 'a/b/c.test.ts', true],
  ['packages/*/src/**', 'packages/a/src/b/c.ts', true],
  ['packages/*/src/**', 'packages/a/b/src/c.ts', false],
  ['*.ts', 'a/b.ts', false],
  ['**', '.github/a.yml', true],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['[a-c]1', 'b1', true],
  ['[!a-c]1', 'b1', false],
  ['src/{a,b/*}.ts', 'src/b/x.ts', true],
  ['src/{a,{b,c}}.ts', 'src/c.ts', true],
  ['src/{a,b', 'src/{a,b', true],
  ['a\\*', 'a*', true],
  ['a\\*', 'ab', false],
  ['äöü*', 'äöü😀', true],
])('The pattern %s matches %s: %s', async (pattern, path, expected) => {
  expect(await isWithin(path, pattern)).toBe(expected);
});

test('A pattern matches the same paths as in picomatch', async () => {
  const part = fc.constantFrom('a', 'b', 'ab', '*', '**', '?', 'a*', '*b', '{a,b}', '[ab]');
  const patterns = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  const paths = fc
    .array(fc.constantFrom('a', 'b', 'ab', 'ba', '.a'), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('/'));
  await fc.assert(
    fc.asyncProperty(patterns, paths, async (pattern, path) => {
      // In picomatch, some patterns for all files in a folder also match the folder itself.
      const isFolder = pattern.endsWith('/**') && picomatch(pattern.slice(0, -3), { dot: true })(path);
      if (isFolder) return;
      expect(await isWithin(path, pattern)).toBe(picomatch(pattern, { dot: true })(path));
    }),
  );
});

test('No pattern and no name blocks the server', async () => {
  const name = `${'a'.repeat(200)}!`;
  const deep = `${'a/'.repeat(1000)}!`;
  const started = performance.now();
  for (const pattern of [
    `${'*a'.repeat(100)}b`,
    `${'**/a/'.repeat(100)}b`,
    `${'{a,a*}'.repeat(100)}b`,
    `${'{'.repeat(500)}b`,
    '*'.repeat(100_000),
  ])
    expect(await pathsOutside([name, deep], [pattern])).toEqual([name, deep]);
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(await pathsOutside([name], [`${'*a'.repeat(100)}!`])).toEqual([]);
});
