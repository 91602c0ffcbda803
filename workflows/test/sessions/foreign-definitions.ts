import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import type { ActivityWorkflow } from '@workflowlookup/schema';
import type { DefinitionProblem } from '@workflowlookup/storage';
import { createFilesStore } from '@workflowlookup/storage/files';
import type { TestServer } from './test-server.ts';
import { openTestServer } from './test-server.ts';

/** Activity workflows from outside this repository, and a server for them. */
export interface ForeignDefinitions extends TestServer {
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
  const server = await openTestServer(store);
  return {
    ...server,
    workflows,
    problems,
    async close() {
      await server.close();
      await store.close();
    },
  };
}
