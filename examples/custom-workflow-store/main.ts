// This program serves workflows from a table of its own. A changed row is served from the next call on.
import assert from 'node:assert/strict';
import { createEngine, readDefinition } from '@workflowlookup/core';
import { createMapTable } from './map-table.ts';
import { createTableWorkflowStore } from './table-workflow-store.ts';

const table = createMapTable();
const engine = createEngine({ workflows: createTableWorkflowStore(table, readDefinition) });
const changes: string[] = [];
engine.watch((change) => changes.push(...change));

const standup = {
  id: 'standup',
  name: 'Stand-up',
  description: 'Say what is in the way.',
  version: '1.0.0',
  steps: [{ id: 'say-it', title: 'Say it', prompt: 'Say what is in the way.' }],
};
table.put({ id: 'standup', body: JSON.stringify(standup) });
table.put({ id: 'broken', body: '{ "id": "broken" }' });

const { workflows, problems = [] } = await engine.list();
const { step } = await engine.next({ workflowId: 'standup', completedSteps: [] });
await engine.close();

assert.deepEqual(
  workflows.map(({ id }) => id),
  ['standup'],
);
assert.deepEqual(
  problems.map(({ id }) => id),
  ['broken'],
);
assert.equal(step?.id, 'say-it');
assert.deepEqual(changes, ['standup', 'broken']);
console.log(`Served: ${workflows[0]?.name}. Not served: ${problems[0]?.issues[0]?.message}.`);
