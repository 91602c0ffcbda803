import { expect, test } from 'vitest';
import { definition, json, read } from '../support/definitions.ts';
import { fileMessages } from '../../src/messages/files.ts';

test.each([
  ['', 'expected a value, but the text ends at line 1, column 1'],
  ['{"id": "abc"', "expected '}', but the text ends at line 1, column 13"],
  ['{"tags": ["a"', "expected ']', but the text ends at line 1, column 14"],
  ['{\n  "id": "abc",\n}', 'a trailing comma at line 2, column 14'],
  ['[1, 2,\n]', 'a trailing comma at line 1, column 6'],
  ['{"id" "abc"}', "expected ':' after the property name at line 1, column 7"],
  ['{"id": "abc" "name": "n"}', "expected ',' before the next one at line 1, column 14"],
  ['{id: "abc"}', 'an unknown word at line 1, column 2'],
  ["{'id': 1}", 'an unknown word at line 1, column 2'],
  ['{"id": }', 'expected a value at line 1, column 8'],
  ['{"id": "abc}', 'a string without a closing quote at line 1, column 8'],
  ['{"id": "a\tb"}', 'a control character in a string at line 1, column 8'],
  ['{"id": "\\q"}', 'an unknown escape at line 1, column 8'],
  ['{"id": "\\u12"}', '\\u without four hex digits at line 1, column 8'],
  ['{"id": 1.}', 'an incomplete number at line 1, column 8'],
  ['{} {}', 'expected nothing after the document at line 1, column 4'],
  ['/*', 'comments are not allowed at line 1, column 1'],
  ['{"a": /', 'an unknown word at line 1, column 7'],
  ['{} // note', 'comments are not allowed at line 1, column 4'],
  ['{"a": undefined}', 'an unknown word at line 1, column 7'],
])('The text %j is refused: %s', async (text, message) => {
  const { issues, workflow } = await read(text);
  expect(issues.map((issue) => issue.message)).toEqual([`JSON syntax error: ${message}`]);
  const [issue] = issues;
  expect(issue).toMatchObject({ severity: 'error', pointer: '' });
  expect(issue?.message).toContain(`line ${issue?.line}, column ${issue?.column}`);
  expect(workflow).toBeUndefined();
});

test('A text that ends too early gets a suggestion', async () => {
  const { issues } = await read('{"id": "abc"');
  expect(issues[0]?.suggestion).toBe('Check for missing closing braces, brackets, or quotes');
});

test.each(['\n', '\r\n', '\r'])('Lines are counted if they end in %j', async (end) => {
  const text = json(definition({ name: '', steps: 5 })).replaceAll('\n', end);
  expect((await read(text)).issues).toMatchObject([
    { code: 'wrong-value', pointer: '/name', line: 3, column: 11 },
    { code: 'wrong-value', pointer: '/steps', line: 6, column: 12 },
  ]);
});

test('An unknown property is reported at its key, and a missing one at its object', async () => {
  const text =
    '{"id": "abc", "name": "n",\n "description": "d", "version": "1.0.0",\n "steps": [{"id": "plan", "title": "t",\n   "promt": "p"}]}';
  expect((await read(text)).issues).toMatchObject([
    {
      code: 'missing-property',
      pointer: '/steps/0',
      line: 3,
      column: 12,
      message: expect.stringContaining("'prompt'"),
    },
    { code: 'unknown-property', pointer: '/steps/0/promt', line: 4, column: 4 },
  ]);
});

test('A byte order mark is accepted and not counted as a column', async () => {
  expect((await read(`\uFEFF${json(definition())}`)).issues).toEqual([]);
  expect((await read('\uFEFF5')).issues).toMatchObject([
    { code: 'wrong-value', pointer: '', line: 1, column: 1 },
  ]);
});

test.each([
  ['{"name": "a",\n "name": "b"}', '/name', 2, 2, 'name'],
  ['{"x-a": {"b": 1,\n "\\u0062": 2}}', '/x-a/b', 2, 2, 'b'],
  ['{"x-a": [0, {"a/b": 1, "a/b": 2}]}', '/x-a/1/a~1b', 1, 24, 'a/b'],
  ['{"__proto__": 1, "__proto__": 2}', '/__proto__', 1, 18, '__proto__'],
])('A duplicate key in %j is refused', async (text, pointer, line, column, key) => {
  expect((await read(text)).issues).toEqual([
    { ...fileMessages.duplicateKey(key, 1), pointer, line, column },
  ]);
});

test('Braces, colons and quotes inside strings are text', async () => {
  const reading = await read(definition({ 'x-a': '{"a": [[ \\" : , \\\\', 'x-b"c:': ['"', '\\'] }));
  expect(reading.issues).toEqual([]);
  expect(reading.workflow?.definition).toHaveProperty('x-b"c:', ['"', '\\']);
});
