/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */
import { digestOf } from '@workflowlookup/schema';
import { expect } from 'vitest';
import type { JournalEvent, NewSession, SessionStore, SessionWrite } from '../session-store.ts';
import { emptyJournal } from '../sessions/seal-events.ts';
import type { SessionCase } from './session-case.ts';
import { begin, minuteOf2026, sampleDefinition, sampleEvents, sampleSession } from './session-sample.ts';

/** Ids that no session may have. */
const hostileIds = ['', ' ', 'a b', 'a\0b', 's1\0', '\ud800', 'ä', 'x'.repeat(129), 's1\n'];

/** Ids a session may have, although they mean something elsewhere. */
const oddIds = ['__proto__', 'constructor', "';DROP-TABLE-sessions;--", '%', '_', '../../x', '"', '$1', '?'];

const [first, second] = sampleEvents('s1', emptyJournal, {}, {}) as [JournalEvent, JournalEvent];

/** Writes that are not one run of sealed events, by what is wrong with them. */
const brokenWrites: Readonly<Record<string, SessionWrite>> = {
  'no event': { events: [] },
  'a revision left out': { events: [first, { ...second, revision: 3 }] },
  'a second event that is not sealed onto the first': { events: [first, { ...second, prevHash: 'other' }] },
  'a time in another form': { events: [{ ...first, at: '2026-01-01' }] },
  'a snapshot ahead of its events': { events: [first], snapshot: { revision: 2, state: {} } },
  'a type with a NUL': { events: [{ ...first, type: 'a\0b' }] },
  'a key with half a surrogate pair': { events: [first], command: { key: '\ud800', result: {} } },
};

const brokenSessions: Readonly<Record<string, Partial<NewSession>>> = {
  'a principal with a NUL': { principal: 'local\0other' },
  'a project with half a surrogate pair': { project: '/home/\udc00' },
};

/** What is refused, and what only looks as if it should be. */
export const sessionRefusalCases: readonly SessionCase[] = [
  ...hostileIds.map((sid) => ({
    title: `has no session ${JSON.stringify(sid.slice(0, 20))}, and takes none`,
    run: async ({ store }: { readonly store: SessionStore }) => {
      await begin(store, 's1');
      await expect(begin(store, sid)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
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
      await expect(store.joinAgent(sid, 'agent')).rejects.toMatchObject({ code: 'STATE' });
      expect(await store.append(sid, 1, { events: [second] })).toBe(false);
    },
  })),
  {
    title: 'takes an odd id as an id',
    run: async ({ store }) => {
      for (const sid of oddIds) expect(await store.load(sid)).toBeUndefined();
      for (const sid of oddIds) await begin(store, sid);
      for (const sid of oddIds) expect((await store.events(sid))[0]?.data).toEqual({ sid });
      expect((await store.find({})).sessions).toHaveLength(oddIds.length);
    },
  },
  ...Object.entries(brokenWrites).map(([what, write]) => ({
    title: `refuses a write with ${what}`,
    run: async ({ store }: { readonly store: SessionStore }) => {
      await store.putDefinition(digestOf(sampleDefinition), sampleDefinition);
      const created = store.create(sampleSession('s1'), write);
      await expect(created).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
      expect(await store.load('s1')).toBeUndefined();
    },
  })),
  ...Object.entries(brokenSessions).map(([what, fields]) => ({
    title: `refuses a session with ${what}`,
    run: async ({ store }: { readonly store: SessionStore }) => {
      const begun = begin(store, 's1', fields);
      await expect(begun).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    },
  })),
  {
    title: 'refuses to prune by a time in another form',
    run: async ({ store }) => {
      const pruned = store.prune({ before: '2026', statuses: ['completed'] });
      await expect(pruned).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    },
  },
  {
    title: 'refuses every call but a second close after it was closed',
    run: async ({ store }) => {
      await begin(store, 's1');
      await store.close();
      await expect(store.close()).resolves.toBeUndefined();
      const closed = { code: 'STORAGE', data: { reason: 'closed' } };
      await expect(store.load('s1')).rejects.toMatchObject(closed);
      await expect(store.counts()).rejects.toMatchObject(closed);
      await expect(store.append('s1', 1, { events: [second] })).rejects.toMatchObject(closed);
      await expect(store.recordCall('s1', {})).rejects.toMatchObject(closed);
      expect(await store.health()).toMatchObject({ ok: false });
    },
  },
  {
    title: 'may be closed before it was asked for anything',
    run: async ({ store }) => {
      await expect(store.close()).resolves.toBeUndefined();
    },
  },
  {
    title: 'says that it is well, and where its last change is',
    run: async ({ store }) => {
      expect(await store.health()).toMatchObject({ ok: true, lastChange: 0 });
      await begin(store, 's1', { minute: 3 });
      const [change] = await store.changes(0, 10);
      expect(change).toMatchObject({ sid: 's1', revision: 1, at: minuteOf2026(3), type: 'started' });
      expect(await store.health()).toMatchObject({ ok: true, lastChange: change?.cursor });
    },
  },
];
