/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */
import { expect } from 'vitest';
import type { JournalHead, SessionChange, SessionStore } from '../session-store.ts';
import { verifyChain } from '../sessions/verify-chain.ts';
import type { SessionCase } from './session-case.ts';
import { add, begin, headOf } from './session-sample.ts';

const writers = 8;
const rounds = 10;

/** What holds when many write at once, through one store or several. */
export const sessionChangeCases: readonly SessionCase[] = [
  {
    title: 'lets exactly one of many writers at one revision win',
    run: ({ store }) => race([store, ...Array.from({ length: writers }, () => store)]),
  },
  {
    title: 'lets exactly one of many stores at one revision win',
    needs: ['open'],
    run: async ({ store, open }) => race([store, await open(), await open(), await open()]),
  },
  {
    title: 'keeps one of many sessions with one id',
    run: async ({ store }) => {
      await begin(store, 'first');
      const tries = await Promise.allSettled(Array.from({ length: writers }, () => begin(store, 's1')));
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    },
  },
  {
    title: 'gives every change once and in order to one who reads while many write',
    run: ({ store }) => watchWhileWriting(store, [store, store, store]),
  },
  {
    title: 'gives every change once and in order while several stores write',
    needs: ['open'],
    run: async ({ store, open }) => watchWhileWriting(store, [await open(), await open(), await open()]),
  },
  {
    title: 'gives changes from a cursor on, oldest first',
    run: async ({ store }) => {
      const head = await begin(store, 's1');
      await begin(store, 's2');
      await add(store, 's1', { head, data: [{}, {}] });
      const all = await store.changes(0, 10);
      expect(all.map(({ sid, revision, type }) => [sid, revision, type])).toEqual([
        ['s1', 1, 'started'],
        ['s2', 1, 'started'],
        ['s1', 2, 'noted'],
        ['s1', 3, 'noted'],
      ]);
      expect(await store.changes(all[1]?.cursor ?? 0, 1)).toEqual([all[2]]);
      expect(await store.changes(all[3]?.cursor ?? 0, 10)).toEqual([]);
    },
  },
  {
    title: 'gives no cursor twice, also after the last change was pruned',
    run: async ({ store }) => {
      await begin(store, 's1', { status: 'completed' });
      const { lastChange } = await store.health();
      await store.prune({ before: '2999-01-01T00:00:00.000Z', statuses: ['completed'] });
      await begin(store, 's2');
      expect((await store.changes(lastChange, 10)).map(({ sid }) => sid)).toEqual(['s2']);
    },
  },
];

async function race(stores: readonly [SessionStore, ...SessionStore[]]): Promise<void> {
  let head = await begin(stores[0], 's1');
  for (let round = 1; round <= rounds; round += 1) {
    const from = head;
    const tries = await Promise.all(
      stores.map((store, writer) => add(store, 's1', { head: from, data: [{ round, writer }] })),
    );
    const won = tries.filter((one) => one !== undefined);
    expect(won).toHaveLength(1);
    head = won[0] ?? from;
  }
  const events = await stores[0].events('s1');
  expect(verifyChain('s1', events)).toEqual({ ok: true, head });
  expect(events.slice(1).map(({ data }) => data['round'])).toEqual(
    Array.from({ length: rounds }, (_, index) => index + 1),
  );
}

async function watchWhileWriting(reader: SessionStore, stores: readonly SessionStore[]): Promise<void> {
  const heads = new Map<string, JournalHead>();
  for (const index of stores.keys()) heads.set(`s${index}`, await begin(reader, `s${index}`));
  let writing = stores.length;
  const writes = stores.map(async (store, index) => {
    const sid = `s${index}`;
    for (let n = 0; n < 30; n += 1) {
      const head = heads.get(sid);
      const next = head && (await add(store, sid, { head, data: [{ n }] }));
      if (next !== undefined) heads.set(sid, next);
    }
    writing -= 1;
  });
  const seen: SessionChange[] = [];
  for (let isLast = false; !isLast;) {
    isLast = writing === 0;
    let page: readonly SessionChange[];
    do {
      page = await reader.changes(seen.at(-1)?.cursor ?? 0, 3);
      seen.push(...page);
    } while (page.length > 0);
    await new Promise(setImmediate);
  }
  await Promise.all(writes);
  expect(seen.map(({ cursor }) => cursor)).toEqual(
    [...new Set(seen.map(({ cursor }) => cursor))].toSorted((a, b) => a - b),
  );
  for (const sid of heads.keys()) {
    const events = await reader.events(sid);
    const changes = seen.filter((change) => change.sid === sid);
    expect(changes.map(({ revision }) => revision)).toEqual(events.map(({ revision }) => revision));
    expect(headOf(events)).toEqual(heads.get(sid));
    expect(events).toHaveLength(31);
  }
}
