import { rename, rm, symlink } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { WorkflowChange } from '@workflowlookup/storage';
import type { FilesStore } from '@workflowlookup/storage/files';
import { describe, expect, it } from 'vitest';
import {
  activitiesOf,
  activityFile,
  activityNames,
  openFolders,
  watchedFolderReader,
  workflowFile,
  writeWorkflow,
} from './activity-folders.ts';
import { definition } from '../support/definitions.ts';
import { expectIds, idsOf, nameOf, patience, problemsOf, quiet } from '../support/files-store.ts';
import type { TempFolder } from '../support/temp-folder.ts';
import { tempFolder } from '../support/temp-folder.ts';

interface Opened {
  readonly folder: TempFolder;
  readonly store: FilesStore;
  /** Names of the folders that were read since the start. */
  readonly names: string[];
  /** Ids that were reported since the start. */
  readonly changedIds: Set<string>;
}

/** Opens a source with the unrelated workflows `orchard` and `cellar`. */
async function opened(updates: 'events' | 'poll' = 'events'): Promise<Opened> {
  const folder = await tempFolder();
  await writeWorkflow(folder, 'orchard');
  await writeWorkflow(folder, 'cellar');
  // A file that was written just before the first read is read twice.
  await setTimeout(200);
  const { readFolder, names } = watchedFolderReader();
  const store = openFolders(folder, { readFolder, updates });
  expect(await idsOf(store)).toEqual(['cellar', 'orchard']);
  await quiet();
  names.length = 0;
  const changedIds = new Set<string>();
  store.watch((change: WorkflowChange) => {
    for (const id of change) changedIds.add(id);
  });
  return { folder, store, names, changedIds };
}

describe.each(['events', 'poll'] as const)('a store that follows changes by %s', (updates) => {
  it.each<[string, (folder: TempFolder) => Promise<void>, readonly string[]]>([
    [
      'an edit',
      (folder) =>
        folder.write(
          'workflows/orchard/activities/02-label.yaml',
          activityFile('label', 'required: true').replace('Name of', 'Another'),
        ),
      ['Name of press', 'Another label'],
    ],
    [
      'an addition',
      (folder) => folder.write('workflows/orchard/activities/03-ship.yaml', activityFile('ship')),
      ['Name of press', 'Name of label', 'Name of ship'],
    ],
    [
      'a removal',
      (folder) => rm(folder.path('workflows/orchard/activities/01-press.yaml')),
      ['Name of label'],
    ],
    [
      'a save by renaming',
      async (folder) => {
        await folder.write(
          'workflows/orchard/activities/.tmp',
          activityFile('press').replace('Name of', 'Another'),
        );
        await rename(
          folder.path('workflows/orchard/activities/.tmp'),
          folder.path('workflows/orchard/activities/01-press.yaml'),
        );
      },
      ['Another press', 'Name of label'],
    ],
  ])('reads only the folder of a changed part after %s, and reports its id', async (_, change, expected) => {
    const { folder, store, names, changedIds } = await opened(updates);
    await change(folder);
    await expect.poll(() => activityNames(store, 'orchard'), patience).toEqual(expected);
    expect(new Set(names)).toEqual(new Set(['orchard']));
    expect(changedIds).toEqual(new Set(['orchard']));
  });
});

describe('the folder of an activity workflow in an open store', () => {
  it('shows a change of its workflow file', async () => {
    const { folder, store, names } = await opened();
    const text = workflowFile('orchard').replace('Title of', 'Another');
    await folder.write('workflows/orchard/workflow.yaml', text);
    await expect.poll(() => nameOf(store, 'orchard'), patience).toBe('Another orchard');
    expect(new Set(names)).toEqual(new Set(['orchard']));
  });

  it('shows a part that is broken and then repaired', async () => {
    const { folder, store } = await opened();
    const file = 'orchard/activities/02-label.yaml';
    await folder.write(`workflows/${file}`, 'id: label\n');
    await expect
      .poll(() => problemsOf(store), patience)
      .toEqual([`warning INVALID_WORKFLOW orchard ${file}`]);
    expect(await activityNames(store, 'orchard')).toEqual(['Name of press']);
    await folder.write(`workflows/${file}`, activityFile('label'));
    await expect.poll(() => problemsOf(store), patience).toEqual([]);
    expect(await activityNames(store, 'orchard')).toEqual(['Name of press', 'Name of label']);
  });

  it('shows new and removed folders of parts', async () => {
    const { folder, store } = await opened();
    const bodies = async (): Promise<string[]> =>
      (await activitiesOf(store, 'orchard')).resources.map(({ body }) => body);
    await rm(folder.path('workflows/orchard/resources'), { recursive: true });
    await expect.poll(bodies, patience).toEqual([]);
    await folder.write('workflows/orchard/resources/01-new.md', 'new');
    await expect.poll(bodies, patience).toEqual(['new']);
    await quiet();
    await folder.write('workflows/orchard/resources/02-more.md', 'more');
    await expect.poll(bodies, patience).toEqual(['new', 'more']);
  });

  it('keeps its workflow and reports no change if a file is saved without changes', async () => {
    const { folder, store, names, changedIds } = await opened();
    const before = await store.get('orchard');
    await folder.write('workflows/orchard/activities/02-label.yaml', activityFile('label'));
    await expect.poll(() => names, patience).toContain('orchard');
    await folder.write('workflows/cellar/activities/02-label.yaml', activityFile('label', 'required: true'));
    await expect.poll(() => changedIds, patience).toEqual(new Set(['cellar']));
    expect(await store.get('orchard')).toBe(before);
  });

  it('can be added, removed, and turned into a plain folder', async () => {
    const { folder, store } = await opened();
    await folder.write('workflows/mill/activities/01-grind.yaml', activityFile('grind'));
    await folder.write('workflows/mill/plain.json', definition('plain'));
    await folder.write('workflows/mill/workflow.yaml', workflowFile('mill'));
    await expectIds(store, ['cellar', 'mill', 'orchard']);
    await rm(folder.path('workflows/orchard'), { recursive: true });
    await expectIds(store, ['cellar', 'mill']);
    await rm(folder.path('workflows/mill/workflow.yaml'));
    await expectIds(store, ['cellar', 'plain']);
  });

  it('is followed when another folder is moved to its name', async () => {
    const { folder, store } = await opened();
    await folder.write('next/workflow.yaml', workflowFile('orchard').replace('Title of', 'Next'));
    await folder.write('next/activities/01-only.yaml', activityFile('only'));
    await rename(folder.path('workflows/orchard'), folder.path('old'));
    await rename(folder.path('next'), folder.path('workflows/orchard'));
    await expect.poll(() => nameOf(store, 'orchard'), patience).toBe('Next orchard');
    await folder.write('workflows/orchard/activities/02-ship.yaml', activityFile('ship'));
    const names = ['Name of only', 'Name of ship'];
    await expect.poll(() => activityNames(store, 'orchard'), patience).toEqual(names);
  });

  it('shows a change of a file that its links lead to', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/orchard/workflow.yaml', workflowFile('orchard'));
    await folder.write('workflows/.store/press.yaml', activityFile('press'));
    await folder.write('workflows/.store/resources/01-map.md', 'map');
    await folder.write('workflows/orchard/activities/02-label.yaml', activityFile('label'));
    await symlink('../../.store/press.yaml', folder.path('workflows/orchard/activities/01-press.yaml'));
    await symlink('../.store/resources', folder.path('workflows/orchard/resources'));
    const store = openFolders(folder);
    expect(await activityNames(store, 'orchard')).toEqual(['Name of press', 'Name of label']);
    await quiet();
    await folder.write('workflows/.store/press.yaml', activityFile('press').replace('Name of', 'Another'));
    await expect
      .poll(() => activityNames(store, 'orchard'), patience)
      .toEqual(['Another press', 'Name of label']);
    await folder.write('workflows/.store/resources/02-list.md', 'list');
    await expect.poll(async () => (await activitiesOf(store, 'orchard')).resources.length, patience).toBe(2);
  });

  it('is no longer read when a part is replaced by a link out of the source', async () => {
    const { folder, store } = await opened();
    await folder.write('secret.yaml', activityFile('press').replace('Name of', 'SECRET'));
    await rm(folder.path('workflows/orchard/activities/01-press.yaml'));
    await symlink('../../../secret.yaml', folder.path('workflows/orchard/activities/01-press.yaml'));
    const file = 'orchard/activities/01-press.yaml';
    await expect.poll(() => problemsOf(store), patience).toEqual([`warning UNSAFE_FILE orchard ${file}`]);
    expect(await activityNames(store, 'orchard')).toEqual(['Name of label']);
  });
});

describe('a borrowed activity in an open store', () => {
  const borrowing = workflowFile('cidery', 'activities: [orchard/activities/01-press]');
  const another = activityFile('press').replace('Name of', 'Another');

  it('shows that the workflow that lends it was changed, added and removed', async () => {
    const { folder, store, names, changedIds } = await opened();
    await folder.write('workflows/cidery/workflow.yaml', borrowing);
    await expect.poll(() => activityNames(store, 'cidery'), patience).toEqual(['Name of press']);
    await quiet();
    names.length = 0;
    changedIds.clear();
    await folder.write('workflows/orchard/activities/01-press.yaml', another);
    await expect.poll(() => activityNames(store, 'cidery'), patience).toEqual(['Another press']);
    expect(new Set(names)).toEqual(new Set(['cidery', 'orchard']));
    expect(changedIds).toEqual(new Set(['cidery', 'orchard']));
    await rename(folder.path('workflows/orchard'), folder.path('away'));
    await expect.poll(() => activityNames(store, 'cidery'), patience).toEqual([]);
    await rename(folder.path('away'), folder.path('workflows/orchard'));
    await expect.poll(() => activityNames(store, 'cidery'), patience).toEqual(['Another press']);
  });

  it('shows a change of the lending workflow in another source', async () => {
    const { folder: there, store: lower } = await opened();
    const here = await tempFolder();
    await here.write('workflows/cidery/workflow.yaml', borrowing);
    const store = openFolders(here, { borrow: (name) => lower.lend(name) });
    expect(await activityNames(store, 'cidery')).toEqual(['Name of press']);
    await there.write('workflows/orchard/activities/01-press.yaml', another);
    await expect.poll(() => activityNames(store, 'cidery'), patience).toEqual(['Another press']);
  });
});
