import type { Folder } from '@workflowlookup/schema';
import type { FilesStore } from '@workflowlookup/storage/files';

/** A store that lends the folders of its activity workflows to others. */
export interface Lender {
  readonly store: Pick<FilesStore, 'lend'>;
  /** Present on one that is less trusted than the others: whether its folder may stand in for theirs. */
  readonly mayLendInPlace?: (workflow: string, folder: Folder) => boolean;
}

/** The folder of an activity workflow, from the last of the lenders that has it and may lend it. */
export async function lendFrom(lenders: readonly Lender[], workflow: string): Promise<Folder | undefined> {
  let held: Folder | undefined;
  for (const { store, mayLendInPlace } of lenders.toReversed()) {
    const folder = await store.lend(workflow);
    if (folder === undefined) continue;
    if (mayLendInPlace === undefined || mayLendInPlace(workflow, folder)) return folder;
    // Lent only where no more trusted lender has a folder of this name.
    held ??= folder;
  }
  return held;
}
