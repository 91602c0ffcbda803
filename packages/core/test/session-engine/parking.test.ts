import { describe, expect, it } from 'vitest';
import { statusWord } from '../../src/session/session-state.ts';
import { stateOf } from '../../src/session-engine/open-session.ts';
import { atFetch, fetched, openHouse } from './house.ts';
import type { House } from './house.ts';

const reason = 'The user continues on Monday.';

async function parked(until?: string): Promise<{ house: House; sid: string; token: string }> {
  const house = openHouse();
  const at = await atFetch(house);
  const { token } = await house.sessions.park(at, { reason, ...(until === undefined ? {} : { until }) });
  return { house, sid: await sidIn(house), token };
}

async function sidIn({ store }: House): Promise<string> {
  return (await store.find({})).sessions[0]?.sid ?? '';
}

async function statusIn({ store }: House, sid: string): Promise<string> {
  const loaded = await store.load(sid);
  if (loaded === undefined) throw new Error('no session');
  expect(loaded.session.status).toBe(statusWord(stateOf(loaded)));
  return loaded.session.status;
}

describe('a parked session', () => {
  it('keeps its activity and its variables, and says why it is parked', async () => {
    const house = openHouse();
    const at = await atFetch(house);
    const before = (await house.sessions.status(at)).value;
    const { token } = await house.sessions.park(at, { reason });
    const { value } = await house.sessions.status(token);
    const parkedNow = { by: 'agent', reason, at: '2026-03-01T10:00:00.000Z' };
    expect(value).toEqual({ ...before, status: 'parked', parked: parkedNow });
  });

  it('is resumed by the next move', async () => {
    const { house, sid, token } = await parked();
    expect(await statusIn(house, sid)).toBe('parked');
    await house.sessions.move(token, { manifest: fetched });
    expect(await statusIn(house, sid)).not.toBe('parked');
  });

  it('is resumed by a start with its id or its token, which the journal records', async () => {
    for (const name of ['sid', 'token'] as const) {
      const made = await parked();
      const { house, sid } = made;
      const { token } = await house.sessions.start({ agentId: 'other', sessionToken: made[name] });
      expect(await statusIn(house, sid)).toBe('active');
      const events = await house.store.events(sid);
      expect(events.at(-1)).toMatchObject({ type: 'session-resumed', data: { by: 'agent' } });
      await house.sessions.move(token, { manifest: fetched });
    }
  });

  it('is resumed by a question, and the answer of a person finds it', async () => {
    const house = openHouse(undefined, { policy: { gates: 'human' } });
    const { token } = await house.sessions.park(await atFetch(house), { reason });
    const sid = await sidIn(house);
    await house.sessions.yield(token, 'bake-now');
    expect(await statusIn(house, sid)).toBe('blocked');
    await house.person('ana').respond(sid, { mode: { kind: 'option', option: 'yes' } });
    expect(await statusIn(house, sid)).toBe('active');
  });

  it('stays parked if the move is refused', async () => {
    const house = openHouse(undefined, { policy: { enforcement: 'strict' } });
    const { token } = await house.sessions.park(await atFetch(house), { reason });
    await expect(house.sessions.move(token, {})).rejects.toMatchObject({ code: expect.any(String) });
    expect(await statusIn(house, await sidIn(house))).toBe('parked');
  });

  it('is listed apart from open sessions until its time has come', async () => {
    const { house, sid } = await parked('2026-03-02T09:00:00+01:00');
    const before = await house.sessions.discover();
    expect(before.openSessions).toEqual([]);
    expect(before.parkedSessions).toMatchObject([
      { sid, parked: { reason, until: '2026-03-02T08:00:00.000Z' } },
    ]);
    house.nowMs = Date.parse('2026-03-02T08:00:00Z');
    const after = await house.sessions.discover();
    expect(after.parkedSessions).toEqual([]);
    expect(after.openSessions).toMatchObject([{ sid }]);
  });

  it('answers a repeated call with the first result', async () => {
    const house = openHouse();
    const at = await atFetch(house);
    const first = await house.sessions.park(at, { reason });
    house.nowMs += 60_000;
    expect(await house.sessions.park(at, { reason })).toEqual(first);
  });
});

describe('parking', () => {
  it('is refused while a checkpoint is open, to agents, people and hooks, so that an answer finds its question', async () => {
    const house = openHouse(undefined, { policy: { gates: 'human' } });
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    const sid = await sidIn(house);
    const ana = house.person('ana');
    const { revision } = await ana.present(sid);
    await expect(house.sessions.park(token, { reason })).rejects.toMatchObject({ code: 'CHECKPOINT_OPEN' });
    for (const by of ['human', 'hook'] as const)
      await expect(ana.park(sid, { reason, by })).rejects.toMatchObject({ code: 'CHECKPOINT_OPEN' });
    expect(await statusIn(house, sid)).toBe('blocked');
    const mode = { kind: 'option', option: 'yes' } as const;
    expect(await ana.respond(sid, { mode, revision })).toMatchObject({ checkpoint: 'bake-now' });
  });

  it('takes back no decision of a person', async () => {
    const house = openHouse(undefined, { policy: { gates: 'human' } });
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    const sid = await sidIn(house);
    await house.person('ana').respond(sid, { mode: { kind: 'option', option: 'yes' } });
    const resumed = await house.sessions.resume(token);
    const { token: after } = await house.sessions.park(resumed.token, { reason });
    const write = house.sessions.move(after, { manifest: fetched, variables: { hot: false } });
    await expect(write).rejects.toMatchObject({ code: 'VARIABLE_PROTECTED' });
  });

  it('is refused for a completed session, and for the session of another user', async () => {
    const house = openHouse();
    const token = await atFetch(house);
    const eve = house.elsewhere({ principal: 'eve' });
    await expect(eve.park(token, { reason })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await house.person('ana').abandon(await sidIn(house));
    const { token: newest } = await house.sessions.status(token);
    await expect(house.sessions.park(newest, { reason })).rejects.toMatchObject({
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
  ])('refuses %j', async (request, field) => {
    const house = openHouse();
    await expect(house.sessions.park(await atFetch(house), request)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      data: { field },
    });
  });

  it('by a person or a hook is recorded as theirs, and a person can end it', async () => {
    const house = openHouse();
    await atFetch(house);
    const sid = await sidIn(house);
    const ana = house.person('ana');
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
