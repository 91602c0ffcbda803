import { expect, test } from 'vitest';
import { readJson, readObject } from '../../src/components/json.tsx';
import { commonMessages } from '../../src/messages/common.ts';

test.each([
  ['', {}],
  [' \n', {}],
  ['{ "depth": "full" }', { depth: 'full' }],
])('The object in %j is read', (text, value) => {
  expect(readObject(text)).toEqual({ text, value });
});

test.each(['[]', 'null', '"text"', '7'])('The text %s, which is not an object, is refused', (text) => {
  expect(readObject(text)).toEqual({ text, problem: commonMessages.json.notAnObject });
});

test('An invalid JSON text is refused with the reason', () => {
  const { value, problem } = readJson('{ "depth": }', []);
  expect(value).toBeUndefined();
  expect(problem).toContain('JSON');
});
