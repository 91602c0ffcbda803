import type { DefinitionTexts, FilesStore } from '@workflowlookup/storage/files';

/** The files of an activity workflow as they are now, trusted or not. */
export async function folderTexts(
  { store }: { readonly store: Pick<FilesStore, 'textsOf'> },
  prefix: string,
): Promise<DefinitionTexts | undefined> {
  for (const ending of ['yaml', 'yml', 'json', 'toon']) {
    const found = await store.textsOf(`${prefix}workflow.${ending}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
