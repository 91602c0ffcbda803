import { digestOf } from '@workflowlookup/schema';
import { expect } from 'vitest';
import { exportSession, importSession } from '../sessions/exported-session.ts';
import { verifyChain } from '../sessions/hash-chain.ts';
import { createMemorySessionStore } from '../memory.ts';
import type { JournalEvent, SessionStore } from '../sessions/session-store.ts';
import type { SessionTest } from './session-sample.ts';
import { add, begin, bigValue, headOf } from './session-sample.ts';

const future = '2999-01-01T00:00:00.000Z';

/** The contract for calls, definitions and values. */
export function sessionContentCases(it: SessionTest): void {
  it('numbers the calls of each session in order', async ({ store }) => {
    await begin(store, 's1');
    await begin(store, 's2');
    for (let n = 1; n <= 5; n += 1) await store.recordCall('s1', { name: `call ${n}` });
    await store.recordCall('s2', { name: 'other' });
    expect((await store.calls('s1')).map(({ n, call }) => [n, call['name']])).toEqual([
      [1, 'call 1'],
      [2, 'call 2'],
      [3, 'call 3'],
      [4, 'call 4'],
      [5, 'call 5'],
    ]);
    expect(await store.calls('s2')).toEqual([{ n: 1, call: { name: 'other' } }]);
    expect((await store.calls('s1', { after: 1, limit: 2 })).map(({ n }) => n)).toEqual([2, 3]);
    await store.recordCall('s1', { name: 'call 6' });
    expect((await store.calls('s1', { after: 5 })).map(({ n }) => n)).toEqual([6]);
  });

  it('copies a call when it is recorded', async ({ store }) => {
    await begin(store, 's1');
    const call = { name: 'before' };
    await store.recordCall('s1', call);
    call.name = 'after';
    expect((await store.calls('s1'))[0]?.call).toEqual({ name: 'before' });
  });

  it('drops calls and deliveries of a session that does not exist', async ({ store }) => {
    await begin(store, 's1');
    await store.recordCall('gone', {});
    await store.markDelivered('gone', 1, ['digest']);
    await store.recordCall('s1', {});
    expect(await store.calls('gone')).toEqual([]);
    expect(await store.delivered('gone', 1)).toEqual([]);
    expect(await store.calls('s1')).toHaveLength(1);
  });

  it('keeps the first definition with a digest', async ({ store }) => {
    expect(await store.getDefinition('digest')).toBeUndefined();
    await store.putDefinition('digest', { first: true });
    await store.putDefinition('digest', { first: false });
    expect(await store.getDefinition('digest')).toEqual({ first: true });
    expect(await store.getDefinition('digest\0')).toBeUndefined();
  });

  it('replaces a definition without a seal by one with a seal', async ({ store }) => {
    await store.putDefinition('digest', { own: false }, { isUnsealed: true });
    await store.putDefinition('digest', { own: 'neither' }, { isUnsealed: true });
    expect(await store.getDefinition('digest', { isUnsealedToo: true })).toEqual({ own: false });
    await store.putDefinition('digest', { own: true });
    expect(await store.getDefinition('digest')).toEqual({ own: true });
    await store.putDefinition('digest', { own: false }, { isUnsealed: true });
    expect(await store.getDefinition('digest')).toEqual({ own: true });
  });

  it('replaces a definition by the one that is served', async ({ store }) => {
    await store.putDefinition('digest', { own: false });
    await store.putDefinition('digest', { own: true }, { isServed: true });
    expect(await store.getDefinition('digest')).toEqual({ own: true });
    await store.putDefinition('digest', { own: false });
    await store.putDefinition('digest', { own: false }, { isUnsealed: true });
    expect(await store.getDefinition('digest')).toEqual({ own: true });
  });

  it('stores a large value once, under its digest', async ({ store }) => {
    const digest = await store.putBlob(bigValue);
    expect(digest).toBe(digestOf(bigValue));
    expect(await store.putBlob(structuredClone(bigValue))).toBe(digest);
    expect(await store.getBlob(digest)).toEqual(bigValue);
    expect(await store.getBlob('sha256:none')).toBeUndefined();
    for (const value of [null, false, 0, '', [], 'text'])
      expect(await store.getBlob(await store.putBlob(value))).toEqual(value);
  });

  it('knows which values a session refers to', async ({ store }) => {
    let head = await begin(store, 's1');
    const digests = [await store.putBlob('one'), await store.putBlob('two')];
    for (const digest of [...digests, ...digests])
      head = (await add(store, 's1', { head, data: [{ digest }], blobs: [digest] })) ?? head;
    expect(await store.blobs('s1')).toEqual(digests.toSorted());
    expect(await store.blobs('s2')).toEqual([]);
  });

  it('refuses a write that refers to a missing value', async ({ store }) => {
    const head = await begin(store, 's1');
    const write = { head, data: [{}], blobs: ['sha256:none'] };
    await expect(add(store, 's1', write)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.events('s1')).toHaveLength(1);
    expect(await add(store, 's1', { head, data: [{}] })).toMatchObject({ revision: 2 });
  });
}

/** The contract for agents and deliveries. */
export function sessionAgentCases(it: SessionTest): void {
  it('numbers the agents of each session in the order in which they join', async ({ store }) => {
    await begin(store, 's1');
    await begin(store, 's2');
    expect(await store.joinAgent('s1', 'ann')).toBe(1);
    expect(await store.joinAgent('s1', 'bob')).toBe(2);
    expect(await store.joinAgent('s1', 'ann')).toBe(1);
    expect(await store.joinAgent('s2', 'bob')).toBe(1);
    expect(await store.agents('s1')).toEqual(['ann', 'bob']);
    await expect(store.joinAgent('gone', 'ann')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('gives different numbers to agents that join at once', async ({ store }) => {
    await begin(store, 's1');
    const agents = Array.from({ length: 20 }, (_, index) => `agent-${index % 10}`);
    const numbers = await Promise.all(agents.map((agent) => store.joinAgent('s1', agent)));
    expect(new Set(numbers)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    expect(numbers.slice(0, 10)).toEqual(numbers.slice(10));
  });

  it('remembers what was delivered to an agent until it is reset', async ({ store }) => {
    await begin(store, 's1');
    await store.markDelivered('s1', 1, ['b', 'a']);
    await store.markDelivered('s1', 1, ['a', 'c']);
    await store.markDelivered('s1', 2, ['a']);
    expect(await store.delivered('s1', 1)).toEqual(['a', 'b', 'c']);
    await store.resetDelivered('s1', 1);
    expect(await store.delivered('s1', 1)).toEqual([]);
    expect(await store.delivered('s1', 2)).toEqual(['a']);
    await store.markDelivered('s1', 1, ['d']);
    expect(await store.delivered('s1', 1)).toEqual(['d']);
  });
}

export function sessionPruneCases(it: SessionTest): void {
  it('prunes sessions by age and status, with everything that belongs to them', async ({ store }) => {
    const used = await store.putBlob('used');
    const unused = await store.putBlob('unused');
    const old = await begin(store, 'old', { minute: 0 });
    await add(store, 'old', {
      head: old,
      data: [{}],
      status: 'completed',
      command: { key: 'k', result: {} },
    });
    await begin(store, 'young', { minute: 60, status: 'completed' });
    const running = await begin(store, 'running', { minute: 0 });
    await add(store, 'running', { head: running, data: [{}], blobs: [used] });
    await store.recordCall('old', {});
    await store.joinAgent('old', 'ann');
    const before = '2026-01-01T00:30:00.000Z';
    expect(await store.prune({ before, statuses: ['completed'] })).toBe(1);
    expect(await store.load('old')).toBeUndefined();
    expect(await store.calls('old')).toEqual([]);
    expect(await store.agents('old')).toEqual([]);
    expect(await store.recorded('old', 'k')).toBeUndefined();
    expect((await store.changes(0, 10)).map(({ sid }) => sid)).toEqual(['young', 'running', 'running']);
    expect(await store.prune({ before: future, statuses: [] })).toBe(0);
    expect(await store.getBlob(used)).toBe('used');
    expect(await store.getBlob(unused)).toBeUndefined();
    expect(await store.prune({ before: future, statuses: ['active', 'completed'] })).toBe(2);
    expect((await store.find({})).sessions).toEqual([]);
    expect(await store.getBlob(used)).toBeUndefined();
  });

  it('does not prune the ancestors of a running session', async ({ store }) => {
    const done = { status: 'completed' } as const;
    await begin(store, 'root', done);
    await begin(store, 'middle', { ...done, parentSid: 'root' });
    const leaf = await begin(store, 'leaf', { parentSid: 'middle', status: 'blocked' });
    await begin(store, 'other-leaf', { ...done, parentSid: 'root' });
    await begin(store, 'alone', done);
    expect(await store.prune({ before: future, statuses: ['completed'] })).toBe(2);
    expect((await store.find({})).sessions.map(({ sid }) => sid)).toEqual(['root', 'middle', 'leaf']);
    await add(store, 'leaf', { head: leaf, data: [{}], ...done });
    expect(await store.prune({ before: future, statuses: ['completed'] })).toBe(3);
  });

  it('prunes many sessions', async ({ store }) => {
    for (let n = 0; n < 205; n += 1) await begin(store, `s${n}`, { status: 'completed' });
    expect(await store.prune({ before: future, statuses: ['completed'] })).toBe(205);
  });
}

/** The contract for exports, imports and data that outlives a store. */
export function sessionExportCases(it: SessionTest): void {
  it('has the same journals as every other adapter after the same commands', async ({ store }) => {
    const reference = createMemorySessionStore();
    await fill(store);
    await fill(reference);
    for (const sid of ['s1', 's2']) expect(await linesOf(store, sid)).toEqual(await linesOf(reference, sid));
    expect(await store.changes(0, 100)).toEqual(await reference.changes(0, 100));
  });

  it('imports the export of another store, and exports the same again', async ({ store }) => {
    const other = createMemorySessionStore();
    await fill(other);
    const lines = await linesOf(other, 's1');
    const session = await importSession(store, lines);
    expect((await store.load('s1'))?.session).toEqual(session);
    expect(await linesOf(store, 's1')).toEqual(lines);
    expect(await store.getBlob((await store.blobs('s1'))[0] ?? '')).toEqual(bigValue);
    const head = await add(store, 's1', { head: session, data: [{ on: true }] });
    expect(head?.revision).toBe(session.revision + 1);
  });

  it('imports a session only once', async ({ store }) => {
    await fill(store);
    const lines = await linesOf(store, 's1');
    await expect(importSession(store, lines)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('imports nothing from a broken chain', async ({ store }) => {
    const other = createMemorySessionStore();
    await fill(other);
    const lines = (await linesOf(other, 's1')).map((line) => line.replace('"n":2', '"n":3'));
    await expect(importSession(store, lines)).rejects.toMatchObject({ code: 'INVALID_FILE' });
    expect(await store.load('s1')).toBeUndefined();
  });

  it('has the same data after it is reopened', async ({ store, open }) => {
    await fill(store);
    const before = [await linesOf(store, 's1'), await linesOf(store, 's2')];
    await store.markDelivered('s1', 1, ['bundle']);
    await store.recordCall('s2', { last: true });
    await store.close();
    const again = await open();
    expect([await linesOf(again, 's1'), (await linesOf(again, 's2')).length]).toEqual([
      before[0],
      (before[1]?.length ?? 0) + 1,
    ]);
    expect((await again.load('s1'))?.snapshot).toEqual({ revision: 3, state: { n: 3 } });
    expect(await again.recorded('s1', 'key-3')).toEqual({ n: 3 });
    expect(await again.delivered('s1', 1)).toEqual(['bundle']);
  });

  it('sees what another store over the same database has written', async ({ store, open }) => {
    const other = await open();
    const head = await begin(store, 's1');
    expect((await other.load('s1'))?.session.revision).toBe(1);
    await add(other, 's1', { head, data: [{}], command: { key: 'k', result: { ok: true } } });
    expect((await store.load('s1'))?.session.revision).toBe(2);
    expect(await store.recorded('s1', 'k')).toEqual({ ok: true });
  });

  it('returns a verified part of a truncated journal, or reports the damage', async ({
    store,
    open,
    tear,
  }) => {
    let head = await begin(store, 's1');
    for (let n = 2; n <= 40; n += 1)
      head = (await add(store, 's1', { head, data: [{ n, text: 'x'.repeat(500) }] })) ?? head;
    await store.close();
    await tear();
    const again = await open();
    const [outcome] = await Promise.allSettled([again.load('s1')]);
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'STORE_DAMAGED' });
    else expectVerified(outcome.value?.events ?? []);
  });
}

/** Creates a parent and its child session, with one item of each kind. */
async function fill(store: SessionStore): Promise<void> {
  let head = await begin(store, 's1', { project: '/work' });
  const blob = await store.putBlob(bigValue);
  for (const n of [2, 3])
    head =
      (await add(store, 's1', {
        head,
        data: [{ n, blob }],
        snapshot: { revision: n, state: { n } },
        command: { key: `key-${n}`, result: { n } },
        blobs: [blob],
      })) ?? head;
  await begin(store, 's2', { parentSid: 's1', minute: 9, status: 'completed' });
  await store.joinAgent('s1', 'agent-1');
  await store.joinAgent('s1', 'worker');
  await store.recordCall('s1', { name: 'next_activity', ms: 3 });
  await add(store, 's1', { head, data: [{ n: 4 }, { n: 5 }], status: 'completed' });
}

function expectVerified(events: readonly JournalEvent[]): void {
  expect(events).not.toEqual([]);
  expect(verifyChain('s1', events)).toEqual({ ok: true, head: headOf(events) });
}

async function linesOf(store: SessionStore, sid: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportSession(store, sid)) lines.push(line);
  return lines;
}
