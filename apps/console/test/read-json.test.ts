import { expect, test } from 'vitest';
import { readJson, readObject } from '../src/parts/read-json.ts';

test.each([
  ['', {}],
  [' \n', {}],
  ['{ "depth": "full" }', { depth: 'full' }],
])('reads the object that %j is', (text, value) => {
  expect(readObject(text)).toEqual({ text, value });
});

test.each(['[]', 'null', '"text"', '7'])('says of %s that it has to be an object', (text) => {
  expect(readObject(text)).toEqual({ text, problem: expect.stringContaining('has to be an object') });
});

test('says what keeps a text from being JSON', () => {
  const { value, problem } = readJson('{ "depth": }', []);
  expect(value).toBeUndefined();
  expect(problem).toContain('JSON');
});
