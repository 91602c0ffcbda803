import { expect, test } from 'vitest';
import { createOperator } from '../../src/operator/create-operator.ts';
import { openTestServer } from '../support/test-server.ts';

test('A store without an index gives the same insights as one with an index', async () => {
  const server = openTestServer(undefined, { policy: { gates: 'human' } });
  const start = async (agentId: string): Promise<string> => {
    const { token } = await server.sessions.start({ agentId, workflowId: 'errands' });
    server.nowMs += 60_000;
    return (await server.sessions.move(token, {})).token;
  };
  await start('ann');
  const { token } = await server.sessions.yield(await start('bob'), 'bake-now');
  await expect(server.sessions.move(token, { activityId: 'bake' })).rejects.toMatchObject({
    code: 'CHECKPOINT_OPEN',
  });
  const { sessions } = await server.store.find({ statuses: ['blocked'] }, { limit: 1 });
  server.nowMs += 60_000;
  await server.person('ana').respond(sessions[0]?.sid ?? '', { mode: { kind: 'option', option: 'yes' } });

  const { index: _index, ...store } = server.store;
  const operator = createOperator({
    store: () => Promise.resolve(store),
    policy: {
      enforcement: 'advisory',
      minResponseMs: 0,
      gates: 'human',
      trustElicitation: false,
      humanAnswersWith: (sid) => sid,
    },
    person: 'ana',
    now: () => new Date(server.nowMs),
  });
  for (const query of [{}, { workflowId: 'errands' }, { workflowId: 'other' }]) {
    const { behind: _behind, ...counted } = await server.person('ana').insights(query);
    const { behind, ...derived } = await operator.insights(query);
    expect(behind).toBe(0);
    expect(derived).toEqual(counted);
  }
  expect(await operator.insights()).toMatchObject({ sessions: 2, people: [{ person: 'ana', sessions: 1 }] });
});
