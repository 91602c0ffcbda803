import { describe, expect, it } from 'vitest';
import { definition } from '../support/definitions.ts';
import { activityFile, openFolders, writeWorkflow } from './activity-folders.ts';
import { expectIds, idsOf, openStore, problemsOf, quiet } from '../support/files-store.ts';
import { tempFolder } from '../support/temp-folder.ts';

describe('a store that reports warnings', () => {
  it('lists served workflows together with their warnings', async () => {
    const folder = await tempFolder();
    const { version: _, ...unversioned } = definition('plain');
    await folder.write('workflows/plain.json', unversioned);
    await folder.write('workflows/sound.json', definition('sound'));
    await writeWorkflow(folder, 'orchard', 'initialActivity: label');
    await folder.write('workflows/orchard/activities/03-sell.yaml', activityFile('sell-it'));
    const store = openFolders(folder, { updates: 'off', warnings: true });
    expect(await idsOf(store)).toEqual(['orchard', 'plain', 'sound']);
    expect(await problemsOf(store)).toEqual([
      'warning INVALID_WORKFLOW orchard orchard/activities/01-press.yaml',
      'warning INVALID_WORKFLOW orchard orchard/activities/03-sell.yaml',
      'warning INVALID_WORKFLOW plain plain.json',
    ]);
    expect((await store.problems()).flatMap(({ issues }) => issues.map(({ code }) => code))).toEqual([
      'unreachable',
      'file-name',
      'unreachable',
      'missing-version',
    ]);
  });
});

describe('a store with the option only', () => {
  it('reads and watches nothing but the named files and folders', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/wanted.json', definition('wanted'));
    await folder.write('workflows/other.json', '{');
    await writeWorkflow(folder, 'orchard');
    await writeWorkflow(folder, 'meadow');
    const store = openFolders(folder, { only: ['wanted.json', 'orchard'] });
    expect(await idsOf(store)).toEqual(['orchard', 'wanted']);
    expect(await store.problems()).toEqual([]);
    expect([...((await store.lend('orchard'))?.keys() ?? [])]).toContain('workflow.yaml');
    expect(await store.lend('meadow')).toBeUndefined();
    await quiet();
    await folder.write('workflows/late.json', definition('late'));
    await folder.write('workflows/wanted.json', definition('wished-for'));
    await expectIds(store, ['orchard', 'wished-for']);
  });
});

describe('a store with the option depth', () => {
  it.each([
    [undefined, ['a-1', 'd-4']],
    [0, ['a-1']],
    [5, ['a-1', 'd-4', 'e-5']],
  ])('that is %j reads the workflows %j', async (depth, ids) => {
    const folder = await tempFolder();
    await folder.write('workflows/a.json', definition('a-1'));
    await folder.write('workflows/b/c/d/d.json', definition('d-4'));
    await folder.write('workflows/b/c/d/e/e.json', definition('e-5'));
    const store = openStore(folder, { updates: 'off', ...(depth !== undefined && { depth }) });
    expect(await idsOf(store)).toEqual(ids);
  });
});
