/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */
import { digestOf } from '@workflowlookup/schema';
import { expect } from 'vitest';
import { emptyJournal } from '../sessions/seal-events.ts';
import { verifyChain } from '../sessions/verify-chain.ts';
import type { SessionCase } from './session-case.ts';
import {
  add,
  begin,
  headOf,
  minuteOf2026,
  sampleDefinition,
  sampleEvents,
  sampleSession,
} from './session-sample.ts';

/** What holds for sessions and their journals. */
export const sessionJournalCases: readonly SessionCase[] = [
  {
    title: 'gives a session as it was kept',
    run: async ({ store }) => {
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
    },
  },
  {
    title: 'knows nothing of a session that is not there',
    run: async ({ store }) => {
      expect(await store.load('s1')).toBeUndefined();
      expect(await store.events('s1')).toEqual([]);
      expect(await store.recorded('s1', 'key')).toBeUndefined();
      expect(
        await store.append('s1', 1, { events: sampleEvents('s1', { revision: 1, hash: 'h' }, {}) }),
      ).toBe(false);
    },
  },
  {
    title: 'keeps the first of two sessions with one id',
    run: async ({ store }) => {
      await begin(store, 's1');
      const events = sampleEvents('s1', emptyJournal, { second: true });
      expect(await store.create(sampleSession('s1', { agent: 'other' }), { events })).toBe(false);
      expect((await store.load('s1'))?.session.agent).toBe('agent-1');
      expect(await store.events('s1')).toHaveLength(1);
    },
  },
  {
    title: 'refuses a session whose definition it does not have',
    run: async ({ store }) => {
      const events = sampleEvents('s1', emptyJournal, {});
      const created = store.create(sampleSession('s1', { digest: 'sha256:none' }), { events });
      await expect(created).rejects.toMatchObject({ code: 'STATE' });
      expect(await store.load('s1')).toBeUndefined();
    },
  },
  {
    title: 'adds several events at once, with the status they lead to',
    run: async ({ store }) => {
      const first = await begin(store, 's1');
      const head = await add(store, 's1', { head: first, data: [{ n: 2 }, { n: 3 }], status: 'blocked' });
      const loaded = await store.load('s1');
      expect(loaded?.session).toMatchObject({ ...head, status: 'blocked', updatedAt: minuteOf2026(2) });
      expect(loaded?.events.map(({ revision, data }) => [revision, data])).toEqual([
        [1, { sid: 's1' }],
        [2, { n: 2 }],
        [3, { n: 3 }],
      ]);
    },
  },
  {
    title: 'keeps the status where a write names none',
    run: async ({ store }) => {
      const first = await begin(store, 's1', { status: 'blocked' });
      await add(store, 's1', { head: first, data: [{}] });
      expect((await store.load('s1'))?.session.status).toBe('blocked');
    },
  },
  {
    title: 'keeps nothing of a write whose revision is not the last',
    run: async ({ store }) => {
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
    },
  },
  {
    title: 'keeps nothing that was sealed onto another journal',
    run: async ({ store }) => {
      const { revision } = await begin(store, 's1');
      const elsewhere = await begin(store, 's2');
      const other = { revision, hash: elsewhere.hash };
      expect(await add(store, 's1', { head: other, data: [{}] })).toBeUndefined();
      expect(await add(store, 's1', { head: other, data: [{}], status: 'completed' })).toBeUndefined();
      expect(await store.events('s1')).toHaveLength(1);
    },
  },
  {
    title: 'gives a snapshot with the events after it',
    run: async ({ store }) => {
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
    },
  },
  {
    title: 'gives events by range',
    run: async ({ store }) => {
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
    },
  },
  {
    title: 'gives back any data, and a chain that verifies',
    run: async ({ store }) => {
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
    },
  },
  {
    title: 'records what a command answered, with its events',
    run: async ({ store }) => {
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
    },
  },
  {
    title: 'records what the command that created a session answered',
    run: async ({ store }) => {
      await store.putDefinition(digestOf(sampleDefinition), sampleDefinition);
      const events = sampleEvents('s1', emptyJournal, {});
      const command = { key: 'start', result: { sid: 's1' } };
      expect(await store.create(sampleSession('s1'), { events, command })).toBe(true);
      expect(await store.recorded('s1', 'start')).toEqual({ sid: 's1' });
    },
  },
  {
    title: 'does not let callers change what is kept',
    run: async ({ store }) => {
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
    },
  },
];
