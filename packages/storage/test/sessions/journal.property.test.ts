import type { JsonObject } from '@workflowlookup/schema';
import type { JournalEvent } from '@workflowlookup/storage';
import { emptyJournal, sealEvents, verifyChain } from '@workflowlookup/storage/journal';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const drafts = fc.array(
  fc.record({
    at: fc.constant('2026-01-01T00:00:00.000Z'),
    type: fc.string(),
    data: fc.dictionary(fc.string(), fc.jsonValue()).map((data) => data as JsonObject),
  }),
  { minLength: 1, maxLength: 6 },
);

test('A sealed journal can be verified as a whole and in two parts', () => {
  fc.assert(
    fc.property(fc.string(), drafts, fc.nat(), (sid, all, cut) => {
      const events = sealEvents(sid, emptyJournal, all);
      const whole = verifyChain(sid, events);
      expect(whole).toMatchObject({ ok: true, head: { revision: events.length } });
      const first = verifyChain(sid, events.slice(0, cut % events.length));
      expect(first.ok && verifyChain(sid, events.slice(cut % events.length), first.head)).toEqual(whole);
    }),
  );
});

test('A changed journal is broken at the change or at the next event', () => {
  const fields = ['revision', 'at', 'type', 'data', 'prevHash', 'hash'] as const;
  fc.assert(
    fc.property(drafts, fc.nat(), fc.constantFrom(...fields), (all, place, field) => {
      const events = [...sealEvents('s', emptyJournal, all)];
      const index = place % events.length;
      const event = events[index] as JournalEvent;
      const other = field === 'data' ? { ...event.data, more: { data: event.data } } : `${event[field]}x`;
      events[index] = { ...event, [field]: other };
      expect(verifyChain('s', events)).toEqual({ ok: false, brokenAt: index + 1 });
    }),
  );
});
