import { watch, writeFileSync } from 'node:fs';
import type { WatchFolder } from '@workflowlookup/storage/files';
import { describe, expect, it } from 'vitest';
import { definition } from '../support/definitions.ts';
import { expectIds, idsOf, nameOf, openStore, patience, problemsOf } from '../support/files-store.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Watches like Node and records what is watched. */
function countedWatch(): {
  readonly watchFolder: WatchFolder;
  readonly open: Map<string, { fail(): void }[]>;
} {
  const open = new Map<string, { fail(): void }[]>();
  return {
    open,
    watchFolder(folder, options, listener) {
      const watcher = watch(folder, options, listener);
      const entry = { fail: () => void watcher.emit('error', new Error('EPERM')) };
      open.set(folder, [...(open.get(folder) ?? []), entry]);
      watcher.on('close', () => {
        const rest = (open.get(folder) ?? []).filter((other) => other !== entry);
        if (rest.length === 0) open.delete(folder);
        else open.set(folder, rest);
      });
      return watcher;
    },
  };
}

function failingWith(code: string): WatchFolder {
  return () => {
    throw Object.assign(new Error(`${code}: no more watchers`), { code });
  };
}

describe('the watchers of folders', () => {
  it('are one for each folder and none for files, and all are closed at the end', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/one.json', definition('one'));
    await folder.write('workflows/two.json', definition('two'));
    await folder.write('workflows/sub/xxx.json', definition('xxx'));
    await folder.write('workflows/.git/config.json', '{}');
    await folder.write('workflows/node_modules/m/package.json', '{}');
    const { watchFolder, open } = countedWatch();
    const store = openStore(folder, { watchFolder });
    await store.list();
    await expect
      .poll(() => [...open.keys()].toSorted(), patience)
      .toEqual([folder.source, folder.path('workflows/sub')]);
    expect([...open.values()].map(({ length }) => length)).toEqual([1, 1]);
    await store.close();
    await expect.poll(() => open.size, patience).toBe(0);
  });

  it('are not opened after the store was closed during the first call', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/one.json', definition('one'));
    const { watchFolder, open } = countedWatch();
    const store = openStore(folder, { watchFolder });
    const listed = store.list();
    await store.close();
    expect(await listed).toHaveLength(1);
    await store.close();
    expect(open.size).toBe(0);
  });

  it('do not miss a change between the first read and the first watcher', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/one.json', definition('one'));
    const store = openStore(folder, {
      watchFolder(path, options, listener) {
        writeFileSync(folder.path('workflows/gap.json'), JSON.stringify(definition('gap')));
        return watch(path, options, listener);
      },
    });
    expect(await idsOf(store)).toEqual(['one']);
    await expectIds(store, ['gap', 'one']);
  });

  it('are opened again after one of them failed', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/one.json', definition('one'));
    const { watchFolder, open } = countedWatch();
    const store = openStore(folder, { watchFolder });
    await store.list();
    await expect.poll(() => open.size, patience).toBe(1);
    open.get(folder.source)?.[0]?.fail();
    await expect.poll(() => open.size, patience).toBe(0);
    await expect.poll(() => open.size, patience).toBe(1);
    await folder.write('workflows/two.json', definition('two'));
    await expectIds(store, ['one', 'two']);
  });

  it.each(['ENOSPC', 'EMFILE', 'ENOSYS'])(
    'are replaced by polling if the system refuses them: %s',
    async (code) => {
      const folder = await tempFolder();
      await folder.write('workflows/one.json', definition('one'));
      const store = openStore(folder, { watchFolder: failingWith(code) });
      expect(await idsOf(store)).toEqual(['one']);
      await folder.write('workflows/one.json', definition('one', { name: 'Another' }));
      await expect.poll(() => nameOf(store, 'one'), patience).toBe('Another');
      await folder.write('workflows/sub/two.json', definition('two'));
      await expectIds(store, ['one', 'two']);
      await folder.write('workflows/sub/two.json', '{');
      await expect
        .poll(() => problemsOf(store), patience)
        .toEqual(['error INVALID_WORKFLOW two sub/two.json']);
    },
  );
});
