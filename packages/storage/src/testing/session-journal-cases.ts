import { digestOf } from '@workflowlookup/schema';
import { expect } from 'vitest';
import { emptyJournal, verifyChain } from '../sessions/hash-chain.ts';
import type { JournalEvent, NewSession, SessionWrite } from '../sessions/session-store.ts';
import type { SessionTest } from './session-sample.ts';
import {
  add,
  begin,
  headOf,
  minuteOf2026,
  sampleDefinition,
  sampleEvents,
  sampleSession,
} from './session-sample.ts';

/** The contract for writing sessions and loading them. */
export function sessionWriteCases(it: SessionTest): void {
  it('returns a session as it was stored', async ({ store }) => {
    const head = await begin(store, 's1', { parentSid: 's0', project: '/home/me/project' });
    expect(await store.load('s1')).toEqual({
      session: {
        ...sampleSession('s1', { parentSid: 's0', project: '/home/me/project' }),
        status: 'active',
        ...head,
        createdAt: minuteOf2026(0),
        updatedAt: minuteOf2026(0),
      },
      events: [
        {
          revision: 1,
          at: minuteOf2026(0),
          type: 'started',
          data: { sid: 's1' },
          prevHash: '',
          hash: head.hash,
        },
      ],
    });
  });

  it('returns nothing for a session that does not exist', async ({ store }) => {
    expect(await store.load('s1')).toBeUndefined();
    expect(await store.events('s1')).toEqual([]);
    expect(await store.recorded('s1', 'key')).toBeUndefined();
    expect(await store.append('s1', 1, { events: sampleEvents('s1', { revision: 1, hash: 'h' }, {}) })).toBe(
      false,
    );
  });

  it('stores only the first of two sessions with the same id', async ({ store }) => {
    await begin(store, 's1');
    const events = sampleEvents('s1', emptyJournal, { second: true });
    expect(await store.create(sampleSession('s1', { agent: 'other' }), { events })).toBe(false);
    expect((await store.load('s1'))?.session.agent).toBe('agent-1');
    expect(await store.events('s1')).toHaveLength(1);
  });

  it('refuses a session whose definition is missing', async ({ store }) => {
    const events = sampleEvents('s1', emptyJournal, {});
    const created = store.create(sampleSession('s1', { digest: 'sha256:none' }), { events });
    await expect(created).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.load('s1')).toBeUndefined();
  });

  it('adds several events at once, with their status', async ({ store }) => {
    const first = await begin(store, 's1');
    const head = await add(store, 's1', { head: first, data: [{ n: 2 }, { n: 3 }], status: 'blocked' });
    const loaded = await store.load('s1');
    expect(loaded?.session).toMatchObject({ ...head, status: 'blocked', updatedAt: minuteOf2026(2) });
    expect(loaded?.events.map(({ revision, data }) => [revision, data])).toEqual([
      [1, { sid: 's1' }],
      [2, { n: 2 }],
      [3, { n: 3 }],
    ]);
  });

  it('keeps the status after a write without one', async ({ store }) => {
    const first = await begin(store, 's1', { status: 'blocked' });
    await add(store, 's1', { head: first, data: [{}] });
    expect((await store.load('s1'))?.session.status).toBe('blocked');
  });

  it('stores nothing of a write at an old revision', async ({ store }) => {
    const first = await begin(store, 's1');
    await add(store, 's1', { head: first, data: [{ n: 2 }] });
    const late = { head: first, data: [{ late: true }], command: { key: 'late', result: {} } };
    const early = { head: { revision: 5, hash: 'h' }, data: [{ early: true }] };
    expect(
      await add(store, 's1', { ...late, status: 'completed', snapshot: { revision: 2, state: {} } }),
    ).toBe(undefined);
    expect(await add(store, 's1', early)).toBeUndefined();
    expect(await store.load('s1')).toMatchObject({ session: { revision: 2, status: 'active' } });
    expect(await store.load('s1')).not.toHaveProperty('snapshot');
    expect((await store.events('s1')).map(({ data }) => data)).toEqual([{ sid: 's1' }, { n: 2 }]);
    expect(await store.recorded('s1', 'late')).toBeUndefined();
  });

  it('stores nothing that continues another journal', async ({ store }) => {
    const { revision } = await begin(store, 's1');
    const elsewhere = await begin(store, 's2');
    const other = { revision, hash: elsewhere.hash };
    expect(await add(store, 's1', { head: other, data: [{}] })).toBeUndefined();
    expect(await add(store, 's1', { head: other, data: [{}], status: 'completed' })).toBeUndefined();
    expect(await store.events('s1')).toHaveLength(1);
  });
}

/** The contract for snapshots, events and the results of commands. */
export function sessionJournalCases(it: SessionTest): void {
  it('returns a snapshot with the events after it', async ({ store }) => {
    let head = await begin(store, 's1');
    const state = { place: 'two', list: [1, 'ä', null, { deep: true }] };
    const snapshot = { revision: 2, state };
    head = (await add(store, 's1', { head, data: [{ n: 2 }], snapshot })) ?? head;
    expect(await store.load('s1')).toMatchObject({ snapshot, events: [] });
    head = (await add(store, 's1', { head, data: [{ n: 3 }] })) ?? head;
    const loaded = await store.load('s1');
    expect(loaded?.snapshot).toEqual(snapshot);
    expect(loaded?.events.map(({ revision }) => revision)).toEqual([3]);
    await add(store, 's1', { head, data: [{ n: 4 }], snapshot: { revision: 4, state: {} } });
    expect(await store.load('s1')).toMatchObject({ snapshot: { revision: 4, state: {} }, events: [] });
    expect(await store.events('s1')).toHaveLength(4);
  });

  it('returns events by range', async ({ store }) => {
    const head = await begin(store, 's1');
    await add(store, 's1', { head, data: [{}, {}, {}, {}] });
    const revisions = async (range: { after?: number; limit?: number }): Promise<number[]> =>
      (await store.events('s1', range)).map(({ revision }) => revision);
    expect(await revisions({})).toEqual([1, 2, 3, 4, 5]);
    expect(await revisions({ after: 3 })).toEqual([4, 5]);
    expect(await revisions({ limit: 2 })).toEqual([1, 2]);
    expect(await revisions({ after: 1, limit: 3 })).toEqual([2, 3, 4]);
    expect(await revisions({ after: 5, limit: 3 })).toEqual([]);
    expect(await revisions({ after: 9 })).toEqual([]);
  });

  it('returns any data unchanged, in a valid chain', async ({ store }) => {
    const data = {
      text: 'a\0b \u{1F600} \ud800 " \\ \u2028',
      number: 1.5e300,
      tiny: -1e-7,
      list: [[], {}, null, true],
      ['__proto__']: { polluted: false },
      '': 'empty key',
    };
    await begin(store, 's1').then((head) => add(store, 's1', { head, data: [data] }));
    const events = await store.events('s1');
    expect(events[1]?.data).toEqual(JSON.parse(JSON.stringify(data)));
    expect(verifyChain('s1', events)).toEqual({ ok: true, head: headOf(events) });
  });

  it('records the result of a command with its events', async ({ store }) => {
    const head = await begin(store, 's1');
    const command = { key: 'key-1', result: { text: 'done', list: [1] } };
    const next = await add(store, 's1', { head, data: [{}], command });
    expect(await store.recorded('s1', 'key-1')).toEqual(command.result);
    expect(await store.recorded('s1', 'key-2')).toBeUndefined();
    expect(await store.recorded('s2', 'key-1')).toBeUndefined();
    expect(await store.recorded('s1', 'key-1\0')).toBeUndefined();
    const again = add(store, 's1', { head: next ?? head, data: [{ again: true }], command });
    expect(await again).toBeUndefined();
    expect(await store.events('s1')).toHaveLength(2);
  });

  it('records the result of the command that created a session', async ({ store }) => {
    await store.putDefinition(digestOf(sampleDefinition), sampleDefinition);
    const events = sampleEvents('s1', emptyJournal, {});
    const command = { key: 'start', result: { sid: 's1' } };
    expect(await store.create(sampleSession('s1'), { events, command })).toBe(true);
    expect(await store.recorded('s1', 'start')).toEqual({ sid: 's1' });
  });

  it('does not let callers change stored data', async ({ store }) => {
    const data = { list: [1] };
    const state = { list: [1] };
    const head = await begin(store, 's1');
    await add(store, 's1', { head, data: [data], snapshot: { revision: 2, state } });
    data.list.push(2);
    state.list.push(2);
    expect((await store.events('s1'))[1]?.data).toEqual({ list: [1] });
    expect((await store.load('s1'))?.snapshot?.state).toEqual({ list: [1] });
    const given = (await store.events('s1'))[1]?.data as { list: number[] };
    if (!Object.isFrozen(given.list)) given.list.push(3);
    expect((await store.events('s1'))[1]?.data).toEqual({ list: [1] });
  });
}

const hostileIds = ['', ' ', 'a b', 'a\0b', 's1\0', '\ud800', 'ä', 'x'.repeat(129), 's1\n'];

/** Valid ids that have a special meaning elsewhere. */
const oddIds = ['__proto__', 'constructor', "';DROP-TABLE-sessions;--", '%', '_', '../../x', '"', '$1', '?'];

const [first, second] = sampleEvents('s1', emptyJournal, {}, {}) as [JournalEvent, JournalEvent];

/** Writes whose events are not a hash chain, by what is wrong with them. */
const brokenWrites: Readonly<Record<string, SessionWrite>> = {
  'no event': { events: [] },
  'a missing revision': { events: [first, { ...second, revision: 3 }] },
  'a second event that does not follow the first': { events: [first, { ...second, prevHash: 'other' }] },
  'a time in another format': { events: [{ ...first, at: '2026-01-01' }] },
  'a snapshot ahead of its events': { events: [first], snapshot: { revision: 2, state: {} } },
  'a type with a NUL': { events: [{ ...first, type: 'a\0b' }] },
  'a key with half a surrogate pair': { events: [first], command: { key: '\ud800', result: {} } },
};

const brokenSessions: Readonly<Record<string, Partial<NewSession>>> = {
  'a principal with a NUL': { principal: 'local\0other' },
  'a project with half a surrogate pair': { project: '/home/\udc00' },
};

/** The contract for invalid arguments, and for valid ones that look invalid. */
export function sessionRefusalCases(it: SessionTest): void {
  for (const sid of hostileIds)
    it(`does not accept the session id ${JSON.stringify(sid.slice(0, 20))}`, async ({ store }) => {
      await begin(store, 's1');
      await expect(begin(store, sid)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      expect(await store.load(sid)).toBeUndefined();
      expect(await store.events(sid)).toEqual([]);
      expect(await store.calls(sid)).toEqual([]);
      expect(await store.agents(sid)).toEqual([]);
      expect(await store.delivered(sid, 1)).toEqual([]);
      expect(await store.blobs(sid)).toEqual([]);
      expect(await store.recorded(sid, 'key')).toBeUndefined();
      await store.recordCall(sid, {});
      await store.markDelivered(sid, 1, ['digest']);
      await store.resetDelivered(sid, 1);
      await expect(store.joinAgent(sid, 'agent')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await store.append(sid, 1, { events: [second] })).toBe(false);
    });

  it('accepts unusual but valid ids', async ({ store }) => {
    for (const sid of oddIds) expect(await store.load(sid)).toBeUndefined();
    for (const sid of oddIds) await begin(store, sid);
    for (const sid of oddIds) expect((await store.events(sid))[0]?.data).toEqual({ sid });
    expect((await store.find({})).sessions).toHaveLength(oddIds.length);
  });

  for (const [what, write] of Object.entries(brokenWrites))
    it(`refuses a write with ${what}`, async ({ store }) => {
      await store.putDefinition(digestOf(sampleDefinition), sampleDefinition);
      const created = store.create(sampleSession('s1'), write);
      await expect(created).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      expect(await store.load('s1')).toBeUndefined();
    });

  for (const [what, fields] of Object.entries(brokenSessions))
    it(`refuses a session with ${what}`, async ({ store }) => {
      const begun = begin(store, 's1', fields);
      await expect(begun).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    });

  it('refuses to prune by a time in another format', async ({ store }) => {
    const pruned = store.prune({ before: '2026', statuses: ['completed'] });
    await expect(pruned).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('refuses every call after it was closed, except close', async ({ store }) => {
    await begin(store, 's1');
    await store.close();
    await expect(store.close()).resolves.toBeUndefined();
    const closed = { code: 'STORE_UNAVAILABLE', data: { reason: 'closed' } };
    await expect(store.load('s1')).rejects.toMatchObject(closed);
    await expect(store.counts()).rejects.toMatchObject(closed);
    await expect(store.append('s1', 1, { events: [second] })).rejects.toMatchObject(closed);
    await expect(store.recordCall('s1', {})).rejects.toMatchObject(closed);
    expect(await store.health()).toMatchObject({ ok: false });
  });

  it('can be closed before any other call', async ({ store }) => {
    await expect(store.close()).resolves.toBeUndefined();
  });

  it('reports its health and its last change', async ({ store }) => {
    expect(await store.health()).toMatchObject({ ok: true, lastChange: 0 });
    await begin(store, 's1', { minute: 3 });
    const [change] = await store.changes(0, 10);
    expect(change).toMatchObject({ sid: 's1', revision: 1, at: minuteOf2026(3), type: 'started' });
    expect(await store.health()).toMatchObject({ ok: true, lastChange: change?.cursor });
  });
}
