import { WorkflowError } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import type { JournalEvent, Range, SessionStore } from '../../src/index.ts';
import { auditSession, emptyJournal, sealEvents } from '../../src/journal.ts';

const sealed = sealEvents(
  's1',
  emptyJournal,
  Array.from({ length: 1203 }, (_, at) => ({
    at: '2026-01-01T00:00:00.000Z',
    type: 'happened',
    data: { at },
  })),
);
const row = { sid: 's1', revision: 1203, hash: sealed.at(-1)?.hash ?? '' };

/** Makes a store of these events that refuses to return a damaged one, as a database does. */
function storeOf(events: readonly JournalEvent[], damaged?: number): Pick<SessionStore, 'events'> {
  return {
    events(_sid: string, { after = 0, limit = Infinity }: Range = {}) {
      if (damaged !== undefined && damaged > after && damaged <= after + limit)
        return Promise.reject(
          new WorkflowError('STORE_DAMAGED', 'It is damaged.', { data: { reason: 'corrupt' } }),
        );
      return Promise.resolve(events.slice(after, after + limit));
    },
  };
}

const changed = (at: number): readonly JournalEvent[] =>
  sealed.map((event, index) => (index === at ? { ...event, data: { at: -1 } } : event));

describe('an audit', () => {
  test('confirms an intact journal', async () => {
    const { events, verdict } = await auditSession(storeOf(sealed), row);
    expect(verdict).toEqual({ ok: true, head: { revision: 1203, hash: row.hash } });
    expect(events).toEqual(sealed);
  });

  test.each([
    { what: 'an event that was changed', store: storeOf(changed(700)), brokenAt: 701 },
    { what: 'an event that the store gives out no more', store: storeOf(sealed, 701), brokenAt: 701 },
    { what: 'the first event', store: storeOf(sealed, 1), brokenAt: 1 },
    { what: 'events that are missing at the end', store: storeOf(sealed.slice(0, 1000)), brokenAt: 1001 },
    { what: 'an event that was taken out', store: storeOf(sealed.toSpliced(600, 1)), brokenAt: 601 },
  ])('finds $what, and returns the events before', async ({ store, brokenAt }) => {
    const { events, verdict } = await auditSession(store, row);
    expect(verdict).toEqual({ ok: false, brokenAt });
    expect(events).toEqual(sealed.slice(0, brokenAt - 1));
  });

  test('names the last event if the row of the session has another hash', async () => {
    const { verdict } = await auditSession(storeOf(sealed), { ...row, hash: 'sha256:other' });
    expect(verdict).toEqual({ ok: false, brokenAt: 1203 });
  });

  test('passes on other errors of the store', async () => {
    const failing = {
      events: () => Promise.reject(new WorkflowError('STORE_UNAVAILABLE', 'The disk is gone.')),
    };
    await expect(auditSession(failing, row)).rejects.toThrow('The disk is gone.');
  });
});
