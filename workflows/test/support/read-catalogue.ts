import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import type { WorkflowSummary } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import { createFilesStore } from '@workflowlookup/storage/files';

/** A line of the catalogue. */
interface CatalogueEntry extends WorkflowSummary {
  readonly kind: 'activities' | 'steps';
  readonly digest: string;
  /** From the directory of the definitions. */
  readonly file: string;
}

/** What the definitions of a directory say of themselves, sorted by id. @throws where one has something wrong */
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
