import { mkdir, rename, rm, symlink, unlink } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { WorkflowChange } from '@workflowlookup/storage';
import { describe, expect, it } from 'vitest';
import { definition } from '../support/definitions.ts';
import {
  expectIds,
  idsOf,
  issueCodesOf,
  nameOf,
  openStore,
  patience,
  problemsOf,
  quiet,
  served,
  watchedReader,
} from '../support/files-store.ts';
import { tempFolder } from '../support/temp-folder.ts';

describe('an open files store', () => {
  it('shows a file that was saved by renaming another one over it', async () => {
    const { folder, store } = await served('one', 'two');
    for (const name of ['First', 'Second', 'Third']) {
      await folder.write('workflows/one.json.tmp', definition('one', { name }));
      await rename(folder.path('workflows/one.json.tmp'), folder.path('workflows/one.json'));
      await expect.poll(() => nameOf(store, 'one'), patience).toBe(name);
    }
    expect(await store.problems()).toEqual([]);
  });

  it('shows a file that was saved by removing it and writing it again', async () => {
    const { folder, store } = await served('one');
    await unlink(folder.path('workflows/one.json'));
    await folder.write('workflows/one.json', definition('one', { name: 'Another' }));
    await expect.poll(() => nameOf(store, 'one'), patience).toBe('Another');
  });

  it('serves the last of many quick writes', async () => {
    const { folder, store } = await served('one');
    for (let n = 0; n <= 30; n += 1) {
      await folder.write('workflows/one.json', definition('one', { name: `Name ${n}` }));
      await setTimeout(n);
    }
    await expect.poll(() => nameOf(store, 'one'), patience).toBe('Name 30');
  });

  it('refuses a file that becomes broken, and serves it again when it is repaired', async () => {
    const { folder, store } = await served('one', 'two');
    await folder.write('workflows/one.json', '{ "id": "one", ');
    await expect.poll(() => problemsOf(store), patience).toEqual(['error INVALID_WORKFLOW one one.json']);
    expect(await idsOf(store)).toEqual(['two']);
    await folder.write('workflows/one.json', definition('one'));
    await expectIds(store, ['one', 'two']);
    expect(await store.problems()).toEqual([]);
  });

  it('refuses an id that a second file uses, and serves it again when that file is removed', async () => {
    const { folder, store } = await served('one');
    await folder.write('workflows/again.json', definition('one'));
    await expect.poll(() => issueCodesOf(store, 'one.json'), patience).toHaveLength(1);
    expect(await store.get('one')).toBeUndefined();
    await rm(folder.path('workflows/again.json'));
    await expectIds(store, ['one']);
    expect(await store.problems()).toEqual([]);
  });

  it('keeps the workflow of a moved file', async () => {
    const { folder, store } = await served('one');
    const before = await store.get('one');
    await mkdir(folder.path('workflows/sub'));
    await rename(folder.path('workflows/one.json'), folder.path('workflows/sub/moved.json'));
    await expect.poll(() => store.fileOf('one'), patience).toBe('sub/moved.json');
    expect(await store.get('one')).toBe(before);
  });

  it('keeps the workflow and reports no change if the meaning of a file stays the same', async () => {
    const { folder, store } = await served('one', 'two');
    const before = await store.get('one');
    const changes: WorkflowChange[] = [];
    store.watch((change) => changes.push(change));
    await folder.write('workflows/one.json', JSON.stringify(definition('one'), undefined, 2));
    await folder.write('workflows/two.json', definition('two', { name: 'Another' }));
    await expect.poll(() => nameOf(store, 'two'), patience).toBe('Another');
    expect(await store.get('one')).toBe(before);
    expect(new Set(changes.flat())).toEqual(new Set(['two']));
  });

  it('removes the workflow of a file that is replaced by a folder', async () => {
    const { folder, store } = await served('one', 'two');
    await rm(folder.path('workflows/one.json'));
    await mkdir(folder.path('workflows/one.json'));
    await expectIds(store, ['two']);
    expect(await store.problems()).toEqual([]);
    await folder.write('workflows/one.json/inner.json', definition('inner'));
    await expectIds(store, ['inner', 'two']);
  });

  it('reports no changes after it was closed', async () => {
    const { folder, store } = await served('one');
    const witness = openStore(folder);
    await idsOf(witness);
    const changes: WorkflowChange[] = [];
    store.watch((change) => changes.push(change));
    await store.close();
    await folder.write('workflows/one.json', definition('one', { name: 'Another' }));
    await expect.poll(() => nameOf(witness, 'one'), patience).toBe('Another');
    expect(changes).toEqual([]);
    expect(await nameOf(store, 'one')).toBe('Name of one');
  });
});

describe('a files store', () => {
  it('reads nothing before the first call, even if a listener is registered', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/one.json', definition('one'));
    const { read, texts } = watchedReader();
    const watched: string[] = [];
    const store = openStore(folder, {
      read,
      watchFolder: (path) => {
        watched.push(path);
        return { close() {}, on: (() => undefined) as never };
      },
    });
    store.watch(() => undefined);
    await setTimeout(100);
    expect([...texts, ...watched]).toEqual([]);
    await store.list();
    expect(texts).toHaveLength(1);
    await expect.poll(() => watched, patience).toEqual([folder.source]);
  });

  it('reads each file once, and then only the changed file', async () => {
    const folder = await tempFolder();
    const ids = Array.from({ length: 50 }, (_, n) => `flow-${100 + n}`);
    for (const id of ids) await folder.write(`workflows/${id}.json`, definition(id));
    // A file that was written just before the first read is read twice.
    await setTimeout(200);
    const { read, texts } = watchedReader();
    const store = openStore(folder, { read });
    await Promise.all([store.list(), store.get('flow-100'), store.problems()]);
    expect(texts).toHaveLength(50);
    // Waits for the scan after the watchers are ready, and for one check of changes without an event.
    await setTimeout(700);
    await folder.write('workflows/flow-120.json', definition('flow-120', { name: 'Another' }));
    await expect.poll(() => nameOf(store, 'flow-120'), patience).toBe('Another');
    expect(texts.slice(50).every((text) => text.includes('flow-120'))).toBe(true);
    expect(texts.length).toBeLessThanOrEqual(52);
  });

  it('shows all of a change or nothing of it', async () => {
    const folder = await tempFolder();
    for (const name of ['old', 'new']) {
      await folder.write(`workflows/.${name}/one.json`, definition('one', { name }));
      await folder.write(`workflows/.${name}/two.json`, definition('two', { name }));
      await symlink(`.${name}`, folder.path(`workflows/.${name}-link`));
    }
    await rename(folder.path('workflows/.old-link'), folder.path('workflows/.current'));
    await symlink('.current', folder.path('workflows/flows'));
    const store = openStore(folder);
    const seen = new Set<string>();
    const look = async (): Promise<string> => {
      const names = (await store.list()).map(({ name }) => name).join(' ');
      seen.add(names);
      return names;
    };
    expect(await look()).toBe('old old');
    await quiet();
    await rename(folder.path('workflows/.new-link'), folder.path('workflows/.current'));
    await expect.poll(look, { ...patience, interval: 0 }).toBe('new new');
    expect([...seen]).toEqual(['old old', 'new new']);
  });

  it('does not keep the process running', async () => {
    const { folder, store } = await served('one');
    await folder.write('workflows/two.json', definition('two'));
    await expectIds(store, ['one', 'two']);
    const ours = (): string[] =>
      process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap' || name === 'Timeout');
    await expect.poll(ours, patience).toEqual([]);
  });
});
