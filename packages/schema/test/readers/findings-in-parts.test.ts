import { createFolderReader, digestOfWorkflow, maxDefinitionBytes } from '@workflowlookup/schema';
import type { ActivityWorkflow, FolderContext } from '@workflowlookup/schema';
import { expect, test, vi } from 'vitest';
import { definition, read } from '../support/definitions.ts';
import type { Files } from '../support/folders.ts';
import {
  activity,
  flow,
  folderOf,
  places,
  readFolder,
  skill,
  issueLines,
  workflow,
} from '../support/folders.ts';
import { summarizeIssue } from '../support/summarize-issue.ts';

// Which files of a folder are read, the ids and names that their parts get, and their issues.

const listing = (...activities: readonly unknown[]): Files =>
  flow({ 'workflow.yaml': workflow({ activities }), 'activities/02-plum-old.yaml': activity('plum-old') });

const ofWorkflowFile = async (...reading: Parameters<typeof readFolder>): Promise<readonly string[]> =>
  ((await readFolder(...reading)).issuesByFile.get('workflow.yaml') ?? []).map(summarizeIssue);

test.each([
  ['12-sort', 'sort'],
  ['12-sort.yaml', 'sort'],
  ['orchard/activities/12-sort', 'sort'],
  ['pick-3-rows', 'pick-3-rows'],
  ['12-sort.out.yaml', 'sort.out'],
])('An activity that is listed as %s without a file gets the id %s', async (reference, id) => {
  const { workflow: served, issuesByFile } = await readFolder(listing(reference));
  expect(served?.problems).toEqual([
    { kind: 'activity', id, file: reference, issues: issuesByFile.get('workflow.yaml') },
  ]);
});

test.each(['activities', 'orchard/', 'a/b/c', '02-plum.md-old', 'orchard/01-torn'])(
  'The listed activity %s is reported',
  async (reference) => {
    const others = { orchard: { 'activities/01-torn.yaml': { id: 'torn', name: 'T\u200Born' } } };
    const lines = await ofWorkflowFile(listing('02-plum-old', reference), { others });
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([
      'error! unknown-activity /activities/1',
    ]);
  },
);

test('Each listed activity without a file has its own issue', async () => {
  const { workflow: served } = await readFolder(listing('03-pear', '04-fig'));
  expect(served?.problems.map(({ id, issues }) => [id, issues.map(({ pointer }) => pointer)])).toEqual([
    ['pear', ['/activities/0']],
    ['fig', ['/activities/1']],
  ]);
});

test('A transition to a listed activity without a file is not reported again', async () => {
  const start = activity('start', { transitions: [{ to: 'pear' }, { to: 'plum-old' }] });
  expect(issueLines(await readFolder({ ...listing('03-pear'), 'activities/01-start.yaml': start }))).toEqual([
    "workflow.yaml error! /activities/0 Activity '03-pear' is listed, but there is no such file",
  ]);
});

test('A listed activity may be broken, and the others are served', async () => {
  const files = { ...listing('03-torn', '01-start'), 'activities/03-torn.yaml': 'id: [' };
  const { workflow: served } = await readFolder(files);
  expect(served?.activities.map(({ id }) => id)).toEqual(['plum-old', 'start']);
  expect(served?.problems).toMatchObject([{ id: 'torn', file: 'activities/03-torn.yaml' }]);
});

test('An activity in the workflow file counts as JSON, whatever the format of that file is', async () => {
  const { workflow: served } = await readFolder(listing(activity('fig')));
  expect(served?.activities.map(({ id, format }) => [id, format])).toContainEqual(['fig', 'json']);
});

test.each([
  ['no activity', {}],
  ['broken activities alone', { 'activities/01-torn.yaml': 'id: [' }],
])('A folder with %s is reported', async (_, files) => {
  expect(await ofWorkflowFile({ 'workflow.yaml': workflow(), ...files })).toEqual(['error no-activity']);
});

test.each([
  ['without a version', { id: 'other', capability: 'Prunes' }, 'other'],
  ['whose id is a number', { ...skill('x'), id: 7 }, 'prune'],
])('A broken file %s is not also reported as misnamed', async (_, text, id) => {
  const { workflow: served } = await readFolder(flow({ 'skills/02-prune.yaml': text }));
  expect(served?.problems).toMatchObject([{ id, issues: [{ severity: 'error' }] }]);
  expect(served?.problems[0]?.issues).toHaveLength(1);
});

test('Files without a number are reported by name, at their beginning', async () => {
  const reading = await readFolder(flow({ 'skills/sow.yaml': 'x', 'resources/jam.tart.md': 'x' }));
  expect(places(reading)).toEqual(['resources/jam.tart.md 1:1', 'skills/sow.yaml 1:1']);
  expect(reading.workflow?.problems.map(({ id }) => id)).toEqual(['jam.tart', 'sow']);
});

test('A backup copy of an editor is not part of a workflow', async () => {
  const { workflow: served, issuesByFile } = await readFolder(flow({ 'resources/02-jam.md~': 'Jam' }));
  expect([served?.resources, [...issuesByFile]]).toEqual([[], []]);
});

test.each([
  ['a line that ends in dashes', '---\nid: maps\ntitle: All ---\n---\nMap', { id: 'maps', body: 'Map' }],
  ['a line that begins with dashes', '---\nid: maps\n----: 1\n---\nMap', { id: 'maps', body: 'Map' }],
  ['dashes further down', 'a: 1\n---\nid: x\n---\nMap', { id: 'map', body: 'a: 1\n---\nid: x\n---\nMap' }],
])('Front matter is distinguished from %s', async (_, text, expected) => {
  const { workflow: served } = await readFolder(flow({ 'resources/03-map.md': text }));
  expect(served?.resources).toMatchObject([expected]);
});

test.each([
  ['md', '---\nid: maps\ntitle: M\u200Bap\n---\nMap'],
  ['yaml', 'id: maps\ntitle: M\u200Bap'],
])('A resource in %s with a hidden character is not served', async (format, text) => {
  const reading = await readFolder(flow({ [`resources/03-map.${format}`]: text }));
  expect([...reading.issuesByFile]).toMatchObject([
    [
      `resources/03-map.${format}`,
      [
        {
          severity: 'error',
          code: 'hidden-character',
          pointer: '/title',
          message: expect.stringContaining('U+200B'),
        },
      ],
    ],
  ]);
  expect(reading.workflow?.resources).toEqual([]);
});

test('A resource may be as long as any other file', async () => {
  const { workflow: served, issuesByFile } = await readFolder(
    flow({
      'resources/01-most.md': 'a'.repeat(maxDefinitionBytes),
      'resources/02-more.md': 'a'.repeat(maxDefinitionBytes + 1),
    }),
  );
  expect(served?.resources.map(({ id }) => id)).toEqual(['most']);
  expect([...issuesByFile].map(([file, issues]) => [file, issues.map(summarizeIssue)])).toEqual([
    ['resources/02-more.md', ['error beyond-limits']],
  ]);
});

test('Resources with the same id are reported where the later one begins', async () => {
  const reading = await readFolder(flow({ 'resources/01-map.md': 'A', 'resources/02-map.md': 'B' }));
  expect(places(reading)).toEqual(['resources/02-map.md 1:1']);
});

test('Checks run before the digest of a workflow is made, and may refuse a resource', async () => {
  const seen: ActivityWorkflow[] = [];
  const file = 'resources/01-map.md';
  const { workflow: served } = await readFolder(flow({ [file]: 'Map' }), {
    checks: [
      (checked) => {
        seen.push(checked);
        return [file, 'resources/09-none.md'].map((at) => ({
          file: at,
          severity: 'error',
          code: 'x-test',
          pointer: '',
          message: 'No',
        }));
      },
    ],
  });
  expect(seen).toMatchObject([{ digest: '', problems: [] }]);
  expect(served).toMatchObject({ resources: [], problems: [{ kind: 'resource', id: 'map', file }] });
  expect(served?.problems).toHaveLength(1);
});

test('The digest of a workflow is the digest of its content', async () => {
  const [steps, activities] = [await read(definition()), await readFolder(flow())];
  for (const served of [steps.workflow, activities.workflow]) {
    expect(served && digestOfWorkflow(served)).toMatch(/^sha256:/);
    expect(served && digestOfWorkflow(served)).toBe(served?.digest);
  }
});

test('Another workflow is read once, and only if it is named', async () => {
  const meta = folderOf({ 'skills/01-sow.yaml': skill('sow') });
  const get = vi.spyOn(meta, 'get');
  const borrow = vi.fn<NonNullable<FolderContext['borrow']>>((id) => (id === 'meta' ? meta : undefined));
  const start = activity('start', {
    skills: { primary: 'sow', supporting: ['orchard/prune', 'none'] },
    operations: ['mill/grind::fine', 'sow::deep'],
  });
  const variables = [{ name: 'crate', type: 'string' }];
  const files = {
    'workflow.yaml': workflow({ variables }),
    'activities/01-start.yaml': start,
    'skills/01-own.yaml': skill('own', { resources: ['tea/map', 'a/b/map', 'resources/01-map.md'] }),
  };
  const reader = createFolderReader();
  for (const _ of [1, 2]) await reader(folderOf(files), { id: 'a-flow', borrow });
  expect(get).toHaveBeenCalledTimes(1);
  expect(new Set(borrow.mock.calls.map(([id]) => id))).toEqual(new Set(['meta', 'orchard', 'mill', 'tea']));
});
