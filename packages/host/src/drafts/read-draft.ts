import type { Jobs } from '@workflowlookup/core';
import { lendFrom } from '../lend-from.ts';
import type { DraftPlace } from './create-drafts.ts';
import { folderTexts } from './folder-texts.ts';
import type { Draft, DraftReading } from './drafts.ts';
import { placeInFolder } from './place-in-folder.ts';

/** What reads drafts, and whose share of the work that is. */
export interface DraftReader {
  readonly jobs: Jobs;
  readonly principal: string;
}

/** Reads a draft as its source would, were it saved. @throws WorkflowError TOO_COSTLY, BUSY */
export async function readDraft(
  places: readonly DraftPlace[],
  { store }: DraftPlace,
  { file, text }: Draft,
  { jobs, principal }: DraftReader,
): Promise<DraftReading> {
  const inFolder = placeInFolder(file);
  if (inFolder === undefined) {
    const format = file.endsWith('.json') ? 'json' : 'yaml';
    return jobs.run('read-draft', { text, format }, { principal });
  }
  const { folder: id, name, prefix } = inFolder;
  // Of a project, the folder is not lent before somebody trusts it; its author may judge it all the same.
  const others =
    (await store.lend(id)) ?? (await folderTexts({ store }, prefix))?.texts ?? new Map<string, string>();
  const files = new Map([...others, [name, text]]);
  const borrow = (other: string): ReturnType<typeof lendFrom> => lendFrom(places, other);
  return jobs.run('read-draft', { files, id, changed: name }, { principal, borrow });
}
