import { readDefinition } from '@workflowlookup/core';
import type { StepWorkflowDefinition } from '@workflowlookup/schema';
import { describeWorkflowStore } from '@workflowlookup/storage/testing';
import { createMapTable } from './map-table.ts';
import { createTableWorkflowStore } from './table-workflow-store.ts';

describeWorkflowStore('A store over a table', async (definitions) => {
  const table = createMapTable();
  const put = async (body: StepWorkflowDefinition): Promise<void> =>
    table.put({ id: body.id, body: JSON.stringify(body) });
  for (const body of definitions) await put(body);
  return {
    store: createTableWorkflowStore(table, readDefinition),
    put,
    remove: async (id) => table.remove(id),
    spoil: async (id) => table.put({ id, body: '{' }),
  };
});
