import type { ValueReading } from '@workflowlookup/schema';
import { readValue } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { toonIssues } from '../support/folders.ts';
import { issueInFull } from '../support/summarize-issue.ts';

// The lines of TOON that are read literally, and those that are reported with what the author probably meant.

const readToon = (text: string): Promise<ValueReading> => readValue({ text, format: 'toon' });

test.each<[what: string, text: string, value: unknown]>([
  ['words that are no text', 'tea: null\ngreen: true', { tea: null, green: true }],
  ['a dash within an item', 'tea[1]: black - strong', { tea: ['black - strong'] }],
  ['brackets behind a dash', 'tea[2]: black - strong,[mint]', { tea: ['black - strong', '[mint]'] }],
  ['brackets around the first item', 'tea[2]: [black],mint', { tea: ['[black]', 'mint'] }],
  [
    'brackets within an item, and behind a colon',
    'tea[2]: mint[1],cups: [2]',
    { tea: ['mint[1]', 'cups: [2]'] },
  ],
  ['brackets around the first cell', 'tea[1]{a,b}:\n  [mint],cup', { tea: [{ a: '[mint]', b: 'cup' }] }],
  ['brackets around the last cell', 'tea[1]{a,b}:\n  cup,[mint]', { tea: [{ a: 'cup', b: '[mint]' }] }],
  [
    'brackets and a colon in a row',
    'tea[1]{a,b}:\n  [mint],in:cups',
    { tea: [{ a: '[mint]', b: 'in:cups' }] },
  ],
  [
    'brackets behind a colon in a row',
    'tea[1]{a,b,c}:\n  one,in:cup,[mint]',
    { tea: [{ a: 'one', b: 'in:cup', c: '[mint]' }] },
  ],
  ['a row that starts with a dash', 'tea[1]{a,b}:\n  - mint,[cup]', { tea: [{ a: '- mint', b: '[cup]' }] }],
  ['quoted items', 'tea[2]:\n  - "[mint]"\n  - "- |"', { tea: ['[mint]', '- |'] }],
  ['a quoted item with quotes in it', 'tea[1]:\n  - "[\\"mint\\"]"', { tea: ['["mint"]'] }],
  ['a field in single quotes', "tea[1]{'a'}:\n  1", { tea: [{ "'a'": 1 }] }],
  ['a quoted key that looks like a merge', '"<<": 1', { '<<': 1 }],
  ['a key with a dash in it', 'tea - green: 1', { 'tea - green': 1 }],
  ['a key that ends in quotes', "a'b': 1", { "a'b'": 1 }],
  ['a key that starts in quotes', "'b'c: 1", { "'b'c": 1 }],
  ['a line of blanks in a list', 'tea[2]:\n  - 1\n   \n  - 2', { tea: [1, 2] }],
  ['many braces in a text', `tea: "${'{'.repeat(65)}"`, { tea: '{'.repeat(65) }],
  ['64 braces in a header', `tea[1]{"${'{'.repeat(63)}"}:\n  1`, { tea: [{ ['{'.repeat(63)]: 1 }] }],
  [
    'what looks like a header of many groups',
    `tea: "]${'{}'.repeat(65)}${'a'.repeat(65)}"`,
    { tea: `]${'{}'.repeat(65)}${'a'.repeat(65)}` },
  ],
])('TOON texts are kept as written: %s', async (_, text, value) => {
  expect(await readToon(text)).toStrictEqual({ value, issues: [] });
});

const ifText = 'Put it in double quotes if it is text';
const blockScalar =
  'TOON has no block scalars: the lines that follow would be lost. Write the text on one line in double quotes, with \\n for line breaks, or write the file in YAML';
const brackets = "The brackets around this list are read as part of its items. Write 'key[2]: a,b'";
const singleQuotes =
  'TOON has no single quotes: they are read as part of the text. Use double quotes, or none';
const mergeKeys = "Merge keys ('<<') are not supported. Write the keys out";
const noLength = "This list has no length. Write the number of items after the key, as in 'key[2]:'";

test.each<[text: string, expected: string]>([
  ["tea: 'mint'  ", `warning misread-text /tea: ${singleQuotes}`],
  ["tea:'mint'", `warning misread-text /tea: ${singleQuotes}`],
  [
    'operator: [mint]',
    `error misread-text /operator: TOON has no lists in brackets. Write 'key[2]: a,b'. ${ifText}`,
  ],
  ['tea[1]: [mint]', `error misread-text /tea/0: ${brackets}`],
  ['tea[2]:[mint,sage]', `error misread-text /tea/0: ${brackets}`],
  ['tea[2]:  [mint,sage]', `error misread-text /tea/0: ${brackets}`],
  ['tea[2]: [mint,sage]  ', `error misread-text /tea/0: ${brackets}`],
  [
    'tea[1]: -',
    `error misread-text /tea/0: This list item is read as text. Write the items below 'key[1]:'. ${ifText}`,
  ],
  [
    'tea[1]: - mint ',
    `error misread-text /tea/0: This list item is read as text. Write the items below 'key[1]:'. ${ifText}`,
  ],
  ['tea:\n  cups[1]:\n    - |', `error misread-text /tea/cups/0: ${blockScalar}`],
  ['tea:\n  cups: >', `error misread-text /tea/cups: ${blockScalar}`],
  [
    'tea: 12345678901234567890',
    'error misread-text /tea: This whole number has more digits than can be kept. Put it in double quotes',
  ],
  ['<<: 1', `error misread-text /<<: ${mergeKeys}`],
  ['tea[1]:\n  - <<: 1', `error misread-text /tea/0/<<: ${mergeKeys}`],
  ['tea[1]:\n  -   <<: 1', `error misread-text /tea/0/<<: ${mergeKeys}`],
  ['-: 1', `error misread-text /-: ${noLength}`],
  ['- tea: 1', `error misread-text /- tea: ${noLength}`],
  ['{"tea": 1}', 'error misread-text /{"tea": This is JSON, but TOON is expected. Rename the file to .json'],
  [
    "'tea': 1",
    "warning misread-text /'tea': TOON has no single quotes: they are read as part of the key. Use double quotes, or none",
  ],
])('A suggestion says what %j was likely meant to be', async (text, expected) => {
  expect((await readToon(text)).issues.map(issueInFull)).toEqual([expected]);
});

const noKey = (line: number) =>
  `The line has no 'key:' at line ${line}, column 1. Write key: value; move a line of text into the line before it, in double quotes`;

test.each<[text: string, expected: string]>([
  [
    'tea[x]: a',
    'Invalid array length: "x" (expected non-negative integer with no… at line 1, column 1. Write the number of items, as in tags[2]: a,b',
  ],
  [
    'tea:\n      cups: 1',
    'This line is indented too deeply at line 2, column 7. Indent by two spaces for each level; write text of several lines as one line in double quotes, with \\n',
  ],
  [
    'tea: "mint" fresh',
    'Unexpected characters after closing quote at line 1, column 1. Quote the whole value, with \\" for quotes inside, and put a comment on its own line',
  ],
  [
    'tea: "\\d"',
    'Invalid escape sequence: \\d at line 1, column 1. Write a backslash as \\\\; TOON knows \\" \\\\ \\n \\r \\t and \\u',
  ],
  ['---', "TOON has no '---' at line 1, column 1. Remove the line; a file is a single document"],
  ['---  ', "TOON has no '---' at line 1, column 1. Remove the line; a file is a single document"],
  ['--- tea', noKey(1)],
  ['tea ---', noKey(1)],
  ['tea - green', noKey(1)],
  [`${Array.from('abcdefghijk', (key) => `${key}: 1\n`).join('')}tea`, noKey(12)],
  [
    'tea[1]{}:\n  1',
    'Empty field name in field list at line 1, column 1. Check the line, or write the file in YAML',
  ],
])('The exact syntax error is returned for %j', async (text, expected) => {
  const { issues } = await readToon(text);
  expect(issues.map(issueInFull)).toEqual([`error syntax-error : TOON syntax error: ${expected}`]);
});

test('An unknown key is reported at the key, not at its value', async () => {
  expect(await toonIssues('cups: x\n"pots"[2]: a,b\nbowls[2]: a,b')).toEqual([
    "warning 4:1 Unknown property 'cups'",
    "warning 5:1 Unknown property 'pots'",
    "warning 6:1 Unknown property 'bowls'",
  ]);
});
