import { expect, test } from 'vitest';
import { completed, readJson, readObject } from '../../src/components/json.tsx';
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

test('An example completes the entered fields, and replaces a text that is not an object', () => {
  const example = { size: 's', count: 1 };
  expect(JSON.parse(completed(example, '{"size": "m"}'))).toEqual({ size: 'm', count: 1 });
  for (const entered of ['', 'mine', '[1]']) expect(JSON.parse(completed(example, entered))).toEqual(example);
  for (const other of [['s'], 's', null])
    expect(JSON.parse(completed(other, '{"size": "m"}'))).toEqual(other);
});
