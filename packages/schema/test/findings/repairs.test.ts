import { describe, expect, test } from 'vitest';
import type { DefinitionText, Finding } from '@workflowlookup/schema';
import { applyEdits, createReader } from '@workflowlookup/schema';

const yaml = `# A flow for tests.
id: a-flow
name: A flow
description: >
  For tests.
version: 1.0.0 # semantic
steps:
  # The first one.
  - id: plan
    title: Plan
    prompt: Plan it.
`;

const json = `{
  "id": "a-flow",
  "name": "A flow",
  "description": "For tests.",
  "version": "1.0.0",
  "steps": [{ "id": "plan", "title": "Plan", "prompt": "Plan it." }]
}
`;

/** Makes all repairs of a text. Returns the repaired text, and the codes of the issues that are left. */
async function repaired(
  text: string,
  format: DefinitionText['format'],
): Promise<{ readonly text: string; readonly left: readonly string[] }> {
  const read = createReader();
  const { issues } = await read({ text, format });
  const mended = applyEdits(
    text,
    issues.flatMap(({ edits = [] }) => edits),
  );
  const after = await read({ text: mended, format });
  return { text: mended, left: after.issues.map(({ code }) => code) };
}

const zeroWidth = '\u200B';

/** Mistakes and their repairs. The rest of the text must stay unchanged. */
const slips: readonly (readonly [format: DefinitionText['format'], right: string, wrong: string])[] = [
  ['yaml', 'version: 1.0.0 # semantic\n', ''],
  ['yaml', 'prompt:', 'Prompt:'],
  ['yaml', 'description:', '"descripton":'],
  ['yaml', 'Plan it.', `Plan${zeroWidth} it.${zeroWidth}`],
  ['json', '  "version": "1.0.0",\n', ''],
  ['json', '"description"', '"descriptoin"'],
  ['json', '"Plan it." }]', '"Plan it.", }]'],
  ['json', '"A flow"', '3'],
];
const afterwards = new Map([
  ['version: 1.0.0 # semantic\n', 'version: 1.0.0\n'],
  ['description:', '"description":'],
  ['"A flow"', '"3"'],
]);

test.each(slips)('A repair in %s changes %j back from %j', async (format, right, wrong) => {
  const sound = format === 'yaml' ? yaml : json;
  expect(sound).toContain(right);
  expect(await repaired(sound.replace(right, wrong), format)).toEqual({
    text: sound.replace(right, afterwards.get(right) ?? right),
    left: [],
  });
});

describe('the repair of a missing version', () => {
  const steps = '"steps": [{"id": "one", "title": "One", "prompt": "Do it."}]';

  test.each([
    [`{"id": "a-flow", "name": "A", "description": "x", ${steps}}`, ', "version": "1.0.0"'],
    [
      `{\r\n\t"id": "a-flow", "name": "A",\r\n\t"description": "x",\r\n\t${steps}\r\n}`,
      ',\r\n\t"version": "1.0.0"',
    ],
  ])('is inserted after the description in %j', async (text, addition) => {
    const { text: mended, left } = await repaired(text, 'json');
    expect(left).toEqual([]);
    expect(mended).toBe(text.replace('"description": "x"', `"description": "x"${addition}`));
  });

  test('is inserted after the last line of a file without a final newline', async () => {
    const [start = '', rest = ''] = yaml.replace('version: 1.0.0 # semantic\n', '').split('description');
    const [, tail = ''] = rest.split('steps:');
    const text = `${start}steps:${tail}description: Last`;
    expect(await repaired(text, 'yaml')).toEqual({ text: `${text}\nversion: 1.0.0`, left: [] });
  });
});

test.each([
  ['quotes', `"${zeroWidth}5"`, '"5"'],
  ['other quotes, before a mark', `'a:${zeroWidth} b'`, "'a: b'"],
  ['a block', `|\n      a${zeroWidth}\n        b: #${zeroWidth}`, '|\n      a\n        b: #'],
  ['a line, before a mark that means nothing there', `a:${zeroWidth}b#c true`, 'a:b#c true'],
])('A hidden character is removed from %s', async (_, wrong, right) => {
  const text = (title: string): string => yaml.replace('title: Plan', `title: ${title}`);
  expect(await repaired(text(wrong), 'yaml')).toEqual({ text: text(right), left: [] });
});

test('A number is quoted as it was written', async () => {
  const { text } = await repaired(yaml.replace('1.0.0', '1.10'), 'yaml');
  expect(text).toContain('version: "1.10" # semantic');
});

test('A single text becomes a list, a quoted word loses its quotes, and a misspelled word is corrected', async () => {
  const step = 'guidance: Be kind\n    askForFiles: "true"\n    approver: Human\n    title: Plan';
  const { text, left } = await repaired(yaml.replace('title: Plan', step), 'yaml');
  expect(text).toContain('guidance: ["Be kind"]\n    askForFiles: true\n    approver: human\n');
  expect(left).toEqual([]);
});

test.each([
  ['the right property is there too', yaml.replace('prompt:', 'Prompt: Other\n    prompt:')],
  ['two could be meant', yaml.replace('prompt:', 'promt: Other\n    prompd:')],
  ['an alias stands for the value', yaml.replace('name: A flow', 'x-a: &a 1\nname: *a')],
  [
    'a word is written with an escape',
    yaml.replace('title: Plan', 'title: Plan\n    askForFiles: "tru\\u0065"'),
  ],
  ['the word is only near', yaml.replace('title:', 'tags: x\n    title:')],
  [
    'a hidden character may mean something',
    yaml.replace('Plan it.', 'Plan \u202Eit\u202C \u{1F3F4}\u{E0067}\u{E007F}.'),
  ],
  ['a hidden character is all there is', yaml.replace('title: Plan', `title: ${zeroWidth}`)],
  ['a hidden character is written as an escape', yaml.replace('Plan it.', '"Plan\\u200B it."')],
  ...[
    '5',
    'true',
    'NULL',
    '- a',
    '"a"',
    '#a',
    'a:\u200B b',
    'a:\u200B',
    'a \u200B\u2060#b',
    '|\n      \u200B  a\n      b',
  ].map((rest): [string, string] => [
    `what a hidden character leaves would be no text: ${JSON.stringify(rest)}`,
    yaml.replace('title: Plan', `title: ${/\u200B/.test(rest) ? rest : zeroWidth + rest}`),
  ]),
  [
    'a key would be no text without a hidden character',
    yaml.replace('title:', `${zeroWidth}5: a\n    title:`),
  ],
  [
    'a text has several lines',
    yaml.replace('title: Plan', 'guidance: |\n      One\n      Two\n    title: P'),
  ],
])('A text is not changed if %s', async (_why, text) => {
  const { issues } = await createReader()({ text, format: 'yaml' });
  expect(issues).not.toEqual([]);
  expect(issues.flatMap(({ edits = [] }) => edits)).toEqual([]);
});

test('A check can bring its own repair', async () => {
  const shout: Finding = {
    severity: 'warning',
    code: 'x-shout',
    pointer: '/name',
    message: 'No shouting',
    repair: { kind: 'swap', from: '!', to: '' },
  };
  const { issues } = await createReader({ checks: [() => [shout]] })({
    text: yaml.replace('A flow\n', 'A! flow!\n'),
    format: 'yaml',
  });
  const [issue] = issues;
  expect(issue).not.toHaveProperty('repair');
  expect(issue?.edits).toEqual([
    { offset: 38, length: 1, text: '' },
    { offset: 44, length: 1, text: '' },
  ]);
});

test('Only the first of overlapping changes is made', () => {
  const edits = [
    { offset: 4, length: 2, text: 'X' },
    { offset: 1, length: 4, text: 'Y' },
    { offset: 6, length: 0, text: 'Z' },
  ];
  expect(applyEdits('abcdefgh', edits)).toBe('aYfZgh');
});

test('A workflow that names the meta-schema of JSON Schema is still a workflow', async () => {
  const text = json.replace('{', '{"$schema": "http://json-schema.org/draft-07/schema#",');
  const { workflow, issues } = await createReader()({ text, format: 'json' });
  expect({ id: workflow?.id, issues }).toEqual({ id: 'a-flow', issues: [] });
});

test('A JSON Schema is reported once as not being a definition', async () => {
  const text = JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'x',
    type: 'object',
  });
  expect((await createReader()({ text, format: 'json' })).issues).toMatchObject([
    { code: 'not-a-definition', pointer: '/$schema', line: 1, column: 12 },
  ]);
});
