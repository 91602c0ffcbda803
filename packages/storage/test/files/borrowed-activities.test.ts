import { describe, expect, it } from 'vitest';
import { activitiesOf, activityFile, activityNames, openFolders, workflowFile } from './activity-folders.ts';
import { problemsOf } from '../support/files-store.ts';
import { tempFolder } from '../support/temp-folder.ts';

const updates = 'off';

describe('a borrowed activity', () => {
  const borrowing = workflowFile('cidery', 'activities: [orchard/activities/01-press]');

  it('is found in the folder with its name, anywhere in the source', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/deep/orchard/workflow.yaml', workflowFile('orchard'));
    await folder.write('workflows/deep/orchard/activities/01-press.yaml', activityFile('press'));
    await folder.write('workflows/cidery/workflow.yaml', borrowing);
    const store = openFolders(folder, { updates });
    const { activities } = await activitiesOf(store, 'cidery');
    expect(activities).toMatchObject([
      { id: 'press', lender: 'orchard', file: 'orchard/activities/01-press.yaml' },
    ]);
    expect(await store.problems()).toEqual([]);
  });

  it('causes a warning for the borrowing workflow if there is no such folder', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/cidery/workflow.yaml', borrowing);
    await folder.write('workflows/cidery/activities/01-only.yaml', activityFile('only'));
    const store = openFolders(folder, { updates });
    expect(await problemsOf(store)).toEqual(['warning INVALID_WORKFLOW cidery cidery/workflow.yaml']);
    expect((await activitiesOf(store, 'cidery')).problems).toMatchObject([{ id: 'press' }]);
  });

  it('is found in another source if its own does not have it, even if two stores borrow from each other', async () => {
    const here = await tempFolder();
    const there = await tempFolder();
    await here.write('workflows/cidery/workflow.yaml', borrowing);
    await there.write(
      'workflows/orchard/workflow.yaml',
      workflowFile('orchard', 'activities: [cidery/none]'),
    );
    await there.write('workflows/orchard/activities/01-press.yaml', activityFile('press'));
    const lower = openFolders(there, { updates, borrow: (name) => upper.lend(name) });
    const upper = openFolders(here, { updates, borrow: (name) => lower.lend(name) });
    expect(await activityNames(upper, 'cidery')).toEqual(['Name of press']);
    expect(await activityNames(lower, 'orchard')).toEqual(['Name of press']);
  });

  it('is reported as missing if the other source fails', async () => {
    const folder = await tempFolder();
    await folder.write('workflows/cidery/workflow.yaml', borrowing);
    await folder.write('workflows/cidery/activities/01-only.yaml', activityFile('only'));
    const store = openFolders(folder, { updates, borrow: () => Promise.reject(new Error('down')) });
    expect(await problemsOf(store)).toEqual(['warning INVALID_WORKFLOW cidery cidery/workflow.yaml']);
  });
});
