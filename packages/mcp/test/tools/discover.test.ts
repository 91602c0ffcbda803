import { createMemorySessionStore } from '@workflowlookup/storage/memory';
import { expect, test } from 'vitest';
import { atMix, openBakery } from '../support/bakery.ts';

test('discover shows where each session was started if they were started in different folders', async () => {
  const store = createMemorySessionStore();
  await atMix(await openBakery({}, { store, project: '/bakery' }));
  const mill = await openBakery({}, { store, project: '/mill' });
  mill.pass(1000);
  await atMix(mill);
  const { text } = await (await openBakery({}, { store })).call('discover');
  expect(text).toMatch(/open_sessions\[2\]\{session_id,workflow_id,current_activity,project,updated_at\}/);
  expect(text).toMatch(/bakery,mix,\/mill,[^]*bakery,mix,\/bakery,/);
  expect(text).toMatch(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/);
});
