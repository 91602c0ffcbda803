import type { Finding, NotatedText } from '@workflowlookup/schema';
import { maxDefinitionBytes, readValue } from '@workflowlookup/schema';
import { createPositions } from '../../src/text/parse-text.ts';
import { expect, test } from 'vitest';
import { definition, read } from '../support/definitions.ts';
import { issueInFull } from '../support/summarize-issue.ts';

// The texts that the readers of JSON and YAML accept, the issues of others, and the positions in a text.

type Format = NotatedText['format'];

const nested = (depth: number, core = ''): string => '['.repeat(depth) + core + ']'.repeat(depth);
const twice = (length: number): string => `a: &a ${'x'.repeat(length)}\nb: *a`;

/** The length of a text whose JSON has the maximum size of a definition if it contains the text twice. */
const half = maxDefinitionBytes / 2 - 8;

test.each<[what: string, format: Format, text: string]>([
  ['a text as large as may be', 'yaml', `a: ${'x'.repeat(maxDefinitionBytes - 3)}`],
  ['an alias as large as may be', 'yaml', twice(half)],
  ['an alias as deep as may be', 'yaml', `a: &a ${nested(63)}\nb: *a`],
  ['64 levels of brackets around a word', 'yaml', nested(64, 'tea')],
  ['64 levels of dashes before a word', 'yaml', `${'- '.repeat(64)}tea`],
  ['64 levels of brackets around a word', 'json', nested(64, '"tea"')],
])('The parser accepts %s in %s', async (_, format, text) => {
  const { value, issues } = await readValue({ text, format });
  expect(issues).toEqual([]);
  expect(value).toBeDefined();
});

const beyond = 'the maximum for a definition';
const unknownWord = 'Put text in double quotes; only true, false and null need none';

test.each<[what: string, format: Format, text: string, expected: readonly string[]]>([
  [
    'an alias too large',
    'yaml',
    twice(half + 1),
    [
      `error beyond-limits : The aliases expand to more than 1048576 bytes, ${beyond}. Move long material out of the workflow, or split it`,
    ],
  ],
  [
    'an alias too deep',
    'yaml',
    `a: &a ${nested(63)}\nb: [*a]`,
    [`error beyond-limits /b/0: Nested deeper than 64 levels, ${beyond}. Flatten the document`],
  ],
  [
    'what is below a key that is not text',
    'yaml',
    '? [tea]\n: !mint 2',
    [
      'error unsupported-syntax : A key that is not text. Write keys as plain text',
      "error unsupported-syntax /: Tag '!mint' is not part of the YAML core schema. Remove the tag",
    ],
  ],
  [
    'a tag of a key',
    'yaml',
    '!mint tea: 1',
    ["error unsupported-syntax : Tag '!mint' is not part of the YAML core schema. Remove the tag"],
  ],
  [
    'what is wrong right behind a second document',
    'yaml',
    'a: 1\n---\n- b\nc: 1\n',
    [
      'error syntax-error : YAML syntax error: Unexpected map-value-ind token in YAML stream at line 4, column 2. Check the indentation, and quote text that contains : or #',
    ],
  ],
  [
    'many documents, of which the fourth is not read',
    'yaml',
    'a: 1\n---\nb: 2\n---\nc: 3\n---\n- d\ne: 1\n',
    [
      "error unsupported-syntax : More than one YAML document; a definition must be a single one. Remove the '---' line, or put each workflow in its own file",
    ],
  ],
  [
    'a word behind 64 levels',
    'json',
    `${nested(64)} tea`,
    [`error syntax-error : JSON syntax error: an unknown word at line 1, column 130. ${unknownWord}`],
  ],
  [
    'a word behind many lists and objects',
    'json',
    `[${'{},'.repeat(65)}${'[],'.repeat(65)}tea]`,
    [`error syntax-error : JSON syntax error: an unknown word at line 1, column 392. ${unknownWord}`],
  ],
  [
    'objects too deep behind a comment with a quote',
    'json',
    `/*"*/${'{a:'.repeat(65)}`,
    [
      'error syntax-error : JSON syntax error: nested deeper than 64 levels at line 1, column 198. Check for missing closing braces, brackets, or quotes',
    ],
  ],
  [
    'a comma too many between two items',
    'json',
    '[1,,2]',
    [
      'error syntax-error : JSON syntax error: expected a value at line 1, column 4. Write a value: text in double quotes, a number, true, false, null, {} or []',
    ],
  ],
  [
    'a hard space behind the document',
    'json',
    '{"tea": 1}\u00A0',
    [`error syntax-error : JSON syntax error: an unknown word at line 1, column 11. ${unknownWord}`],
  ],
  [
    'a missing colon behind an indentation',
    'json',
    '        {"tea" 1}',
    [
      "error syntax-error : JSON syntax error: expected ':' after the property name at line 1, column 16. Write ':' between the property and its value",
    ],
  ],
])('The parser reports %s in %s', async (_, format, text, expected) => {
  expect((await readValue({ text, format })).issues.map(issueInFull)).toEqual(expected);
});

test('An alias of a YAML key has the name of the key as its value', async () => {
  expect(await readValue({ text: '&tea mint: *tea', format: 'yaml' })).toStrictEqual({
    value: { mint: 'mint' },
    issues: [],
  });
});

test.each<[format: Format, text: string, pointer: string, place: string]>([
  ['json', ' {"tea": {"cups": 1}}', '', '1:2'],
  ['json', ' {"tea": {"cups": 1}}', '/tea/cups', '1:19'],
  ['json', ' {"tea": {"cups": 1}}', '/tea/pots', '1:10'],
  ['json', ' {"tea": {"cups": 1}}', '/tea/cups/0', '1:19'],
  ['json', ' {"tea": {"cups": 1}}', '/pots', '1:2'],
  ['json', '\uFEFF{"tea": ["a",\n "b"]}', '/tea/1', '2:2'],
  ['yaml', '', '', '1:1'],
  ['yaml', '', '/tea', '1:1'],
  ['yaml', '# Tea\ntea:\n  cups: [1, 2]', '/tea/cups/1', '3:13'],
  ['yaml', '# Tea\ntea:\n  cups: [1, 2]', '/tea/cups/2', '3:9'],
  ['yaml', '# Tea\ntea:\n  cups: [1, 2]', '/tea/cups/1/0', '3:13'],
  ['yaml', '# Tea\ntea:\n  cups: [1, 2]', '/tea/pots', '3:3'],
  ['yaml', '# Tea\ntea:\n  cups: [1, 2]', '/pots', '2:1'],
  ['yaml', 'tea: &tea {cups: 1}\npots: *tea', '/pots/cups', '2:7'],
  ['toon', '', '', '1:1'],
  ['toon', 'tea:\n  cups: 1', '/tea', '1:1'],
  ['toon', 'tea:\n  cups: 1', '/tea/cups', '2:9'],
  ['toon', 'tea:\n  cups: 1', '/tea/cups/0/a', '2:9'],
  ['toon', 'tea:\n  cups: 1', '/tea/pots', '1:1'],
  ['toon', 'tea:  "mint"', '/tea', '1:7'],
  ['toon', 'tea[2]: a,b', '/tea', '1:1'],
  ['toon', 'tea[2]: a,b', '/tea/0', '1:9'],
  ['toon', 'tea[2]:  a,b', '/tea/0', '1:10'],
  ['toon', 'tea[2|]: a|b', '/tea/0', '1:10'],
  ['toon', 'tea[10]: 1,2,3,4,5,6,7,8,9,0', '/tea/0', '1:10'],
  ['toon', 'tea[1]:\n  -   cups: 1', '/tea/0/cups', '2:13'],
  ['toon', 'tea[1]:\n  - "cups[1]: two"', '/tea/0', '2:5'],
  ['toon', 'tea[1]{a,b}:\n  apple,in: cups', '/tea/0/a', '2:3'],
  ['toon', 'tea: 1\ncups: |\n      two', '/tea', '1:1'],
])('In %s, the text %j has the pointer %j at position %s', async (format, text, pointer, place) => {
  const { line, column } = (await createPositions({ text, format }))(pointer);
  expect(`${line}:${column}`).toBe(place);
});

test.each<[format: Format, text: string]>([
  ['json', '{"tea": 1,\n "cups" 2}'],
  ['yaml', 'tea: 1\ncups: ['],
  ['toon', 'tea: 1\ntea: 2'],
])('Every pointer into a %s text that cannot be parsed has a position', async (format, text) => {
  const { line, column } = (await createPositions({ text, format }))('/tea');
  expect([1, 2]).toContain(line);
  expect(column).toBeGreaterThan(0);
});

test('An error that prevents serving a workflow is listed before a hundred others', async () => {
  const found = (message: string, more: object): Finding => ({
    severity: 'error',
    code: 'x-orchard',
    pointer: '/name',
    message,
    ...more,
  });
  const findings = [
    ...Array.from({ length: 100 }, () => found('A leaf is missing', { served: true })),
    found('The trunk is missing', {}),
  ];
  const { issues, workflow } = await read(definition(), [() => findings]);
  expect(workflow).toBeUndefined();
  expect(issues.map(({ message }) => message)).toEqual([
    'More than 100 problems: the others are not listed',
    'The trunk is missing',
    ...Array.from({ length: 99 }, () => 'A leaf is missing'),
  ]);
});
