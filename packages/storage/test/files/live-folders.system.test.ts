import { rename, rm, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { definition } from '../support/definitions.ts';
import {
  expectIds,
  idsOf,
  nameOf,
  openStore,
  patience,
  problemsOf,
  quiet,
  served,
  watchedReader,
} from '../support/files-store.ts';
import { tempFolder } from '../support/temp-folder.ts';

describe('the folders of an open files store', () => {
  it('are found when they are added, with their content', async () => {
    const { folder, store } = await served('one');
    await folder.write('workflows/a/b/c/deep.json', definition('deep'));
    await expectIds(store, ['deep', 'one']);
    await folder.write('workflows/a/b/second.json', definition('second'));
    await expectIds(store, ['deep', 'one', 'second']);
    await folder.write('workflows/a/b/c/deep.json', definition('deep', { name: 'Another' }));
    await expect.poll(() => nameOf(store, 'deep'), patience).toBe('Another');
  });

  it('are followed when they are removed and added again immediately', async () => {
    const { folder, store } = await served('one');
    await folder.write('workflows/sub/x.json', definition('xxx'));
    await expectIds(store, ['one', 'xxx']);
    await quiet();
    await rm(folder.path('workflows/sub'), { recursive: true });
    await folder.write('workflows/sub/x.json', definition('xxx', { name: 'Anew' }));
    await expect.poll(() => nameOf(store, 'xxx'), patience).toBe('Anew');
    await folder.write('workflows/sub/y.json', definition('yyy'));
    await expectIds(store, ['one', 'xxx', 'yyy']);
    await folder.write('workflows/sub/x.json', definition('xxx', { name: 'Edited' }));
    await expect.poll(() => nameOf(store, 'xxx'), patience).toBe('Edited');
  });

  it('are followed when another folder is moved to their name', async () => {
    const { folder, store } = await served('one');
    await folder.write('workflows/sub/x.json', definition('xxx'));
    await folder.write('next/x.json', definition('xxx', { name: 'Next' }));
    await expectIds(store, ['one', 'xxx']);
    await quiet();
    await rename(folder.path('workflows/sub'), folder.path('old'));
    await rename(folder.path('next'), folder.path('workflows/sub'));
    await expect.poll(() => nameOf(store, 'xxx'), patience).toBe('Next');
    await folder.write('workflows/sub/y.json', definition('yyy'));
    await expectIds(store, ['one', 'xxx', 'yyy']);
  });

  it('can become an activity workflow, and stop being one', async () => {
    const { folder, store } = await served('one');
    await folder.write('workflows/sub/x.json', definition('xxx'));
    await expectIds(store, ['one', 'xxx']);
    await folder.write('workflows/sub/workflow.toon', 'id: sub');
    await expectIds(store, ['one']);
    expect(await problemsOf(store)).toEqual(['warning INVALID_WORKFLOW sub sub/workflow.toon']);
    await folder.write('workflows/sub/y.json', definition('yyy'));
    await folder.write('workflows/two.json', definition('two'));
    await expectIds(store, ['one', 'two']);
    await rm(folder.path('workflows/sub/workflow.toon'));
    await expectIds(store, ['one', 'two', 'xxx', 'yyy']);
    expect(await store.problems()).toEqual([]);
  });

  it('are no longer read when they are replaced by a link out of the source', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/sub/x.json', definition('xxx'));
    await folder.write('outside/x.json', definition('xxx', { name: 'SECRETNAME' }));
    const { read, texts } = watchedReader();
    const store = openStore(folder, { read });
    await expectIds(store, ['xxx']);
    await quiet();
    await rename(folder.path('workflows/sub'), folder.path('old'));
    await symlink('../outside', folder.path('workflows/sub'));
    await expect.poll(() => problemsOf(store), patience).toEqual(['error UNSAFE_FILE sub sub']);
    expect(await idsOf(store)).toEqual([]);
    expect(texts.join('')).not.toContain('SECRETNAME');
  });
});

describe('the directory of an open files store', () => {
  it('can be created late, removed, and created again', async () => {
    const folder = await tempFolder();
    await rm(folder.source, { recursive: true });
    const store = openStore(folder);
    expect(await idsOf(store)).toEqual([]);
    for (const name of ['Early', 'Late']) {
      await folder.write('workflows/one.json', definition('one', { name }));
      await expect.poll(() => nameOf(store, 'one'), patience).toBe(name);
      await folder.write('workflows/two.json', definition('two', { name }));
      await expectIds(store, ['one', 'two']);
      await rm(folder.source, { recursive: true });
      await expectIds(store, []);
    }
    expect(await store.problems()).toEqual([]);
  });

  it('can be replaced by another directory', async () => {
    const { folder, store } = await served('one');
    await folder.write('next/one.json', definition('one', { name: 'Next' }));
    await rename(folder.source, folder.path('old'));
    await rename(folder.path('next'), folder.source);
    await expect.poll(() => nameOf(store, 'one'), patience).toBe('Next');
    await folder.write('workflows/two.json', definition('two'));
    await expectIds(store, ['one', 'two']);
  });

  it('can be a link whose target changes', async () => {
    const folder = await tempFolder();
    await folder.write('v1/one.json', definition('one', { name: 'First' }));
    await folder.write('v2/one.json', definition('one', { name: 'Second' }));
    await symlink('v1', folder.path('current'));
    const store = openStore(folder, { directory: folder.path('current') });
    expect(await nameOf(store, 'one')).toBe('First');
    await quiet();
    await symlink('v2', folder.path('next'));
    await rename(folder.path('next'), folder.path('current'));
    await expect.poll(() => nameOf(store, 'one'), patience).toBe('Second');
    await folder.write('v2/two.json', definition('two'));
    await expectIds(store, ['one', 'two']);
  });
});

describe('symbolic links in an open files store', () => {
  it('show a change of their target, even in a folder that is left out', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/.store/v1.json', definition('one'));
    await symlink('.store/v1.json', folder.path('workflows/one.json'));
    const store = openStore(folder);
    expect(await idsOf(store)).toEqual(['one']);
    await quiet();
    await folder.write('workflows/.store/v1.json', definition('one', { name: 'Another' }));
    await expect.poll(() => nameOf(store, 'one'), patience).toBe('Another');
  });

  it('show the new content when the dot folder they lead to is replaced', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/..v1/one.json', definition('one', { name: 'First' }));
    await folder.write('workflows/..v2/one.json', definition('one', { name: 'Second' }));
    await symlink('..v1', folder.path('workflows/..data'));
    await symlink('..data/one.json', folder.path('workflows/one.json'));
    const store = openStore(folder);
    expect(await nameOf(store, 'one')).toBe('First');
    await symlink('..v2', folder.path('workflows/..next'));
    await quiet();
    await rename(folder.path('workflows/..next'), folder.path('workflows/..data'));
    await expect.poll(() => nameOf(store, 'one'), patience).toBe('Second');
    expect(await store.fileOf('one')).toBe('one.json');
  });

  it('can be added, changed and removed', async () => {
    const { folder, store } = await served('one');
    await folder.write('workflows/.store/x.json', definition('xxx'));
    await symlink('.store/x.json', folder.path('workflows/link.json'));
    await expectIds(store, ['one', 'xxx']);
    await folder.write('secret.json', definition('secret-flow'));
    await rm(folder.path('workflows/link.json'));
    await symlink('../secret.json', folder.path('workflows/link.json'));
    await expect.poll(() => problemsOf(store), patience).toEqual(['error UNSAFE_FILE link link.json']);
    await rm(folder.path('workflows/link.json'));
    await expect.poll(() => problemsOf(store), patience).toEqual([]);
    expect(await idsOf(store)).toEqual(['one']);
  });
});
