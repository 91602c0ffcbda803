import { expect, test } from 'vitest';
import { openHouse } from '../session-engine/house.ts';

const yes = { mode: { kind: 'option', option: 'yes' } } as const;

test('an answer of which only the client says that a person gave it is counted apart, with its own tag', async () => {
  const house = openHouse(undefined, { policy: { gates: 'human', trustElicitation: true } });
  const stop = async (): Promise<{ readonly token: string; readonly sid: string }> => {
    const { token: started } = await house.sessions.start({ agentId: 'worker', workflowId: 'errands' });
    const { token: entered } = await house.sessions.move(started, {});
    const { token } = await house.sessions.yield(entered, 'bake-now');
    const { sessions } = await house.store.find({ statuses: ['blocked'] }, { limit: 1 });
    return { token, sid: sessions[0]?.sid ?? '' };
  };
  const elicited = await stop();
  await house.sessions.answer(elicited.token, { ...yes, through: 'elicitation' });
  const known = await stop();
  house.nowMs += 60_000;
  await house.person('ana').respond(known.sid, yes);
  const { people } = await house.person('ana').insights();
  expect(people).toMatchObject([
    { person: 'ana', tag: 'answered-by:ana', sessions: 1 },
    { person: 'human', assurance: 'client', tag: 'answered-by-client:human', sessions: 1 },
  ]);
  expect(people[0]).not.toHaveProperty('assurance');
  const found = await house.person('ana').find({ tags: ['answered-by-client:human'] });
  expect(found.sessions.map(({ sid }) => sid)).toEqual([elicited.sid]);
});
