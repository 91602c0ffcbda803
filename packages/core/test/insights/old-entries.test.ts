import { expect, test } from 'vitest';
import { countedSessions, refreshIndex } from '../../src/insights/session-index.ts';
import { openHouse } from '../session-engine/house.ts';
import { activityWorkflow } from '../session/fixtures.ts';

test('entries of an older version are not counted, and come up to date by themselves', async () => {
  const house = openHouse([activityWorkflow([{ id: 'plan' }], { id: 'errand' })]);
  await house.sessions.start({ agentId: 'worker', workflowId: 'errand' });
  const whole = await house.person('ana').insights();
  expect(whole).toMatchObject({ sessions: 1, behind: 0 });
  const { index } = house.store;
  const [entry] = (await index?.select({})) ?? [];
  if (index === undefined || entry === undefined) throw new Error('The store has no entry.');
  // As version 2 derived it.
  const { agents: _agents, version: _version, ...figures } = entry.figures;
  await index.put(2, [{ ...entry, figures, text: '' }]);
  expect(await refreshIndex(house.store, { waitMs: -1 })).toEqual({ behind: 1 });
  expect(await countedSessions(house.store, {})).toEqual([]);
  expect(await house.person('ana').insights()).toEqual(whole);
});
