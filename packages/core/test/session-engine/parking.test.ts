import { describe, expect, it } from 'vitest';
import { statusWord } from '../../src/session/session-state.ts';
import { stateOf } from '../../src/session-engine/open-session.ts';
import { atFetch, fetchManifest, openTestServer } from '../support/test-server.ts';
import type { TestServer } from '../support/test-server.ts';

const reason = 'The user continues on Monday.';

async function parked(until?: string): Promise<{ server: TestServer; sid: string; token: string }> {
  const server = openTestServer();
  const at = await atFetch(server);
  const { token } = await server.sessions.park(at, { reason, ...(until === undefined ? {} : { until }) });
  return { server, sid: await sidIn(server), token };
}

async function sidIn({ store }: TestServer): Promise<string> {
  return (await store.find({})).sessions[0]?.sid ?? '';
}

async function statusIn({ store }: TestServer, sid: string): Promise<string> {
  const loaded = await store.load(sid);
  if (loaded === undefined) throw new Error('There is no session');
  expect(loaded.session.status).toBe(statusWord(stateOf(loaded)));
  return loaded.session.status;
}

describe('a parked session', () => {
  it('keeps its activity and its variables, and says why it is parked', async () => {
    const server = openTestServer();
    const at = await atFetch(server);
    const before = (await server.sessions.status(at)).value;
    const { token } = await server.sessions.park(at, { reason });
    const { value } = await server.sessions.status(token);
    const parkedNow = { by: 'agent', reason, at: '2026-03-01T10:00:00.000Z' };
    expect(value).toEqual({ ...before, status: 'parked', parked: parkedNow });
  });

  it('is resumed by the next move', async () => {
    const { server, sid, token } = await parked();
    expect(await statusIn(server, sid)).toBe('parked');
    await server.sessions.move(token, { manifest: fetchManifest });
    expect(await statusIn(server, sid)).not.toBe('parked');
  });

  it('is resumed by a start with its id or its token, which the journal records', async () => {
    for (const name of ['sid', 'token'] as const) {
      const made = await parked();
      const { server, sid } = made;
      const { token } = await server.sessions.start({ agentId: 'other', sessionToken: made[name] });
      expect(await statusIn(server, sid)).toBe('active');
      const events = await server.store.events(sid);
      expect(events.at(-1)).toMatchObject({ type: 'session-resumed', data: { by: 'agent' } });
      await server.sessions.move(token, { manifest: fetchManifest });
    }
  });

  it('is resumed by a checkpoint, and accepts the answer of a person', async () => {
    const server = openTestServer(undefined, { policy: { gates: 'human' } });
    const { token } = await server.sessions.park(await atFetch(server), { reason });
    const sid = await sidIn(server);
    await server.sessions.yield(token, 'bake-now');
    expect(await statusIn(server, sid)).toBe('blocked');
    await server.person('ana').respond(sid, { mode: { kind: 'option', option: 'yes' } });
    expect(await statusIn(server, sid)).toBe('active');
  });

  it('stays parked if the move is refused', async () => {
    const server = openTestServer(undefined, { policy: { enforcement: 'strict' } });
    const { token } = await server.sessions.park(await atFetch(server), { reason });
    await expect(server.sessions.move(token, {})).rejects.toMatchObject({ code: expect.any(String) });
    expect(await statusIn(server, await sidIn(server))).toBe('parked');
  });

  it('is listed separately from open sessions until its date', async () => {
    const { server, sid } = await parked('2026-03-02T09:00:00+01:00');
    const before = await server.sessions.discover();
    expect(before.openSessions).toEqual([]);
    expect(before.parkedSessions).toMatchObject([
      { sid, parked: { reason, until: '2026-03-02T08:00:00.000Z' } },
    ]);
    server.nowMs = Date.parse('2026-03-02T08:00:00Z');
    const after = await server.sessions.discover();
    expect(after.parkedSessions).toEqual([]);
    expect(after.openSessions).toMatchObject([{ sid }]);
  });

  it('answers a repeated call with the first result', async () => {
    const server = openTestServer();
    const at = await atFetch(server);
    const first = await server.sessions.park(at, { reason });
    server.nowMs += 60_000;
    expect(await server.sessions.park(at, { reason })).toEqual(first);
  });
});

describe('parking', () => {
  it('is refused to agents, people and hooks while a checkpoint is open, so that it can be answered', async () => {
    const server = openTestServer(undefined, { policy: { gates: 'human' } });
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    const sid = await sidIn(server);
    const ana = server.person('ana');
    const { revision } = await ana.present(sid);
    await expect(server.sessions.park(token, { reason })).rejects.toMatchObject({ code: 'CHECKPOINT_OPEN' });
    for (const by of ['human', 'hook'] as const)
      await expect(ana.park(sid, { reason, by })).rejects.toMatchObject({ code: 'CHECKPOINT_OPEN' });
    expect(await statusIn(server, sid)).toBe('blocked');
    const mode = { kind: 'option', option: 'yes' } as const;
    expect(await ana.respond(sid, { mode, revision })).toMatchObject({ checkpoint: 'bake-now' });
  });

  it('keeps the decisions of people', async () => {
    const server = openTestServer(undefined, { policy: { gates: 'human' } });
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    const sid = await sidIn(server);
    await server.person('ana').respond(sid, { mode: { kind: 'option', option: 'yes' } });
    const resumed = await server.sessions.resume(token);
    const { token: after } = await server.sessions.park(resumed.token, { reason });
    const write = server.sessions.move(after, { manifest: fetchManifest, variables: { hot: false } });
    await expect(write).rejects.toMatchObject({ code: 'VARIABLE_PROTECTED' });
  });

  it('is refused for a completed session, and for the session of another user', async () => {
    const server = openTestServer();
    const token = await atFetch(server);
    const eve = server.sessionsFor({ principal: 'eve' });
    await expect(eve.park(token, { reason })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await server.person('ana').abandon(await sidIn(server));
    const { token: newest } = await server.sessions.status(token);
    await expect(server.sessions.park(newest, { reason })).rejects.toMatchObject({
      code: 'SESSION_COMPLETED',
    });
  });

  it.each([
    [{ reason: '  ' }, 'reason'],
    [{ reason: 'x'.repeat(501) }, 'reason'],
    [{ reason: 'wait\u202E' }, 'reason'],
    [{ reason, until: 'tomorrow' }, 'until'],
    [{ reason, until: '2026-03-09' }, 'until'],
    [{ reason, until: '2026-02-28T10:00:00Z' }, 'until'],
    [{ reason, until: '2026-13-40T10:00:00Z' }, 'until'],
  ])('refuses the request %j', async (request, field) => {
    const server = openTestServer();
    await expect(server.sessions.park(await atFetch(server), request)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      data: { field },
    });
  });

  it('is recorded with the person or hook that did it, and a person can end it', async () => {
    const server = openTestServer();
    await atFetch(server);
    const sid = await sidIn(server);
    const ana = server.person('ana');
    await ana.park(sid, { reason });
    expect((await ana.summary(sid))?.parked).toMatchObject({ by: 'human', person: 'ana', reason });
    await ana.unpark(sid);
    expect((await ana.summary(sid))?.parked).toBeUndefined();
    await expect(ana.unpark(sid)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await ana.park(sid, { reason, by: 'hook' });
    const parkedByHook = (await ana.history(sid)).parked;
    expect(parkedByHook).toMatchObject({ by: 'hook' });
    expect(parkedByHook).not.toHaveProperty('person');
  });
});
