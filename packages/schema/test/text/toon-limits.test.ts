import { maxDepth } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { flow, folderOf, readFolder, readToonLines, toonIssues, toonRefusals } from '../support/folders.ts';
import { fileMessages } from '../../src/messages/files.ts';
import { messages } from '../../src/messages/workflow.ts';

const tooDeep = fileMessages.tooDeep().message;

const indented = (depth: number): string =>
  Array.from({ length: depth }, (_, at) => `${'  '.repeat(at)}${at === 0 ? 'x-a' : 'a'}:`).join('\n');

test('Nesting deeper than 64 levels is refused', async () => {
  expect(await toonIssues(indented(maxDepth - 1))).toEqual([]);
  expect(await toonRefusals(indented(maxDepth + 1))).toEqual([tooDeep]);
  expect(await toonRefusals(indented(600))).toEqual([tooDeep]);
});

test('A header with fields nested deeper than 64 levels is refused', async () => {
  expect(await toonRefusals(`x-a[1]${'{a'.repeat(200_000)}`)).toEqual([tooDeep]);
  expect(await toonRefusals(`x-a[1]${'{a'.repeat(100)}${'}'.repeat(100)}:\n  1`)).toEqual([tooDeep]);
});

test.each([
  ['a key', '__proto__:\n  polluted: true'],
  ['a field of rows', 'x-a[1]{__proto__}:\n  1'],
  ['a deep key', 'x-a:\n  constructor:\n    prototype: 1\n  __proto__:\n    polluted: true'],
])('A TOON text with __proto__ as %s does not change any prototype', async (_, lines) => {
  const { workflow: read } = await readToonLines(lines);
  expect(JSON.stringify(read?.definition)).toContain('"__proto__"');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('At most 100 issues of a file are listed', async () => {
  const keys = Array.from({ length: 150 }, (_, at) => `k${at}: 1`).join('\n');
  const { workflow: read, issuesByFile } = await readToonLines(keys);
  const issues = issuesByFile.get('workflow.toon') ?? [];
  expect(read).toBeDefined();
  expect(issues).toHaveLength(101);
  expect(issues[0]?.message).toBe(messages.moreProblems());
});

test('A wrong type is found after a hundred unknown keys', async () => {
  const keys = Array.from({ length: 150 }, (_, at) => `k${at}: 1`).join('\n');
  const { workflow: read, issuesByFile } = await readToonLines(`${keys}\nauthor: 1`);
  expect(read).toBeUndefined();
  expect(issuesByFile.get('workflow.toon')).toContainEqual(
    expect.objectContaining({ severity: 'error', code: 'wrong-value', pointer: '/author' }),
  );
});

test.each([
  [
    'aliases',
    'activities/02-x.yaml',
    [
      'a: &a [x, x, x, x, x, x, x, x]',
      ...Array.from(
        'bcdefgh',
        (name, at) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefg'[at]}`).join()}]`,
      ),
    ].join('\n'),
  ],
  ['nested lists in JSON', 'skills/02-x.json', '['.repeat(200_000)],
  ['nested front matter', 'resources/02-x.md', `---\n${'['.repeat(200_000)}\n---\nText`],
  ['dashes without an end', 'resources/02-x.md', `---\n${'--\n'.repeat(300_000)}`],
])('A folder with hostile %s can be read', async (_, file, text) => {
  const reading = await readFolder(flow({ [file]: text }));
  expect(reading.workflow).toBeDefined();
});

test('Paths that are not files of a workflow are ignored', async () => {
  const odd = {
    '': 'x',
    '/': 'x',
    '../workflow.yaml': 'x',
    'activities/': 'x',
    ['__proto__']: 'x',
    'activities/x/01-a.yaml': 'x',
  };
  const reading = await readFolder(flow(odd));
  expect(reading.issuesByFile.size).toBe(0);
  expect(folderOf(flow(odd)).size).toBeGreaterThan(6);
});
