/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */
import { expect } from 'vitest';
import type { JournalEvent, SessionStore } from '../sessions/session-store.ts';
import { exportSession } from '../sessions/export-session.ts';
import { importSession } from '../sessions/import-session.ts';
import { createMemorySessionStore } from '../sessions/memory-session-store.ts';
import { verifyChain } from '../sessions/hash-chain.ts';
import type { SessionCase } from './session-sample.ts';
import { add, begin, bigValue, headOf } from './session-sample.ts';

/** The contract for exports, imports and data that outlives a store. */
export const sessionExportCases: readonly SessionCase[] = [
  {
    title: 'has the same journals as every other adapter after the same commands',
    run: async ({ store }) => {
      const reference = createMemorySessionStore();
      await fill(store);
      await fill(reference);
      for (const sid of ['s1', 's2'])
        expect(await linesOf(store, sid)).toEqual(await linesOf(reference, sid));
      expect(await store.changes(0, 100)).toEqual(await reference.changes(0, 100));
    },
  },
  {
    title: 'imports the export of another store, and exports the same again',
    run: async ({ store }) => {
      const other = createMemorySessionStore();
      await fill(other);
      const lines = await linesOf(other, 's1');
      const session = await importSession(store, lines);
      expect((await store.load('s1'))?.session).toEqual(session);
      expect(await linesOf(store, 's1')).toEqual(lines);
      expect(await store.getBlob((await store.blobs('s1'))[0] ?? '')).toEqual(bigValue);
      const head = await add(store, 's1', { head: session, data: [{ on: true }] });
      expect(head?.revision).toBe(session.revision + 1);
    },
  },
  {
    title: 'imports a session only once',
    run: async ({ store }) => {
      await fill(store);
      const lines = await linesOf(store, 's1');
      await expect(importSession(store, lines)).rejects.toMatchObject({ code: 'CONFLICT' });
    },
  },
  {
    title: 'imports nothing from a broken chain',
    run: async ({ store }) => {
      const other = createMemorySessionStore();
      await fill(other);
      const lines = (await linesOf(other, 's1')).map((line) => line.replace('"n":2', '"n":3'));
      await expect(importSession(store, lines)).rejects.toMatchObject({ code: 'INVALID_FILE' });
      expect(await store.load('s1')).toBeUndefined();
    },
  },
  {
    title: 'has the same data after it is reopened',
    needs: ['open'],
    run: async ({ store, open }) => {
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
    },
  },
  {
    title: 'sees what another store over the same database has written',
    needs: ['open'],
    run: async ({ store, open }) => {
      const other = await open();
      const head = await begin(store, 's1');
      expect((await other.load('s1'))?.session.revision).toBe(1);
      await add(other, 's1', { head, data: [{}], command: { key: 'k', result: { ok: true } } });
      expect((await store.load('s1'))?.session.revision).toBe(2);
      expect(await store.recorded('s1', 'k')).toEqual({ ok: true });
    },
  },
  {
    title: 'returns a verified part of a truncated journal, or reports the damage',
    needs: ['open', 'tear'],
    run: async ({ store, open, tear }) => {
      let head = await begin(store, 's1');
      for (let n = 2; n <= 40; n += 1)
        head = (await add(store, 's1', { head, data: [{ n, text: 'x'.repeat(500) }] })) ?? head;
      await store.close();
      await tear();
      const again = await open();
      const [outcome] = await Promise.allSettled([again.load('s1')]);
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'STORE_DAMAGED' });
      else expectVerified(outcome.value?.events ?? []);
    },
  },
];

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
