import { expect, test } from 'vitest';
import { countedSessions, refreshIndex } from '../../src/insights/session-index.ts';
import { openTestServer } from '../support/test-server.ts';
import { activityWorkflow } from '../support/sessions.ts';

test('Entries of an older version are not counted, and are updated by themselves', async () => {
  const server = openTestServer([activityWorkflow([{ id: 'plan' }], { id: 'errand' })]);
  await server.sessions.start({ agentId: 'worker', workflowId: 'errand' });
  const whole = await server.person('ana').insights();
  expect(whole).toMatchObject({ sessions: 1, behind: 0 });
  const { index } = server.store;
  const [entry] = (await index?.select({})) ?? [];
  if (index === undefined || entry === undefined) throw new Error('The store has no entry.');
  // The entry as version 2 of the index wrote it.
  const { agents: _agents, version: _version, ...figures } = entry.figures;
  await index.put(2, [{ ...entry, figures, text: '' }]);
  expect(await countedSessions(server.store, {})).toEqual([]);
  expect(await refreshIndex(server.store, -1)).toEqual({ behind: 1 });
  expect(await server.person('ana').insights()).toEqual(whole);
});
