import { expect } from 'vitest';
import type { IndexEntry, SessionIndex, SessionQuery, SessionStore } from '../sessions/session-store.ts';
import type { SessionCase } from './session-sample.ts';
import { add, begin, minuteOf2026 } from './session-sample.ts';

/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */

const version = 1;

/** Cases for stores that keep an index. */
export const sessionIndexCases: readonly SessionCase[] = [
  {
    title: 'reports a session as outdated until it has an entry for all events and calls',
    needs: ['index'],
    run: async ({ store }) => {
      const index = indexOf(store);
      expect(await index.outdated(version, 10)).toEqual([]);
      const head = await begin(store, 's1', { minute: 0 });
      await begin(store, 's2', { minute: 1 });
      expect(await sidsOf(index)).toEqual(['s2', 's1']);
      expect(await sidsOf(index, 1)).toEqual(['s2']);
      await putAll(index);
      expect(await sidsOf(index)).toEqual([]);
      await add(store, 's1', { head, data: [{}] });
      expect(await sidsOf(index)).toEqual(['s1']);
      await putAll(index);
      await store.recordCall('s2', { name: 'move' });
      // The write of a call may be delayed until it is read.
      await store.calls('s2');
      expect(await sidsOf(index)).toEqual(['s2']);
      await putAll(index);
      expect(await sidsOf(index)).toEqual([]);
      expect((await index.outdated(version + 1, 10)).map(({ sid }) => sid)).toEqual(['s2', 's1']);
    },
  },
  {
    title: 'returns entries as they were stored, the latest one for each session',
    needs: ['index'],
    run: async ({ store }) => {
      const index = indexOf(store);
      await begin(store, 's1');
      const first = entry('s1', { title: 'Erste “Fassung” 🙂', figures: { nested: { list: [1, null] } } });
      await index.put(version, [first]);
      const { text: _text, ...shown } = first;
      expect(await index.entries(['s1', 's2'])).toEqual([shown]);
      await index.put(version, [entry('s1', { title: 'Second' }), entry('gone')]);
      expect(await index.entries(['s1', 'gone'])).toMatchObject([{ sid: 's1', title: 'Second', tags: [] }]);
      expect(await index.entries([])).toEqual([]);
    },
  },
  {
    title: 'finds sessions by words of their entry and by tags',
    needs: ['index'],
    run: async ({ store }) => {
      const index = indexOf(store);
      for (const sid of ['s1', 's2', 's3']) await begin(store, sid, { agent: `agent-of-${sid}` });
      await index.put(version, [
        entry('s1', { text: 'fix the lügen parser\n100% done', tags: ['outcome:merged', 'in:merge'] }),
        entry('s2', { text: 'fix the lexer', tags: ['outcome:merged twice'] }),
      ]);
      const expected: readonly (readonly [SessionQuery, readonly string[]])[] = [
        [{ search: 'fix' }, ['s2', 's1']],
        [{ search: '  LÜGEN fix ' }, ['s1']],
        [{ search: 'fix agent-of-s2' }, ['s2']],
        [{ search: '100% done' }, ['s1']],
        [{ search: '_' }, []],
        [{ tags: ['outcome:merged'] }, ['s1']],
        [{ tags: ['outcome:merged', 'in:merge'] }, ['s1']],
        [{ tags: ['outcome:merged', 'in:plan'] }, []],
        [{ tags: [], search: '' }, ['s3', 's2', 's1']],
      ];
      for (const [query, sids] of expected) {
        expect((await store.find(query)).sessions.map(({ sid }) => sid)).toEqual(sids);
        const selected = await index.select(query);
        expect(selected.map(({ sid }) => sid).toSorted()).toEqual(
          sids.filter((sid) => sid !== 's3').toSorted(),
        );
      }
    },
  },
  {
    title: 'deletes the entry with its session',
    needs: ['index'],
    run: async ({ store }) => {
      const index = indexOf(store);
      await begin(store, 's1', { status: 'completed' });
      await putAll(index);
      await store.prune({ before: minuteOf2026(59), statuses: ['completed'] });
      expect(await index.entries(['s1'])).toEqual([]);
      expect(await index.select({})).toEqual([]);
    },
  },
];

function indexOf({ index }: SessionStore): SessionIndex {
  if (index === undefined) throw new Error('the store has no index');
  return index;
}

function entry(sid: string, more: Partial<IndexEntry> = {}): IndexEntry {
  return { sid, revision: 1, calls: 0, title: '', outcome: '', text: '', tags: [], figures: {}, ...more };
}

async function sidsOf(index: SessionIndex, limit = 10): Promise<readonly string[]> {
  return (await index.outdated(version, limit)).map(({ sid }) => sid);
}

async function putAll(index: SessionIndex): Promise<void> {
  await index.put(
    version,
    (await index.outdated(version, 10)).map((gap) => entry(gap.sid, gap)),
  );
}
