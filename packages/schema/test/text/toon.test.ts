import { encodeToon } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { activity, readFolder, readToonLines, issueLines, toonIssues } from '../support/folders.ts';
import { fileMessages } from '../../src/messages/files.ts';

const scalar = 'TOON has no block scalars: the lines that follow would be lost';

describe('YAML syntax that TOON would lose', () => {
  test.each([
    ['a literal block', 'description: |\n  Two\n  lines', `error 4:14 ${scalar}`],
    ['a block without a body', 'description: |', `error 4:14 ${scalar}`],
    ['a block of what looks like keys', 'description: >\n  a: b', `error 4:14 ${scalar}`],
    ['a block of what looks like comments', 'description: |-\n  # Title\n  ## Part', `error 4:14 ${scalar}`],
    ['an indented block', 'description: >2+\n  text', `error 4:14 ${scalar}`],
    ['a block with a comment', 'description: | # why\n  text', `error 4:14 ${scalar}`],
    ['a block in a list', 'rules[1]:\n  - |\n    text', `error 5:5 ${scalar}`],
    [
      'a list without its length',
      'rules:\n  - One\n  - Two',
      'error 5:5 TOON syntax error: This list has no length at line 5, column 5',
    ],
    [
      'a list of one object without its length',
      'variables:\n  - name: ready',
      'error 5:5 This list has no length',
    ],
    [
      'a list of objects without its length',
      'modes:\n  - id: fast\n  - id: slow',
      'error 5:5 This list has no length',
    ],
    [
      'a list at the level of its key',
      'rules:\n- One',
      'error 5:3 TOON syntax error: This list has no length at line 5, column 3',
    ],
    ['a list in brackets', 'tags: [one, two]', 'error 4:7 TOON has no lists in brackets'],
    [
      'brackets behind a length',
      'tags[2]: [one, two]',
      'error 4:10 The brackets around this list are read as part of its items',
    ],
    ['an object in braces', 'skills: {primary: plan}', 'error 4:9 TOON has no objects in braces'],
    ['an empty object', 'skills: {}', 'error 4:9 TOON has no objects in braces'],
    ['a list item behind a key', 'author: - me', 'error 4:9 This list item is read as text'],
    ['a list item behind a length', 'rules[1]: - One', 'error 4:11 This list item is read as text'],
    ['a list in a list', 'rules[1]:\n  - - One', 'error 5:7 This list item is read as text'],
    ['a merge key', '<<: *base', "error 4:1 Merge keys ('<<') are not supported"],
    [
      'a long number',
      'x-id: 12345678901234567890',
      'error 4:7 This whole number has more digits than can be kept',
    ],
  ])('is refused: %s', async (_, lines, issue) => {
    expect((await toonIssues(lines))[0]).toBe(issue);
    expect((await readToonLines(lines)).workflow).toBeUndefined();
  });

  test.each([
    [
      'single quotes',
      "author: 'me'",
      'warning 4:9 TOON has no single quotes: they are read as part of the text',
    ],
    [
      'a quoted key',
      "x-a:\n  'b': 1",
      'warning 5:3 TOON has no single quotes: they are read as part of the key',
    ],
    ['a null', 'author: ~', "warning 4:9 TOON has no '~': it is read as text"],
    [
      'an anchor',
      'author: &me Ann',
      'warning 4:9 TOON has no anchors, aliases or tags: this is read as text',
    ],
    ['an alias', 'author: *me', 'warning 4:9 TOON has no anchors, aliases or tags: this is read as text'],
    ['a tag', 'author: !!str Ann', 'warning 4:9 TOON has no anchors, aliases or tags: this is read as text'],
    [
      'a comment behind a value',
      'author: Ann # or Bob',
      'warning 4:9 TOON has no comments after a value: this is read as part of the text',
    ],
  ])('causes a warning and is kept as text: %s', async (_, lines, issue) => {
    expect(await toonIssues(lines)).toEqual([issue]);
    expect((await readToonLines(lines)).workflow).toBeDefined();
  });
});

describe('syntax errors', () => {
  test.each([
    ['a tab', 'skills:\n\tprimary: plan', '5:1', 'Tabs are not allowed in indentation in strict mode'],
    [
      'three spaces',
      'skills:\n   primary: plan',
      '5:4',
      'Indentation must be exact multiple of 2, but found 3 spaces',
    ],
    ['a level too deep', 'skills:\n      primary: plan', '5:7', 'This line is indented too deeply'],
    ['text on a second line', 'description: One\n  two', '5:3', 'This line is indented too deeply'],
    ['text below a key', 'description:\n  One', '5:3', "The line has no 'key:'"],
    ['an open quote', 'author: "Ann', '4:1', 'Unterminated string: missing closing quote'],
    ['text behind a quote', 'author: "Ann" # or Bob', '4:1', 'Unexpected characters after closing quote'],
    ['an unknown escape', 'author: "C:\\dir"', '4:1', 'Invalid escape sequence: \\d'],
    ['too few inline items', 'tags[3]: a,b', '4:1', 'Expected 3 inline-form values, but got 2'],
    ['too many inline items', 'tags[1]: a,b', '4:1', 'Expected 1 inline-form values, but got 2'],
    ['too few items', 'rules[2]:\n  - One', '5:5', 'Expected 2 list-form items, but got 1'],
    ['too many items', 'rules[1]:\n  - One\n  - Two', '6:5', 'Expected 1 list-form items, but found more'],
    ['too few rows', 'variables[2]{name,type}:\n  a,string', '5:3', 'Expected 2 tabular rows, but got 1'],
    [
      'too many rows',
      'variables[1]{name,type}:\n  a,string\n  b,string',
      '6:3',
      'Expected 1 tabular rows, but found more',
    ],
    [
      'a comma in a row',
      'variables[1]{name,type}:\n  a,string,b',
      '5:3',
      'Expected 2 tabular row values, but got 3',
    ],
    [
      'a length that is none',
      'tags[]: a',
      '4:1',
      'Invalid array length: "" (expected non-negative integer with no …',
    ],
    ['a document marker', '---\nauthor: me', '4:1', "TOON has no '---'"],
  ])('are reported for %s', async (_, lines, place, what) => {
    const [line, column] = place.split(':');
    const issue = `error ${place} TOON syntax error: ${what} at line ${line}, column ${column}`;
    expect(await toonIssues(lines)).toEqual([issue]);
  });

  test('name the line that already has a key', async () => {
    expect(await toonIssues('skills:\n  primary: a\n  primary: b')).toEqual([
      `error 6:3 ${fileMessages.duplicateKey('primary', 5).message}`,
    ]);
    expect(await toonIssues('author: a\ntitle: b')).toEqual([
      `error 5:1 ${fileMessages.duplicateKey('title', 3).message}`,
    ]);
  });

  test.each([
    ['nothing', '', "Missing required property 'id'"],
    ['a text', 'just text', "TOON syntax error: The line has no 'key:' at line 1, column 1"],
    ['a list', '- a\n- b', 'TOON syntax error: This list has no length at line 1, column 3'],
    ['JSON', '{"id": "a-flow"}', 'This is JSON, but TOON is expected'],
    [
      'JSON on several lines',
      '{\n  "id": "a-flow"\n}',
      "TOON syntax error: The line has no 'key:' at line 1, column 1",
    ],
  ])('A TOON document that is %s is refused', async (_, text, message) => {
    const reading = await readFolder({ 'workflow.toon': text });
    expect(reading.workflow).toBeUndefined();
    expect(reading.issuesByFile.get('workflow.toon')?.map((issue) => issue.message)).toContain(message);
  });
});

test.each([
  ['quoted text that looks like YAML', 'description: "|"\nauthor: "[a, b]"\nrules[2]: "- a","{}"'],
  ['a template', 'artifactLocations:\n  shed: {fruit}/shed\n  own: {fruit}'],
  ['blank lines', '\nrules[2]:\n\n  - One\n\n  - Two\n\n'],
  ['comments on their own lines', '# first\nauthor: me\n  # second\ntags[1]: a'],
  ['empty lists', 'tags: []\nrules[0]:'],
  ['an empty object', 'skills:'],
  ['a tab as the delimiter', 'tags[2\t]: a\tb'],
  ['keyed rows', 'x-a[1:]{b}:\n  k: 1'],
])('TOON accepts %s', async (_, lines) => {
  const reading = await readToonLines(lines);
  expect(issueLines(reading)).toEqual([]);
  expect(reading.workflow).toBeDefined();
});

test('A comparison with > is read as that operator, and not as a block', async () => {
  const transition =
    'to: end\n    condition:\n      type: simple\n      variable: a\n      operator: >\n      value: 1';
  const text = `id: start\nversion: 1.0.0\nname: Start\ntransitions[1]:\n  - ${transition}`;
  const reading = await readFolder({
    'workflow.yaml': { id: 'a-flow', version: '1.0.0', title: 'A flow' },
    'activities/01-start.toon': text,
  });
  expect(issueLines(reading)).toEqual([]);
  expect(reading.workflow?.activities[0]?.definition.transitions?.[0]?.condition).toEqual({
    type: 'simple',
    variable: 'a',
    operator: '>',
    value: 1,
  });
});

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
])('Positions are found in lines that end with %s', async (_, end) => {
  const text = [
    '\uFEFFid: a-flow',
    '',
    'version: 1',
    'title: A',
    'variables[1]:',
    '  - name: a',
    '    type: text',
  ];
  const reading = await readFolder({
    'workflow.toon': text.join(end),
    'activities/01-start.yaml': activity('start'),
  });
  const issues = reading.issuesByFile.get('workflow.toon') ?? [];
  expect(issues.map(({ pointer, line, column }) => `${pointer} ${line}:${column}`)).toEqual([
    '/version 3:10',
    '/variables/0/type 7:11',
  ]);
});

test('Positions are found in rows, inline lists and quoted keys', async () => {
  const { issuesByFile } = await readToonLines(
    'tags[2]: a,3\nvariables[1]{name,type}:\n  a,text\nx-a: 1\n"artifactLocations":\n  "a b": 3',
  );
  expect(issuesByFile.get('workflow.toon')).toMatchObject([
    { code: 'wrong-value', pointer: '/tags/1', line: 4, column: 10 },
    { code: 'wrong-value', pointer: '/variables/0/type', line: 6, column: 3 },
    { code: 'wrong-value', pointer: '/artifactLocations/a b', line: 9, column: 10 },
  ]);
});

test('A problem below a key is reported at the key', async () => {
  const { issuesByFile } = await readToonLines('variables:\n  a: 1\nmodes:\nauthor: me');
  expect(issuesByFile.get('workflow.toon')).toMatchObject([
    { code: 'wrong-value', pointer: '/variables', line: 4, column: 1 },
    { code: 'wrong-value', pointer: '/modes', line: 6, column: 1 },
  ]);
});

test('A value is written as TOON', async () => {
  expect(await encodeToon({ id: 'a', tags: ['x', 'y'], steps: [{ id: 's', n: 1 }] })).toBe(
    'id: a\ntags[2]: x,y\nsteps[1]{id,n}:\n  s,1',
  );
});
