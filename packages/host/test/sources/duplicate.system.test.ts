import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Workflow } from '@workflowlookup/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Host } from '../../src/index.ts';
import { createHost } from '../../src/index.ts';

// Drafts are read in worker threads, which run the build, so run `node scripts/run.mjs build` first.

let folder: string;
let host: Host;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workflowlookup-duplicate-'));
  host = createHost({ directories: [folder], writable: [folder] });
});

afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

async function originOf(id: string): Promise<{ readonly source: string; readonly file: string }> {
  const { source = '', file = '' } = (await host.definitions.origin(id)) ?? {};
  return { source, file };
}

/** Returns the texts of the activities, skills and resources. */
function partsOf(workflow: Workflow): readonly string[] {
  if (workflow.kind === 'steps') return [];
  return [...workflow.activities, ...workflow.skills, ...workflow.resources].map(({ text }) => text);
}

const person = 'ana';

test.each(['issue-to-merge', 'release'])(
  'A copy of %s has all its files and is served under its own id',
  async (id) => {
    const to = host.sources.find(({ isWritable }) => isWritable === true)?.name ?? '';
    const from = await originOf(id);
    const copy = await host.drafts.duplicate(from, { to, id: 'my-copy', person });
    expect(copy).toMatchObject({ source: to, workflowId: 'my-copy' });
    // The person who made the copy can open and change it.
    expect(await host.drafts.read(copy)).toMatchObject({ isWritable: true });
    const fresh = createHost({ directories: [folder] });
    const [original, made] = [await fresh.engine.get(id), await fresh.engine.get('my-copy')];
    expect(made.definition).toEqual({ ...original.definition, id: 'my-copy' });
    expect(partsOf(made)).toEqual(partsOf(original));
    await fresh.close();
  },
);

test.each([
  ['issue-to-merge', 'title'],
  ['release', 'name'],
])('A copy of %s has the name that its author gave it, and otherwise the same text', async (id, field) => {
  const to = host.sources.find(({ isWritable }) => isWritable === true)?.name ?? '';
  const name = 'Mine, "for now": $1';
  const copy = await host.drafts.duplicate(await originOf(id), { to, id: 'my-copy', name, person });
  const fresh = createHost({ directories: [folder] });
  const [original, made] = [await fresh.engine.get(id), await fresh.engine.get('my-copy')];
  await fresh.close();
  expect(made.definition).toEqual({ ...original.definition, id: 'my-copy', [field]: name });
  const [before, after] = [await host.drafts.read(await originOf(id)), await host.drafts.read(copy)];
  const changed = after.text.split('\n').filter((line) => !before.text.split('\n').includes(line));
  expect(changed).toEqual(['id: "my-copy"', `${field}: ${JSON.stringify(name)}`]);
  await expect(host.drafts.duplicate(copy, { to, id: 'other', name: ' ', person })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});

test('The name and the id of a copy in JSON are those of the workflow, not of its parts', async () => {
  const to = host.sources.find(({ isWritable }) => isWritable === true)?.name ?? '';
  const steps = [{ id: 'one', title: 'One', prompt: 'Do it.' }];
  const definition = { steps, variables: [{ name: 'size', type: 'string' }] };
  const about = { id: 'original', name: 'Original', description: 'It has a variable.', version: '1.0.0' };
  const text = JSON.stringify({ ...definition, ...about });
  await host.drafts.save({ source: to, file: 'original.json', text, digest: null, person });
  const from = { source: to, file: 'original.json' };
  const copy = await host.drafts.duplicate(from, { to, id: 'my-copy', name: 'Mine', person });
  const made = JSON.parse((await host.drafts.read(copy)).text) as unknown;
  expect(made).toEqual({ ...definition, ...about, id: 'my-copy', name: 'Mine' });
});

test('A copy never overwrites a file, and is refused with an invalid id or in a read-only source', async () => {
  const to = host.sources.find(({ isWritable }) => isWritable === true)?.name ?? '';
  const from = await originOf('issue-to-merge');
  await host.drafts.duplicate(from, { to, id: 'my-copy', person });
  const text = await readFile(join(folder, 'my-copy/workflow.yaml'), 'utf8');
  await expect(host.drafts.duplicate(from, { to, id: 'my-copy', person })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  await expect(host.drafts.duplicate(from, { to, id: '../up', person })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
  const readOnly = { to: from.source, id: 'other', person };
  await expect(host.drafts.duplicate(from, readOnly)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await readFile(join(folder, 'my-copy/workflow.yaml'), 'utf8')).toBe(text);
  expect(await readdir(folder)).toEqual(['my-copy']);
});

test.each([
  ['a file', 'flow.json', 'flow.json'],
  ['a part of a folder', 'flow/workflow.yaml', 'flow/activities/01-work.yaml'],
])('A copy has no text that changed since a person trusted it: %s', async (_, file, changed) => {
  const project = await mkdtemp(join(tmpdir(), 'workflowlookup-copied-'));
  const steps = [{ id: 'one', title: 'One', prompt: 'Do it.' }];
  const about = { id: 'flow', name: 'Flow', description: 'It is copied.', version: '1.0.0' };
  const texts: Readonly<Record<string, string>> = file.endsWith('.json')
    ? { 'flow.json': JSON.stringify({ ...about, steps }) }
    : {
        'flow/workflow.yaml': 'id: flow\nversion: 1.0.0\ntitle: Flow\n',
        'flow/activities/01-work.yaml': 'id: work\nversion: 1.0.0\nname: Work\n',
      };
  for (const [name, text] of Object.entries(texts)) {
    await mkdir(dirname(join(project, 'workflows', name)), { recursive: true });
    await writeFile(join(project, 'workflows', name), text);
  }
  const own = createHost({
    workingDirectory: project,
    homeDirectory: project,
    directories: [folder],
    writable: [folder],
  });
  const from = { source: 'project', file };
  const to = own.sources.find(({ isWritable }) => isWritable === true)?.name ?? '';
  await own.definitions.untrusted();
  await expect(own.drafts.duplicate(from, { to, id: 'before', person })).rejects.toMatchObject({
    code: 'UNTRUSTED',
  });
  const review = await own.reviews.review(from);
  if (review !== undefined) own.reviews.accept(review, person);
  await own.drafts.duplicate(from, { to, id: 'trusted', person });
  await writeFile(
    join(project, 'workflows', changed),
    (texts[changed] ?? '').replace(/Do it\.|Work/, 'Evil'),
  );
  await expect(own.drafts.duplicate(from, { to, id: 'after', person })).rejects.toMatchObject({
    code: 'UNTRUSTED',
  });
  expect((await readdir(folder)).map((name) => name.replace('.json', ''))).toEqual(['trusted']);
  await own.close();
  await rm(project, { recursive: true, force: true });
});
