import { mkdir, rm, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  activitiesOf,
  activityFile,
  activityNames,
  openFolders,
  orchard,
  watchedFolderReader,
  workflowFile,
} from './activity-folders.ts';
import { idsOf, problemsOf } from '../support/files-store.ts';
import { tempFolder } from '../support/temp-folder.ts';

const updates = 'off';

describe('a symbolic link in the folder of an activity workflow', () => {
  it('is not opened if it leaves the source, and the part is left out', async () => {
    const folder = await orchard();
    await folder.write('secret.yaml', activityFile('secret'));
    await symlink(folder.path('secret.yaml'), folder.path('workflows/orchard/activities/03-secret.yaml'));
    await rm(folder.path('workflows/orchard/skills'), { recursive: true });
    await mkdir(folder.path('outside'));
    await symlink(folder.path('outside'), folder.path('workflows/orchard/skills'));
    const store = openFolders(folder, { updates });
    expect(await problemsOf(store)).toEqual([
      'warning UNSAFE_FILE orchard orchard/activities/03-secret.yaml',
      'warning UNSAFE_FILE orchard orchard/skills',
    ]);
    expect(await activityNames(store, 'orchard')).toEqual(['Name of press', 'Name of label']);
    expect(JSON.stringify(await store.problems())).not.toContain(folder.path());
  });

  it('refuses the workflow if it leaves the source and is the workflow file', async () => {
    const folder = await orchard();
    await folder.write('secret.yaml', workflowFile('orchard'));
    await rm(folder.path('workflows/orchard/workflow.yaml'));
    await symlink('../../secret.yaml', folder.path('workflows/orchard/workflow.yaml'));
    const { readFolder, names } = watchedFolderReader();
    const store = openFolders(folder, { updates, readFolder });
    expect(await problemsOf(store)).toEqual(['error UNSAFE_FILE orchard orchard/workflow.yaml']);
    expect([...(await idsOf(store)), ...names]).toEqual([]);
  });

  it('is followed to files and folders inside the source', async () => {
    const folder = await orchard();
    await folder.write('workflows/.store/skill.yaml', 'id: tester\nversion: 1.0.0\ncapability: c\n');
    await folder.write('workflows/.store/parts/01-list.md', 'A list');
    await symlink('../../.store/skill.yaml', folder.path('workflows/orchard/skills/02-tester.yaml'));
    await rm(folder.path('workflows/orchard/resources'), { recursive: true });
    await symlink('../.store/parts', folder.path('workflows/orchard/resources'));
    await symlink('nowhere', folder.path('workflows/orchard/skills/03-gone.yaml'));
    const store = openFolders(folder, { updates });
    const { skills, resources } = await activitiesOf(store, 'orchard');
    expect(skills.map(({ id }) => id)).toEqual(['picker', 'tester']);
    expect(resources.map(({ body }) => body)).toEqual(['A list']);
    expect(await problemsOf(store)).toEqual([
      'warning SOURCE_UNREADABLE orchard orchard/skills/03-gone.yaml',
    ]);
  });

  it('gives such a folder its own name', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/.store/v1/workflow.yaml', workflowFile('orchard'));
    await folder.write('workflows/.store/v1/activities/01-only.yaml', activityFile('only'));
    await symlink('.store/v1', folder.path('workflows/orchard'));
    const store = openFolders(folder, { updates });
    expect(await store.fileOf('orchard')).toBe('orchard/workflow.yaml');
  });
});
