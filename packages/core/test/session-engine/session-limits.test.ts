import { expect, it } from 'vitest';
import { refuseBeyondLimits, sessionLimits } from '../../src/session-engine/create-sessions.ts';
import { atFetch, fetchManifest, openTestServer } from '../support/test-server.ts';

const { events, calls } = sessionLimits;

it('refuses only calls that add events when a session has the maximum number of events', async () => {
  const { store } = openTestServer();
  const full = { sid: 'full', revision: events };
  for (const kind of ['move', 'yield', 'park', 'collect'] as const)
    await expect(refuseBeyondLimits(store, full, kind)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      data: { sid: 'full', quota: 'events', limit: events },
    });
  for (const kind of ['answer', 'status', 'present', 'read-trace'] as const)
    await expect(refuseBeyondLimits(store, full, kind)).resolves.toBeUndefined();
  await expect(refuseBeyondLimits(store, { ...full, revision: events - 1 }, 'move')).resolves.toBeUndefined();
});

it('refuses every call of an agent when the trace is full, but no call of a person', async () => {
  const server = openTestServer();
  const { sessions, store } = server;
  const token = await atFetch(server);
  await sessions.move(token, { activityId: 'bake', manifest: fetchManifest }).catch(() => undefined);
  const { value } = await sessions.start({ agentId: 'other', sessionToken: token });
  for (let at = 0; at < calls; at += 1) await store.recordCall(value.sid, { name: 'status' });
  const limit = { code: 'QUOTA_EXCEEDED', data: { quota: 'calls', limit: calls } };
  const codes = new Set<unknown>();
  for (let at = 0; at < 1000; at += 1)
    await sessions.status(token).catch((error: { readonly code?: string }) => codes.add(error.code));
  expect([...codes]).toEqual(['QUOTA_EXCEEDED']);
  const recorded = (await store.calls(value.sid, { after: calls })).length;
  await expect(sessions.status(token)).rejects.toMatchObject(limit);
  await expect(sessions.move(token, {})).rejects.toMatchObject(limit);
  expect((await store.calls(value.sid, { after: calls })).length).toBe(recorded);
  await server.person('ana').abandon(value.sid);
});
