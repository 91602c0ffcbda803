import { expect, test } from 'vitest';
import { openTestServer } from '../support/test-server.ts';

const yes = { mode: { kind: 'option', option: 'yes' } } as const;

test('An answer of a person that only the client vouches for is counted separately, with its own tag', async () => {
  const server = openTestServer(undefined, { policy: { gates: 'human', trustElicitation: true } });
  const stop = async (): Promise<{ readonly token: string; readonly sid: string }> => {
    const { token: started } = await server.sessions.start({ agentId: 'worker', workflowId: 'errands' });
    const { token: entered } = await server.sessions.move(started, {});
    const { token } = await server.sessions.yield(entered, 'bake-now');
    const { sessions } = await server.store.find({ statuses: ['blocked'] }, { limit: 1 });
    return { token, sid: sessions[0]?.sid ?? '' };
  };
  const elicited = await stop();
  await server.sessions.answer(elicited.token, { ...yes, through: 'elicitation' });
  const known = await stop();
  server.nowMs += 60_000;
  await server.person('ana').respond(known.sid, yes);
  const { people } = await server.person('ana').insights();
  expect(people).toMatchObject([
    { person: 'ana', tag: 'answered-by:ana', sessions: 1 },
    { person: 'human', assurance: 'client', tag: 'answered-by-client:human', sessions: 1 },
  ]);
  expect(people[0]).not.toHaveProperty('assurance');
  const found = await server.person('ana').find({ tags: ['answered-by-client:human'] });
  expect(found.sessions.map(({ sid }) => sid)).toEqual([elicited.sid]);
});
