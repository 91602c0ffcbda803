import type { Folder } from '@workflowlookup/schema';
import type { FilesStore } from '@workflowlookup/storage/files';

/** The folder of an activity workflow, from the last of the stores that has it. */
export async function lendFrom(
  stores: readonly Pick<FilesStore, 'lend'>[],
  workflow: string,
): Promise<Folder | undefined> {
  for (const store of stores.toReversed()) {
    const folder = await store.lend(workflow);
    if (folder !== undefined) return folder;
  }
  return undefined;
}
