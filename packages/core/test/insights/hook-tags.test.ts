import { expect, test } from 'vitest';
import type { CountedAct } from '../../src/insights/insights.ts';
import { createOperator } from '../../src/operator/create-operator.ts';
import { openTestServer } from '../support/test-server.ts';
import { activityWorkflow } from '../support/sessions.ts';

test('The tag of a hook leads to the sessions that it acted on', async () => {
  const { sessions, store } = openTestServer([activityWorkflow([{ id: 'plan' }], { id: 'errand' })]);
  const start = async (agentId: string): Promise<string> =>
    (await sessions.start({ agentId, workflowId: 'errand' })).value.sid;
  const [ann, bob] = [await start('ann'), await start('bob')];
  const at = '2026-03-01T10:00:00.000Z';
  const acts: readonly CountedAct[] = [
    { at, rule: 'stop', act: 'blocked', sid: ann },
    { at, rule: 'stop', act: 'blocked', sid: ann },
    { at, rule: 'stop', act: 'blocked' },
    { at, rule: 'stop', act: 'blocked', sid: 'no\0session' },
    { at, rule: 'stop', act: 'parked', sid: ann },
    { at, rule: 'stop', act: 'parked', sid: bob },
  ];
  const operator = createOperator({
    store: () => Promise.resolve(store),
    policy: {
      enforcement: 'advisory',
      minResponseMs: 0,
      gates: 'declared',
      trustElicitation: false,
      humanAnswersWith: (sid) => sid,
    },
    person: 'ana',
    hookActs: () => acts,
  });
  const { hooks } = await operator.insights();
  const led = await Promise.all(
    hooks.map(async ({ action, tag, sessions: count }) => {
      const found = await operator.find({ tags: [tag] });
      return { action, count, sids: found.sessions.map(({ sid }) => sid).toSorted() };
    }),
  );
  expect(led).toEqual([
    { action: 'stop: blocked', count: 1, sids: [ann] },
    { action: 'stop: parked', count: 2, sids: [ann, bob].toSorted() },
  ]);
  const both = await operator.find({ tags: hooks.map(({ tag }) => tag) });
  expect(both.sessions.map(({ sid }) => sid)).toEqual([ann]);
  expect((await operator.find({ tags: ['hook:stop: released'] })).sessions).toEqual([]);
});
