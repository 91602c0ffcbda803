import { mkdir, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { definition } from '../support/definitions.ts';
import { idsOf, openStore, problemsOf, watchedReader } from '../support/files-store.ts';
import { tempFolder } from '../support/temp-folder.ts';

const updates = 'off';

describe('a symbolic link', () => {
  it.each(['leak.json', 'leak', 'leak.md'])(
    'is refused and not opened if it leaves the source: %s',
    async (name) => {
      const folder = await tempFolder();
      await folder.write('elsewhere/secret.json', definition('secret-flow', { name: 'SECRETNAME' }));
      await folder.write('workflows/good.json', definition('good'));
      const target = name === 'leak' ? 'elsewhere' : 'elsewhere/secret.json';
      await symlink(folder.path(target), folder.path('workflows', name));
      const { read, texts } = watchedReader();
      const store = openStore(folder, { updates, read });
      expect(await idsOf(store)).toEqual(['good']);
      expect(await problemsOf(store)).toEqual([`error UNSAFE_FILE leak ${name}`]);
      expect(texts.join('')).not.toContain('SECRETNAME');
      expect(JSON.stringify(await store.problems())).not.toContain('elsewhere');
    },
  );

  it('is refused if it leaves the source through another link', async () => {
    const folder = await tempFolder();
    await folder.write('outside/secret.json', definition('secret-flow'));
    await mkdir(folder.path('workflows/.hidden'));
    await symlink('../../outside', folder.path('workflows/.hidden/away'));
    await symlink('.hidden/away/secret.json', folder.path('workflows/leak.json'));
    const store = openStore(folder, { updates });
    expect(await problemsOf(store)).toEqual(['error UNSAFE_FILE leak leak.json']);
  });

  it('is refused if it leads to a sibling whose name begins like that of the source', async () => {
    const folder = await tempFolder();
    await folder.write('workflows-old/secret.json', definition('secret-flow'));
    await symlink('../workflows-old/secret.json', folder.path('workflows/leak.json'));
    expect(await problemsOf(openStore(folder, { updates }))).toEqual(['error UNSAFE_FILE leak leak.json']);
  });

  it('is followed to files and folders inside the source, under its own name', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/.store/v1.txt', definition('by-file'));
    await folder.write('workflows/.store/more/x.json', definition('by-folder'));
    await symlink('.store/v1.txt', folder.path('workflows/current.json'));
    await symlink('.store/more', folder.path('workflows/more'));
    const store = openStore(folder, { updates });
    expect(await idsOf(store)).toEqual(['by-file', 'by-folder']);
    expect(await store.fileOf('by-file')).toBe('current.json');
    expect(await store.fileOf('by-folder')).toBe('more/x.json');
  });

  it('does not make two workflows of one file', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/sub/one.json', definition('one'));
    await symlink('sub/one.json', folder.path('workflows/again.json'));
    await symlink('sub', folder.path('workflows/all'));
    const store = openStore(folder, { updates });
    expect(await idsOf(store)).toEqual(['one']);
    expect(await store.fileOf('one')).toBe('sub/one.json');
    expect(await store.problems()).toEqual([]);
  });

  it('in a circle does not cause an endless loop', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/sub/one.json', definition('one'));
    await symlink('..', folder.path('workflows/sub/up'));
    await symlink('.', folder.path('workflows/here'));
    await symlink('round.json', folder.path('workflows/round.json'));
    await symlink('nowhere.json', folder.path('workflows/dangling.json'));
    const store = openStore(folder, { updates });
    expect(await idsOf(store)).toEqual(['one']);
    expect(await problemsOf(store)).toEqual([
      'error SOURCE_UNREADABLE dangling dangling.json',
      'error SOURCE_UNREADABLE round round.json',
    ]);
  });

  it('may lead to the source itself', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/one.json', definition('one'));
    await symlink('workflows', folder.path('name'));
    const store = openStore(folder, { updates, directory: folder.path('name') });
    expect(await idsOf(store)).toEqual(['one']);
    expect(await store.problems()).toEqual([]);
  });
});
