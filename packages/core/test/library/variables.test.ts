import type { Checkpoint } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { artifactPaths, fillText, fillVariables, presentCheckpoint } from '../../src/library/texts.ts';
import { activity, bakery } from '../support/bakery.ts';

test.each([
  ['Bake {grain} now?', { grain: 'rye' }, 'Bake rye now?'],
  ['{n} and {list}', { n: 3, list: ['a', 1] }, '3 and ["a",1]'],
  ['{oven.heat}', { oven: { heat: 220 } }, '220'],
  ['{missing} {empty}', { empty: null }, '{missing} {empty}'],
  ['{{grain}} stays', { grain: 'rye' }, '{{grain}} stays'],
  ['{ grain } and {} stay', { grain: 'rye' }, '{ grain } and {} stay'],
  ['{toString} {constructor} {__proto__}', {}, '{toString} {constructor} {__proto__}'],
  ['{a}', { a: '{b} $& $1', b: 'never' }, '{b} $& $1'],
])('Variables are filled into the text %j', (text, variables, expected) => {
  expect(fillVariables(text, variables)).toBe(expected);
});

test.each([
  [[], 'none'],
  [['a', 1, true], 'a, 1, true'],
  [['No index on age.', 'The cache, still cold'], '(1) No index on age. (2) The cache, still cold'],
  [['one, two'], '(1) one, two'],
  [['see (2) below', 'then'], '["see (2) below","then"]'],
  [['two\nlines'], '["two\\nlines"]'],
  [{ file: 'x.ts', line: 3 }, 'file: x.ts, line: 3'],
  [
    [
      { file: 'x.ts', line: 3 },
      { file: 'y.ts', line: 4 },
    ],
    '(1) file: x.ts, line: 3 (2) file: y.ts, line: 4',
  ],
  [{ deep: { er: 1 } }, '{"deep":{"er":1}}'],
  [{}, '{}'],
])('The value %j is written for a reader', (value, expected) => {
  expect(fillText('Open: {v}', { v: value })).toBe(`Open: ${expected}`);
});

test('A long value that is named many times does not make the text too long', () => {
  const filled = fillVariables('{v}'.repeat(100), { v: 'x'.repeat(20_000) });
  expect(filled.length).toBeLessThan(70_000);
  expect(filled).toContain('[too long: v]');
});

test('Values of variables are not expanded again', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      expect(fillVariables('<{v}>', { v: value, a: 'expanded' })).toBe(`<${value}>`);
    }),
  );
  expect(fillVariables('{v}', { v: '{a}', a: 'expanded' })).toBe('{a}');
});

const checkpoint: Checkpoint = {
  id: 'go',
  name: 'Go with {grain}',
  message: 'Bake {loaves} loaves of {grain}?',
  blocking: true,
  options: [
    {
      id: 'yes',
      label: 'Bake {grain}',
      description: 'All {loaves}',
      effect: { setVariable: { baked: true } },
    },
    { id: 'no', label: 'Wait' },
  ],
};

test('A checkpoint is complete, with its texts filled in and nothing else changed', () => {
  const shown = presentCheckpoint(checkpoint, { grain: 'rye', loaves: 2 });
  expect(shown).toEqual({
    id: 'go',
    name: 'Go with rye',
    message: 'Bake 2 loaves of rye?',
    blocking: true,
    options: [
      { id: 'yes', label: 'Bake rye', description: 'All 2', effect: { setVariable: { baked: true } } },
      { id: 'no', label: 'Wait' },
    ],
  });
  expect(presentCheckpoint(checkpoint, { grain: 'rye' }).message).toBe('Bake [unset: loaves] loaves of rye?');
});

test('Paths of artifacts have the location, the number of the activity, and the variables', () => {
  const part = activity(
    {
      id: 'mix',
      artifacts: [
        { id: 'a', name: '{grain}.md', location: 'shelf' },
        { id: 'b', name: 'b.md', location: 'cellar' },
        { id: 'c', name: 'c.md', location: 'toString' },
        { id: 'd', name: 'd.md' },
      ],
    },
    { index: '07' },
  );
  expect(artifactPaths(bakery, part, { grain: 'rye' })).toEqual([
    { id: 'a', path: 'rye/shelf/07-rye.md' },
    { id: 'b', path: 'cellar/07-b.md' },
    { id: 'c', path: '07-c.md' },
    { id: 'd', path: '07-d.md' },
  ]);
  expect(artifactPaths(bakery, activity({ id: 'bake' }), {})).toEqual([]);
});
