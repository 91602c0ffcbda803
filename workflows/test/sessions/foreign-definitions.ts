import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import type { ActivityWorkflow } from '@workflowlookup/schema';
import type { DefinitionProblem } from '@workflowlookup/storage';
import { createFilesStore } from '@workflowlookup/storage/files';
import type { House } from './open-house.ts';
import { openHouse } from './open-house.ts';

/** Activity workflows that are not of this repository, and a house that serves them. */
export interface ForeignDefinitions extends House {
  readonly workflows: readonly ActivityWorkflow[];
  readonly problems: readonly DefinitionProblem[];
}

/** Opens a folder of activity workflows. */
export async function openForeignDefinitions(directory: string): Promise<ForeignDefinitions> {
  const store = createFilesStore({ directory, read: readDefinition, readFolder: readWorkflowFolder });
  const ids = (await store.list()).map(({ id }) => id);
  const workflows = (await Promise.all(ids.map((id) => store.get(id)))).filter(
    (one): one is ActivityWorkflow => one?.kind === 'activities',
  );
  const problems = await store.problems();
  const house = await openHouse(store);
  return {
    ...house,
    workflows,
    problems,
    async close() {
      await house.close();
      await store.close();
    },
  };
}
