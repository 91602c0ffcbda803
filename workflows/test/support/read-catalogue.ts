import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import type { WorkflowSummary } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import { createFilesStore } from '@workflowlookup/storage/files';

/** An entry of the catalogue. */
interface CatalogueEntry extends WorkflowSummary {
  readonly kind: 'activities' | 'steps';
  readonly digest: string;
  /** The file, relative to the directory of the definitions. */
  readonly file: string;
}

/** Returns the catalogue entries of the definitions in a directory, sorted by id. @throws if one has an error or warning */
export async function readCatalogue(directory: string): Promise<readonly CatalogueEntry[]> {
  const readers = { read: readDefinition, readFolder: readWorkflowFolder };
  const store = createFilesStore({ directory, ...readers, updates: 'off', warnings: true });
  const [first] = await store.problems();
  if (first !== undefined) throw new Error(`${first.file}: ${first.issues[0]?.message ?? first.code}`);
  const ids = (await store.list()).map(({ id }) => id);
  return Promise.all(
    ids.map(async (id) => {
      const [workflow, file] = await Promise.all([store.get(id), store.fileOf(id)]);
      if (workflow === undefined || file === undefined) throw new Error(`'${id}' is not served`);
      return { ...summarize(workflow), kind: workflow.kind, digest: workflow.digest, file };
    }),
  );
}
