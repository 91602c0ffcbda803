/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */
import { expect } from 'vitest';
import type { SessionQuery, SessionStore } from '../session-store.ts';
import type { SessionCase } from './session-case.ts';
import { add, begin, minuteOf2026 } from './session-sample.ts';

const queries: readonly (readonly [what: string, query: SessionQuery, sids: readonly string[]])[] = [
  ['everything, newest first', {}, ['s5', 's4', 's3', 's2', 's1']],
  ['by workflow', { workflowId: 'deploy' }, ['s3', 's2']],
  ['by status', { statuses: ['blocked', 'completed'] }, ['s4', 's3']],
  ['nothing by no status', { statuses: [] }, []],
  ['by principal', { principal: 'ann' }, ['s4', 's1']],
  ['by agent', { agent: 'agent-2' }, ['s5']],
  ['by parent', { parentSid: 's1' }, ['s3', 's2']],
  ['by project', { project: '/projects/Tax' }, ['s5']],
  ['by text in a project, whatever its case', { text: 'tAX' }, ['s5']],
  ['by text in a workflow', { text: 'PLOY' }, ['s3', 's2']],
  ['by text that is no pattern', { text: '%' }, []],
  ['by letters beyond A to Z as they are', { text: 'É' }, ['s4']],
  ['by age', { updatedBefore: minuteOf2026(30) }, ['s2', 's1']],
  ['by youth', { updatedSince: minuteOf2026(30) }, ['s5', 's4', 's3']],
  ['by all of them', { principal: 'ann', statuses: ['active'], text: 's1' }, ['s1']],
  ['by a row that is of the last event', { isAtEnd: true, agent: 'agent-2' }, ['s5']],
  ['nothing by a row that is not of the last event', { isAtEnd: false }, []],
  ['nothing by an unknown name', { principal: 'eve' }, []],
];

/** What holds for the sessions that are found. */
export const sessionFindCases: readonly SessionCase[] = [
  ...queries.map(([what, query, sids]) => ({
    title: `finds ${what}`,
    run: async ({ store }: { readonly store: SessionStore }) => {
      await fill(store);
      expect(await found(store, query)).toEqual(sids);
    },
  })),
  {
    title: 'counts sessions by status, from none on, as they move',
    run: async ({ store }) => {
      expect(await store.counts()).toEqual({ active: 0, blocked: 0, completed: 0 });
      await fill(store);
      expect(await store.counts()).toEqual({ active: 3, blocked: 1, completed: 1 });
      expect(await store.counts('ann')).toEqual({ active: 1, blocked: 0, completed: 1 });
      expect(await store.counts('eve')).toEqual({ active: 0, blocked: 0, completed: 0 });
      const head = await begin(store, 's6');
      await add(store, 's6', { head, data: [{}], status: 'completed' });
      expect(await store.counts()).toEqual({ active: 3, blocked: 1, completed: 2 });
      await store.prune({ before: minuteOf2026(59), statuses: ['completed'] });
      expect(await store.counts()).toEqual({ active: 3, blocked: 1, completed: 0 });
    },
  },
  {
    title: 'puts a session that was written to in front',
    run: async ({ store }) => {
      const head = await begin(store, 's1', { minute: 0 });
      await begin(store, 's2', { minute: 0 });
      expect(await found(store, {})).toEqual(['s2', 's1']);
      await add(store, 's1', { head, data: [{}] });
      expect(await found(store, {})).toEqual(['s1', 's2']);
    },
  },
  {
    title: 'gives every session once, page by page, also those of one moment',
    run: async ({ store }) => {
      const sids = Array.from({ length: 23 }, (_, index) => `s${index + 10}`);
      for (const [index, sid] of sids.entries()) await begin(store, sid, { minute: Math.floor(index / 5) });
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await store.find({}, { limit: 4, ...(cursor !== undefined && { cursor }) });
        pages.push(page.sessions.map(({ sid }) => sid));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(pages.flat()).toEqual(sids.toReversed());
      expect(pages.map(({ length }) => length)).toEqual([4, 4, 4, 4, 4, 3]);
    },
  },
  {
    title: 'has no next page where the last one is full',
    run: async ({ store }) => {
      await begin(store, 's1');
      await begin(store, 's2');
      expect(await store.find({}, { limit: 2 })).not.toHaveProperty('next');
      expect(await store.find({}, { limit: 1 })).toHaveProperty('next');
    },
  },
  {
    title: 'refuses a cursor it did not give and a page without an end',
    run: async ({ store }) => {
      const refused = { code: 'INVALID_PARAMS' };
      for (const cursor of ['', 'x', '2026-01-01T00:00:00.000Z/a b', 'null'])
        await expect(store.find({}, { cursor })).rejects.toMatchObject(refused);
      for (const limit of [0, -1, 1.5, 1_001, Infinity])
        await expect(store.find({}, { limit })).rejects.toMatchObject(refused);
    },
  },
];

async function fill(store: SessionStore): Promise<void> {
  await begin(store, 's1', { minute: 10, principal: 'ann' });
  await begin(store, 's2', { minute: 20, workflowId: 'deploy', parentSid: 's1' });
  await begin(store, 's3', { minute: 30, workflowId: 'deploy', parentSid: 's1', status: 'blocked' });
  await begin(store, 's4', { minute: 40, principal: 'ann', status: 'completed', agent: 'André-É' });
  await begin(store, 's5', { minute: 50, agent: 'agent-2', project: '/projects/Tax' });
}

async function found(store: SessionStore, query: SessionQuery): Promise<string[]> {
  return (await store.find(query)).sessions.map(({ sid }) => sid);
}
