import { expect, test } from 'vitest';
import { read, readYaml } from '../support/definitions.ts';
import { issueInFull } from '../support/summarize-issue.ts';

// The exact issues and suggestions for a text, because authors act on them.

test.each<[format: 'json' | 'yaml', text: string, expected: readonly string[]]>([
  [
    'json',
    '{"a" 1}',
    [
      "error syntax-error : JSON syntax error: expected ':' after the property name at line 1, column 6. Write ':' between the property and its value",
    ],
  ],
  [
    'json',
    '{"a": 1,}',
    [
      'error syntax-error : JSON syntax error: a trailing comma at line 1, column 8. Remove the trailing comma',
    ],
  ],
  [
    'json',
    '{"a": [1 2]}',
    [
      "error syntax-error : JSON syntax error: expected ',' before the next one at line 1, column 10. Check for a missing ',' between properties or items",
    ],
  ],
  [
    'json',
    '{"a": }',
    [
      'error syntax-error : JSON syntax error: expected a value at line 1, column 7. Write a value: text in double quotes, a number, true, false, null, {} or []',
    ],
  ],
  [
    'json',
    '{',
    [
      "error syntax-error : JSON syntax error: expected '}', but the text ends at line 1, column 2. Check for missing closing braces, brackets, or quotes",
    ],
  ],
  [
    'json',
    '{"a": nul}',
    [
      'error syntax-error : JSON syntax error: an unknown word at line 1, column 7. Put text in double quotes; only true, false and null need none',
    ],
  ],
  [
    'json',
    '["a"',
    [
      "error syntax-error : JSON syntax error: expected ']', but the text ends at line 1, column 5. Check for missing closing braces, brackets, or quotes",
    ],
  ],
  [
    'json',
    '{"a": 1} x',
    [
      'error syntax-error : JSON syntax error: an unknown word at line 1, column 10. Put text in double quotes; only true, false and null need none',
    ],
  ],
  [
    'json',
    '{"a": "b\n"}',
    [
      'error syntax-error : JSON syntax error: a string without a closing quote at line 1, column 7. Check for missing closing braces, brackets, or quotes',
    ],
  ],
  [
    'json',
    '{"a": 01}',
    [
      "error syntax-error : JSON syntax error: expected ',' before the next one at line 1, column 8. Check for a missing ',' between properties or items",
    ],
  ],
  [
    'json',
    '{/* c */ "a": 1}',
    [
      'error syntax-error : JSON syntax error: comments are not allowed at line 1, column 2. Remove the comment, or write the definition in YAML',
    ],
  ],
  [
    'json',
    "{'a': 1}",
    [
      'error syntax-error : JSON syntax error: an unknown word at line 1, column 2. Put text in double quotes; only true, false and null need none',
    ],
  ],
  [
    'json',
    '',
    [
      'error syntax-error : JSON syntax error: expected a value, but the text ends at line 1, column 1. Write a value: text in double quotes, a number, true, false, null, {} or []',
    ],
  ],
  [
    'yaml',
    'a: [1, 2',
    [
      'error syntax-error : YAML syntax error: Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 9. Check the indentation, and quote text that contains : or #',
    ],
  ],
  [
    'yaml',
    'a: b: c',
    [
      'error syntax-error : YAML syntax error: Nested mappings are not allowed in compact mappings at line 1, column 4. Check the indentation, and quote text that contains : or #',
    ],
  ],
  [
    'yaml',
    '- a\nb: 1',
    [
      'error syntax-error : YAML syntax error: Unexpected map-value-ind token in YAML stream at line 2, column 2. Check the indentation, and quote text that contains : or #',
    ],
  ],
  [
    'yaml',
    'a: 1\n---\nb: 2',
    [
      "error unsupported-syntax : More than one YAML document; a definition must be a single one. Remove the '---' line, or put each workflow in its own file",
    ],
  ],
  ['yaml', '', ['error wrong-value : The document must be an object, found null. Write an object here']],
  [
    'yaml',
    'a: !tag 1',
    ["error unsupported-syntax /a: Tag '!tag' is not part of the YAML core schema. Remove the tag"],
  ],
  [
    'yaml',
    'a: &x 1\n? [k]\n: 1',
    ['error unsupported-syntax : A key that is not text. Write keys as plain text'],
  ],
  [
    'yaml',
    'a: *nope',
    [
      "error unsupported-syntax /a: Alias '*nope' has no finished anchor '&nope' before it. Write the value out",
    ],
  ],
  [
    'yaml',
    '<<: {a: 1}',
    ["error unsupported-syntax : Merge keys ('<<') are not supported. Write the keys out"],
  ],
  [
    'yaml',
    'a: 1\na: 2',
    ["error duplicate-key /a: Duplicate key 'a': the same object has it on line 1. Remove one of the two"],
  ],
  ['yaml', '1: x', ['error unsupported-syntax : Key 1 is not text. Put it in quotes: "1"']],
  ['yaml', 'true: x', ['error unsupported-syntax : Key true is not text. Put it in quotes: "true"']],
  [
    'yaml',
    '"a\tb": 1\n\tc: 2',
    [
      'error syntax-error : YAML syntax error: Tabs are not allowed as indentation at line 2, column 1. Check the indentation, and quote text that contains : or #',
    ],
  ],
  ['yaml', 'null: 1', ['error unsupported-syntax : Key null is not text. Put it in quotes: "null"']],
  ['yaml', '? a\n: 1\n2.5: 3', ['error unsupported-syntax : Key 2.5 is not text. Put it in quotes: "2.5"']],
  [
    'json',
    '',
    [
      'error syntax-error : JSON syntax error: expected a value, but the text ends at line 1, column 1. Write a value: text in double quotes, a number, true, false, null, {} or []',
    ],
  ],
  ['yaml', '', ['error wrong-value : The document must be an object, found null. Write an object here']],
])('The exact messages are returned for the %s text %j', async (format, text, expected) => {
  const { issues } = await (format === 'json' ? read(text) : readYaml(text));
  expect(issues.map(issueInFull)).toEqual(expected);
});
