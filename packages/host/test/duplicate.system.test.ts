import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workflow } from '@workflowlookup/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Host } from '../src/index.ts';
import { createHost } from '../src/index.ts';

// Drafts are read in threads, which run what was built: `node scripts/run.mjs build` comes first.

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

/** The texts of the activities, skills and resources. */
function partsOf(workflow: Workflow): readonly string[] {
  if (workflow.kind === 'steps') return [];
  return [...workflow.activities, ...workflow.skills, ...workflow.resources].map(({ text }) => text);
}

const person = 'ana';

test.each(['issue-to-merge', 'release'])(
  'a copy of %s has all its files and is served under its own id',
  async (id) => {
    const to = host.sources.find(({ isWritable }) => isWritable === true)?.name ?? '';
    const from = await originOf(id);
    const copy = await host.drafts.duplicate(from, { to, id: 'my-copy', person });
    expect(copy).toMatchObject({ source: to, workflowId: 'my-copy' });
    // The person who made the copy opens it next.
    expect(await host.drafts.read(copy)).toMatchObject({ isWritable: true });
    const fresh = createHost({ directories: [folder] });
    const [original, made] = [await fresh.engine.get(id), await fresh.engine.get('my-copy')];
    expect(made.definition).toEqual({ ...original.definition, id: 'my-copy' });
    expect(partsOf(made)).toEqual(partsOf(original));
    await fresh.close();
  },
);

test('a copy never overwrites a file, and a bad id or a source that is read only is refused', async () => {
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
