import { expect, it } from 'vitest';
import { createOperator } from '../../src/operator/create-operator.ts';
import type { TestServer } from '../support/test-server.ts';
import { atFetch, fetchManifest, openTestServer } from '../support/test-server.ts';

async function sidOf({ store }: TestServer): Promise<string> {
  const { sessions } = await store.find({});
  return sessions[0]?.sid ?? '';
}

const policy = {
  enforcement: 'advisory',
  minResponseMs: 0,
  gates: 'declared',
  trustElicitation: false,
  humanAnswersWith: () => '',
} as const;

it('An operator for one principal finds no sessions of others', async () => {
  const server = openTestServer();
  await atFetch(server);
  const sid = await sidOf(server);
  const store = () => Promise.resolve(server.store);
  const eve = createOperator({ store, policy, person: 'eve', principal: 'eve' });
  expect(await eve.find({})).toEqual({ sessions: [] });
  expect(await eve.counts()).toEqual({ active: 0, blocked: 0, parked: 0, completed: 0 });
  expect(await eve.summary(sid)).toBeUndefined();
  expect(await eve.events(sid)).toEqual([]);
  const none = { code: 'NOT_FOUND' };
  for (const look of [eve.history, eve.contents, eve.present, eve.verify, eve.abandon])
    await expect(look(sid)).rejects.toMatchObject(none);
  await expect(eve.respond(sid, { mode: { kind: 'auto-advance' } })).rejects.toMatchObject(none);
  await expect(eve.resolve(sid)).rejects.toMatchObject(none);
  await expect(eve.export(sid)[Symbol.asyncIterator]().next()).rejects.toMatchObject(none);
  await expect(eve.prune({ before: '9999-01-01T00:00:00.000Z', statuses: ['active'] })).rejects.toMatchObject(
    {
      code: 'FORBIDDEN',
    },
  );
  expect(await server.person('ana').summary(sid)).toMatchObject({ session: { sid } });
});

it('A submission is checked with the variables of its time, and long outputs are complete', async () => {
  const server = openTestServer();
  const token = await atFetch(server);
  await server.sessions.move(token, {
    manifest: fetchManifest.map((entry, at) => (at === 0 ? { ...entry, output: 'x'.repeat(20_000) } : entry)),
  });
  const { outputs } = await server.person('ana').contents(await sidOf(server));
  expect(outputs[0]?.output).toHaveLength(20_000);
  expect(outputs.map(({ activity }) => activity)).toEqual(fetchManifest.map(() => 'fetch'));
});
