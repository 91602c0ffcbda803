import { mkdir, rename, rm, symlink, unlink } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { WorkflowChange } from '@workflowlookup/storage';
import { describe, expect, it } from 'vitest';
import { definition } from './support/definitions.ts';
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
} from './support/files-store.ts';
import { tempFolder } from './support/temp-folder.ts';

describe('while a files store is open', () => {
  it('a save by renaming over the file is seen', async () => {
    const { folder, store } = await served('one', 'two');
    for (const name of ['First', 'Second', 'Third']) {
      await folder.write('workflows/one.json.tmp', definition('one', { name }));
      await rename(folder.path('workflows/one.json.tmp'), folder.path('workflows/one.json'));
      await expect.poll(() => nameOf(store, 'one'), patience).toBe(name);
    }
    expect(await store.problems()).toEqual([]);
  });

  it('a save by removing and writing anew is seen', async () => {
    const { folder, store } = await served('one');
    await unlink(folder.path('workflows/one.json'));
    await folder.write('workflows/one.json', definition('one', { name: 'Another' }));
    await expect.poll(() => nameOf(store, 'one'), patience).toBe('Another');
  });

  it('the last of many quick writes is what is served', async () => {
    const { folder, store } = await served('one');
    for (let n = 0; n <= 30; n += 1) {
      await folder.write('workflows/one.json', definition('one', { name: `Name ${n}` }));
      await setTimeout(n);
    }
    await expect.poll(() => nameOf(store, 'one'), patience).toBe('Name 30');
  });

  it('a file that breaks is refused, and served again when it is mended', async () => {
    const { folder, store } = await served('one', 'two');
    await folder.write('workflows/one.json', '{ "id": "one", ');
    await expect.poll(() => problemsOf(store), patience).toEqual(['error INVALID_WORKFLOW one one.json']);
    expect(await idsOf(store)).toEqual(['two']);
    await folder.write('workflows/one.json', definition('one'));
    await expectIds(store, ['one', 'two']);
    expect(await store.problems()).toEqual([]);
  });

  it('an id that gets a second file is refused, and served again when that goes', async () => {
    const { folder, store } = await served('one');
    await folder.write('workflows/again.json', definition('one'));
    await expect.poll(() => issueCodesOf(store, 'one.json'), patience).toHaveLength(1);
    expect(await store.get('one')).toBeUndefined();
    await rm(folder.path('workflows/again.json'));
    await expectIds(store, ['one']);
    expect(await store.problems()).toEqual([]);
  });

  it('a moved file keeps its workflow', async () => {
    const { folder, store } = await served('one');
    const before = await store.get('one');
    await mkdir(folder.path('workflows/sub'));
    await rename(folder.path('workflows/one.json'), folder.path('workflows/sub/moved.json'));
    await expect.poll(() => store.fileOf('one'), patience).toBe('sub/moved.json');
    expect(await store.get('one')).toBe(before);
  });

  it('a save without a change of meaning keeps the workflow, and tells nobody', async () => {
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

  it('a file replaced by a folder of its name is gone', async () => {
    const { folder, store } = await served('one', 'two');
    await rm(folder.path('workflows/one.json'));
    await mkdir(folder.path('workflows/one.json'));
    await expectIds(store, ['two']);
    expect(await store.problems()).toEqual([]);
    await folder.write('workflows/one.json/inner.json', definition('inner'));
    await expectIds(store, ['inner', 'two']);
  });

  it('a closed store tells nobody', async () => {
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

describe('what a files store reads', () => {
  it('is nothing before the first call, not even when someone listens', async () => {
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

  it('is each file once, and then the one that was edited', async () => {
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

  it('is seen in all of a change or in none', async () => {
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

  it('does not keep the process alive', async () => {
    const { folder, store } = await served('one');
    await folder.write('workflows/two.json', definition('two'));
    await expectIds(store, ['one', 'two']);
    const ours = (): string[] =>
      process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap' || name === 'Timeout');
    await expect.poll(ours, patience).toEqual([]);
  });
});
