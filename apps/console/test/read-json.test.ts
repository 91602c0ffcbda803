import { expect, test } from 'vitest';
import { completed, readJson, readObject } from '../src/components/read-json.ts';
import { commonMessages } from '../src/messages/common.ts';

test.each([
  ['', {}],
  [' \n', {}],
  ['{ "depth": "full" }', { depth: 'full' }],
])('reads the object in %j', (text, value) => {
  expect(readObject(text)).toEqual({ text, value });
});

test.each(['[]', 'null', '"text"', '7'])('refuses %s, which is not an object', (text) => {
  expect(readObject(text)).toEqual({ text, problem: commonMessages.json.notAnObject });
});

test('says why a text is not valid JSON', () => {
  const { value, problem } = readJson('{ "depth": }', []);
  expect(value).toBeUndefined();
  expect(problem).toContain('JSON');
});

test('an example completes the fields that were entered, and replaces what is no object', () => {
  const example = { size: 's', count: 1 };
  expect(JSON.parse(completed(example, '{"size": "m"}'))).toEqual({ size: 'm', count: 1 });
  for (const entered of ['', 'mine', '[1]']) expect(JSON.parse(completed(example, entered))).toEqual(example);
  for (const other of [['s'], 's', null])
    expect(JSON.parse(completed(other, '{"size": "m"}'))).toEqual(other);
});
