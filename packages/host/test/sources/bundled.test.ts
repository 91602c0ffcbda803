import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import { createFilesStore } from '@workflowlookup/storage/files';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Host } from '../../src/index.ts';
import { bundledDirectory, createHost } from '../../src/index.ts';

/** Reads the bundled definitions like those in any other directory. */
const files = createFilesStore({
  directory: bundledDirectory(),
  read: readDefinition,
  readFolder: readWorkflowFolder,
  updates: 'off',
});
const ids = (await files.list()).map(({ id }) => id);

let home: string;
let host: Host;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'workflowlookup-host-'));
  host = createHost({ homeDirectory: home, workingDirectory: home });
});

afterAll(async () => {
  await host.close();
  await files.close();
  await rm(home, { recursive: true });
});

describe('the bundled workflows of a host', () => {
  test('are listed as if all of their files were read', async () => {
    const { workflows, problems } = await host.sessions.list();
    const others = (await files.list()).filter(({ id }) => id !== 'meta');
    expect({ workflows, problems }).toEqual({ workflows: others, problems: [] });
  });

  test('are reported as a source', async () => {
    const [bundled] = await host.definitions.sources();
    expect(bundled).toMatchObject({ name: 'bundled', count: ids.length, ids, overridden: [], problems: [] });
    const served = await Promise.all(ids.map(async (id) => [id, await files.fileOf(id)] as const));
    expect(bundled?.files).toEqual(new Map(served));
  });

  test.each(ids)('include %s as in its definition, with its borrowed activities', async (id) => {
    const workflow = await host.engine.get(id);
    expect(workflow).toEqual(await files.get(id));
    expect(await host.engine.get(id)).toBe(workflow);
    expect(await host.definitions.origin(id)).toEqual({ source: 'bundled', file: await files.fileOf(id) });
  });

  test('do not include other ids', async () => {
    await expect(host.engine.get('nowhere')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
  });
});
