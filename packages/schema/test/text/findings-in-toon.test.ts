import { expect, test } from 'vitest';
import { readToonLines } from '../support/folders.ts';
import { issueInFull } from '../support/summarize-issue.ts';

// The exact issues and suggestions for lines of TOON, because authors act on them.

test.each<[lines: string, expected: readonly string[]]>([
  [
    'x-a[2]: 1',
    [
      'error syntax-error : TOON syntax error: Expected 2 inline-form values, but got 1 at line 4, column 1. Correct the number in brackets, or the items',
    ],
  ],
  [
    'x-a[1]: 1,2',
    [
      'error syntax-error : TOON syntax error: Expected 1 inline-form values, but got 2 at line 4, column 1. Correct the number in brackets, or the items',
    ],
  ],
  [
    "author: 'x'",
    [
      'warning misread-text /author: TOON has no single quotes: they are read as part of the text. Use double quotes, or none',
    ],
  ],
  [
    'author: >',
    [
      'error misread-text /author: TOON has no block scalars: the lines that follow would be lost. Write the text on one line in double quotes, with \\n for line breaks, or write the file in YAML',
    ],
  ],
  [
    '- x',
    [
      "error syntax-error : TOON syntax error: This list has no length at line 4, column 3. Write the number of items after the key, as in 'key[2]:'",
    ],
  ],
  [
    '[1]',
    [
      "error syntax-error : TOON syntax error: The line has no 'key:' at line 4, column 1. Write key: value; move a line of text into the line before it, in double quotes",
    ],
  ],
  [
    'x-a: [1, 2]',
    [
      "error misread-text /x-a: TOON has no lists in brackets. Write 'key[2]: a,b'. Put it in double quotes if it is text",
    ],
  ],
  [
    'x-a[1]{a}:\n  1,2',
    [
      'error syntax-error : TOON syntax error: Expected 1 tabular row values, but got 2 at line 5, column 3. Put text that contains a comma in double quotes',
    ],
  ],
  [
    'a b',
    [
      "error syntax-error : TOON syntax error: The line has no 'key:' at line 4, column 1. Write key: value; move a line of text into the line before it, in double quotes",
    ],
  ],
  [
    'author: "x',
    [
      'error syntax-error : TOON syntax error: Unterminated string: missing closing quote at line 4, column 1. Close it on the same line',
    ],
  ],
  [
    'author: |\n  x',
    [
      'error misread-text /author: TOON has no block scalars: the lines that follow would be lost. Write the text on one line in double quotes, with \\n for line breaks, or write the file in YAML',
    ],
  ],
  [
    'id: again',
    ["error duplicate-key /id: Duplicate key 'id': the same object has it on line 1. Remove one of the two"],
  ],
  [
    'x-a: {b: 1}',
    [
      'error misread-text /x-a: TOON has no objects in braces. Write a key per line. Put it in double quotes if it is text',
    ],
  ],
  [
    '\tauthor: x',
    [
      'error syntax-error : TOON syntax error: Tabs are not allowed in indentation in strict mode at line 4, column 1. Indent by two spaces for each level',
    ],
  ],
  [
    'x-a:\n   b: 1',
    [
      'error syntax-error : TOON syntax error: Indentation must be exact multiple of 2, but found 3 spaces at line 5, column 4. Indent by two spaces for each level',
    ],
  ],
  [
    'x-a[2]:\n  - 1',
    [
      'error syntax-error : TOON syntax error: Expected 2 list-form items, but got 1 at line 5, column 5. Correct the number in brackets, or the items',
    ],
  ],
  ['tags[2]: a, b', []],
  ['# c', []],
  [
    'x-a: "1',
    [
      'error syntax-error : TOON syntax error: Unterminated string: missing closing quote at line 4, column 1. Close it on the same line',
    ],
  ],
  [
    'x-a[1|]: a|b',
    [
      'error syntax-error : TOON syntax error: Expected 1 inline-form values, but got 2 at line 4, column 1. Correct the number in brackets, or the items',
    ],
  ],
  ['author[1]: x', ["error wrong-value /author: 'author' must be text, found a list. Write text here"]],
  [
    'x-a: - b',
    [
      "error misread-text /x-a: This list item is read as text. Write 'key[1]:' and the items below it. Put it in double quotes if it is text",
    ],
  ],
])('The exact messages are returned for the TOON text %j', async (lines, expected) => {
  const { issuesByFile } = await readToonLines(lines);
  expect((issuesByFile.get('workflow.toon') ?? []).map(issueInFull)).toEqual(expected);
});
