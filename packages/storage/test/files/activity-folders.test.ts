import { execFileSync } from 'node:child_process';
import { createFolderReader } from '@workflowlookup/schema';
import { describe, expect, it } from 'vitest';
import {
  activitiesOf,
  activityFile,
  activityNames,
  openFolders,
  orchard,
  workflowFile,
  writeWorkflow,
} from './activity-folders.ts';
import { definition } from '../support/definitions.ts';
import { idsOf, issueCodesOf, problemsOf } from '../support/files-store.ts';
import { tempFolder } from '../support/temp-folder.ts';

const updates = 'off';

describe('a folder with a workflow file', () => {
  it('is served as one definition beside the others, with its parts', async () => {
    const folder = await orchard();
    await folder.write('workflows/plain.json', definition('plain'));
    const store = openFolders(folder, { updates });
    expect(await store.list()).toEqual([
      {
        id: 'orchard',
        name: 'Title of orchard',
        description: '',
        category: 'default',
        version: '1.0.0',
        tags: [],
      },
      expect.objectContaining({ id: 'plain' }),
    ]);
    const { activities, skills, resources, problems } = await activitiesOf(store, 'orchard');
    const files = [...activities, ...skills, ...resources].map(({ file }) => file);
    expect(files).toEqual([
      'activities/01-press.yaml',
      'activities/02-label.yaml',
      'skills/01-picker.yaml',
      'resources/01-map.md',
    ]);
    expect(problems).toEqual([]);
    expect(await store.problems()).toEqual([]);
    expect(await store.fileOf('orchard')).toBe('orchard/workflow.yaml');
  });

  it.each([
    ['workflow.json', '{"id":"orchard","version":"1.0.0","title":"T"}'],
    ['workflow.yml', workflowFile('orchard')],
    ['workflow.toon', 'id: orchard\nversion: 1.0.0\ntitle: T\n'],
  ])('is read in each format: %s', async (name, text) => {
    const folder = await tempFolder();
    await folder.write(`workflows/deep/er/orchard/${name}`, text);
    await folder.write('workflows/deep/er/orchard/activities/01-only.yaml', activityFile('only'));
    const store = openFolders(folder, { updates });
    expect(await idsOf(store)).toEqual(['orchard']);
    expect(await store.fileOf('orchard')).toBe(`deep/er/orchard/${name}`);
  });

  it('has no other files that are read', async () => {
    const folder = await orchard();
    for (const file of [
      'README.md',
      'activities/README.md',
      'activities/notes.txt',
      'activities/.01-draft.yaml',
      'activities/01-press.test.yaml',
      'workflow.test.yaml',
      'activities/old/03-old.yaml',
      'docs/plain.json',
      'plain.json',
    ]) {
      await folder.write(`workflows/orchard/${file}`, '{');
    }
    const given: string[] = [];
    const read = createFolderReader();
    const store = openFolders(folder, {
      updates,
      readFolder(files, context) {
        given.push(...files.keys());
        return read(files, context);
      },
    });
    expect(await idsOf(store)).toEqual(['orchard']);
    expect(await store.problems()).toEqual([]);
    expect(given).toEqual([
      'activities/01-press.yaml',
      'activities/02-label.yaml',
      'resources/01-map.md',
      'skills/01-picker.yaml',
      'workflow.yaml',
    ]);
  });

  it('is served as meta like any other workflow', async () => {
    const folder = await tempFolder();
    await writeWorkflow(folder, 'meta');
    const store = openFolders(folder, { updates });
    expect(await idsOf(store)).toEqual(['meta']);
    expect((await activitiesOf(store, 'meta')).id).toBe('meta');
  });

  it('has the id from its workflow file', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/folder/workflow.yaml', workflowFile('another'));
    await folder.write('workflows/folder/activities/01-only.yaml', activityFile('only'));
    const store = openFolders(folder, { updates });
    expect(await idsOf(store)).toEqual(['another']);
  });

  it('is not the source folder itself', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/workflow.json', definition('plain'));
    expect(await idsOf(openFolders(folder, { updates }))).toEqual(['plain']);
  });

  it('cannot have the same id as a file of the source', async () => {
    const folder = await orchard();
    await folder.write('workflows/plain.json', definition('orchard'));
    const store = openFolders(folder, { updates });
    expect(await store.get('orchard')).toBeUndefined();
    expect(await problemsOf(store)).toEqual([
      'error INVALID_WORKFLOW orchard orchard/workflow.yaml',
      'error INVALID_WORKFLOW orchard plain.json',
    ]);
  });
});

describe('a broken workflow file', () => {
  it('is reported under its id, and nothing is served', async () => {
    const folder = await orchard();
    await folder.write('workflows/orchard/workflow.yaml', 'id: orchard\nversion: 1.0.0\n');
    await folder.write('workflows/orchard/activities/02-label.yaml', 'id: label\n');
    const store = openFolders(folder, { updates });
    expect(await store.get('orchard')).toBeUndefined();
    expect(await problemsOf(store)).toEqual([
      'warning INVALID_WORKFLOW orchard orchard/activities/02-label.yaml',
      'error INVALID_WORKFLOW orchard orchard/workflow.yaml',
    ]);
  });

  it('is reported under the name of its folder if it has no id', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/flows/torn/workflow.yaml', 'id: [');
    expect(await problemsOf(openFolders(folder, { updates }))).toEqual([
      'error INVALID_WORKFLOW torn flows/torn/workflow.yaml',
    ]);
  });

  it('is ignored with a warning if there is another workflow file', async () => {
    const folder = await orchard();
    await folder.write('workflows/orchard/workflow.json', '{}');
    const store = openFolders(folder, { updates });
    expect(await idsOf(store)).toEqual(['orchard']);
    expect(await problemsOf(store)).toEqual(['warning INVALID_WORKFLOW orchard orchard/workflow.json']);
    expect(await issueCodesOf(store, 'orchard/workflow.json')).toEqual(['file-name']);
  });

  it('is reported if the reader throws an error', async () => {
    const folder = await orchard();
    await folder.write('workflows/good.json', definition('good'));
    const store = openFolders(folder, {
      updates,
      readFolder: () => Promise.reject(new RangeError(folder.source)),
    });
    expect(await idsOf(store)).toEqual(['good']);
    expect(await issueCodesOf(store, 'orchard/workflow.yaml')).toEqual(['unreadable-file']);
  });
});

describe('a broken part of a workflow', () => {
  it('causes a warning for its own file, and the workflow is served without it', async () => {
    const folder = await orchard();
    await folder.write('workflows/orchard/activities/02-label.yaml', 'id: label\nversion: 1.0.0\nbogus: 1\n');
    const store = openFolders(folder, { updates });
    expect(await problemsOf(store)).toEqual([
      'warning INVALID_WORKFLOW orchard orchard/activities/02-label.yaml',
    ]);
    expect(await activityNames(store, 'orchard')).toEqual(['Name of press']);
    const { problems } = await activitiesOf(store, 'orchard');
    expect(problems).toMatchObject([{ kind: 'activity', id: 'label', file: 'activities/02-label.yaml' }]);
  });

  it.each([
    ['activities/02-label.yaml', 'activity', 'label'],
    ['skills/01-picker.yaml', 'skill', 'picker'],
    ['resources/01-map.md', 'resource', 'map'],
  ])('is left out with a warning if it cannot be decoded: %s', async (file, kind, id) => {
    const folder = await orchard();
    await folder.write(`workflows/orchard/${file}`, new Uint8Array([0xff]));
    const store = openFolders(folder, { updates });
    expect(await problemsOf(store)).toEqual([`warning INVALID_WORKFLOW orchard orchard/${file}`]);
    expect(await issueCodesOf(store, `orchard/${file}`)).toEqual(['unreadable-file']);
    const { problems } = await activitiesOf(store, 'orchard');
    expect(problems).toMatchObject([{ kind, id, file, issues: [{ code: 'unreadable-file' }] }]);
  });

  it('is left out without being read if it is larger than 1 MiB', async () => {
    const folder = await orchard();
    await folder.write('workflows/orchard/resources/02-full.md', 'x'.repeat(1_048_576));
    await folder.write('workflows/orchard/resources/03-huge.md', 'x'.repeat(1_048_577));
    const store = openFolders(folder, { updates });
    expect(await problemsOf(store)).toEqual([
      'warning INVALID_WORKFLOW orchard orchard/resources/03-huge.md',
    ]);
    const { resources } = await activitiesOf(store, 'orchard');
    expect(resources.map(({ name }) => name)).toEqual(['map', 'full']);
  });

  it.skipIf(process.platform === 'win32')(
    'is left out if it is a pipe, without waiting for data',
    async () => {
      const folder = await orchard();
      execFileSync('mkfifo', [folder.path('workflows/orchard/skills/02-pipe.yaml')]);
      const store = openFolders(folder, { updates });
      expect(await idsOf(store)).toEqual(['orchard']);
      expect(await issueCodesOf(store, 'orchard/skills/02-pipe.yaml')).toEqual(['unreadable-file']);
    },
  );
});

describe('a folder that is too large', () => {
  it('is refused if it has 1,001 files or more', async () => {
    const folder = await orchard();
    const write = (n: number): Promise<void> => folder.write(`workflows/orchard/resources/${n}-r.md`, 'r');
    for (let n = 1_000; n < 1_995; n += 1) await write(n);
    const full = openFolders(folder, { updates });
    expect((await activitiesOf(full, 'orchard')).resources).toHaveLength(996);
    await write(1_995);
    const store = openFolders(folder, { updates });
    expect(await problemsOf(store)).toEqual(['error INVALID_WORKFLOW orchard orchard/workflow.yaml']);
    expect(await issueCodesOf(store, 'orchard/workflow.yaml')).toEqual(['beyond-limits']);
  });

  it('is refused if it has more than 16 MiB', async () => {
    const folder = await orchard();
    const write = (n: number): Promise<void> =>
      folder.write(`workflows/orchard/resources/${n}-r.md`, 'r'.repeat(1_048_000));
    for (let n = 10; n < 26; n += 1) await write(n);
    expect(await idsOf(openFolders(folder, { updates }))).toEqual(['orchard']);
    await write(26);
    const store = openFolders(folder, { updates });
    expect(await problemsOf(store)).toEqual(['error INVALID_WORKFLOW orchard orchard/workflow.yaml']);
    expect(await issueCodesOf(store, 'orchard/workflow.yaml')).toEqual(['beyond-limits']);
  });
});
