import type { JsonObject } from '@workflowlookup/schema';
import type { JournalEvent } from '@workflowlookup/storage';
import {
  emptyJournal,
  exportSession,
  importSession,
  readExport,
  sealEvents,
  verifyChain,
} from '@workflowlookup/storage/journal';
import { hashEvent } from '../../src/sessions/hash-chain.ts';
import { createMemorySessionStore } from '@workflowlookup/storage/memory';
import { describe, expect, it } from 'vitest';
import { push, start } from '../support/sessions.ts';

const at = '2026-01-01T00:00:00.000Z';

describe('sealEvents', () => {
  it('returns the same hashes as earlier versions', () => {
    const events = sealEvents('s1', emptyJournal, [
      { at, type: 'started', data: { b: 1, a: 'ä' } },
      { at, type: 'noted', data: {} },
    ]);
    expect(events).toEqual([
      {
        revision: 1,
        at,
        type: 'started',
        data: { b: 1, a: 'ä' },
        prevHash: '',
        hash: 'sha256:cdb4ec2077c68ffcc8926840f469ad217162fe25063e8d0343a2becff08565eb',
      },
      {
        revision: 2,
        at,
        type: 'noted',
        data: {},
        prevHash: events[0]?.hash,
        hash: 'sha256:6b38fe1b53cae8da04f5ed03dfcacea0898a9245b6682d44d684caca8a162f6a',
      },
    ]);
  });

  it('gives two sessions different hashes', () => {
    const [one] = sealEvents('s1', emptyJournal, [{ at, type: 'started', data: {} }]);
    const [two] = sealEvents('s2', emptyJournal, [{ at, type: 'started', data: {} }]);
    expect(one?.hash).not.toBe(two?.hash);
  });

  it('continues from a given head', () => {
    const drafts = [1, 2, 3].map((n) => ({ at, type: 'noted', data: { n } }));
    const all = sealEvents('s1', emptyJournal, drafts);
    const [first] = all;
    const rest = sealEvents('s1', first ?? emptyJournal, drafts.slice(1));
    expect([first, ...rest]).toEqual(all);
  });
});

describe('verifyChain', () => {
  const events = sealEvents(
    's1',
    emptyJournal,
    [1, 2, 3, 4].map((n) => ({ at, type: 'noted', data: { n, text: `event ${n}` } })),
  );
  const [one, two, three, four] = events as [JournalEvent, JournalEvent, JournalEvent, JournalEvent];

  it('returns the head of an intact journal', () => {
    expect(verifyChain('s1', events)).toEqual({ ok: true, head: { revision: 4, hash: four.hash } });
    expect(verifyChain('s1', [])).toEqual({ ok: true, head: emptyJournal });
  });

  it('continues after a part that was already verified', () => {
    expect(verifyChain('s1', [three, four], two)).toMatchObject({ ok: true, head: { revision: 4 } });
    expect(verifyChain('s1', [three, four], one)).toEqual({ ok: false, brokenAt: 2 });
  });

  const resealed = { ...two, data: { n: 9 } };
  it.each<[what: string, events: readonly JournalEvent[], brokenAt: number]>([
    ['other data', [one, { ...two, data: { n: 9 } }, three], 2],
    ['another type', [one, { ...two, type: 'other' }], 2],
    ['another time', [{ ...one, at: '2026-01-01T00:00:00.001Z' }, two], 1],
    ['an event left out', [one, three, four], 2],
    ['the first left out', [two, three], 1],
    ['an event twice', [one, one], 2],
    ['events in another order', [one, three, two], 2],
    ['an event that was sealed anew', [one, { ...resealed, hash: hashEvent('s1', resealed) }, three], 3],
    ['a hash of another', [{ ...one, hash: two.hash }], 1],
    ['data no JSON can write', [{ ...one, data: { n: 1n } as unknown as JsonObject }], 1],
  ])('finds %s', (_, changed, brokenAt) => {
    expect(verifyChain('s1', changed)).toEqual({ ok: false, brokenAt });
  });

  it('finds events of another session', () => {
    expect(verifyChain('s2', events)).toEqual({ ok: false, brokenAt: 1 });
  });
});

describe('an export', () => {
  async function lines(): Promise<string[]> {
    const store = createMemorySessionStore();
    const head = await start(store, 's1');
    const blob = await store.putBlob({ big: true });
    await push(store, 's1', { head, data: [{ n: 1, blob }], blobs: [blob], status: 'completed' });
    await store.recordCall('s1', { name: 'next_activity' });
    await store.joinAgent('s1', 'agent-1');
    const exported: string[] = [];
    for await (const line of exportSession(store, 's1')) exported.push(line);
    return exported;
  }

  it('has one line for each entry, in a fixed order', async () => {
    const kinds = (await lines()).map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect(kinds).toEqual(['session', 'event', 'event', 'call', 'blob', 'end']);
  });

  it('can be verified without a store', async () => {
    const { session, events, calls, blobs, agents, definition } = await readExport(await lines());
    expect(session).toMatchObject({ sid: 's1', revision: 2, status: 'completed' });
    expect(events).toHaveLength(2);
    expect([calls, blobs, agents, definition]).toEqual([
      [{ name: 'next_activity' }],
      [{ big: true }],
      ['agent-1'],
      { id: 'review' },
    ]);
  });

  it('may have empty lines between its lines', async () => {
    const spaced = (await lines()).flatMap((line) => [line, '', ' ']);
    expect((await readExport(spaced)).events).toHaveLength(2);
  });

  it.each<[what: string, change: (lines: string[]) => string[], data: object]>([
    ['nothing', () => [], {}],
    ['no header', ([, ...rest]) => rest, { line: 1 }],
    ['an event changed', (all) => all.map((line) => line.replace('"n":1', '"n":2')), { revision: 2 }],
    ['an event left out', (all) => all.filter((line) => !line.includes('"n":1')), {}],
    ['the end left out', (all) => all.slice(0, -1), {}],
    ['a call left out', (all) => all.filter((line) => !line.includes('"call"')), {}],
    ['a line after the end', (all) => [...all, all[1] ?? ''], { line: 7 }],
    ['a second header', (all) => [...all.slice(0, 1), ...all], { line: 2 }],
    ['half a line', (all) => [...all.slice(0, 1), all[1]?.slice(0, 20) ?? ''], { line: 2 }],
    ['a line that is no object', (all) => [...all.slice(0, 1), '[]'], { line: 2 }],
    ['a kind nobody knows', (all) => [...all.slice(0, 1), '{"kind":"other"}'], { line: 2 }],
    ['an event without data', (all) => [...all.slice(0, 1), '{"kind":"event","event":{}}'], { line: 2 }],
    ['another format', (all) => all.map((line) => line.replace('"format":1', '"format":2')), { line: 1 }],
    [
      'a header with a number as id',
      (all) => all.map((line) => line.replace('"sid":"s1"', '"sid":1')),
      { line: 1 },
    ],
    ['a value changed', (all) => all.map((line) => line.replace('"big":true', '"big":false')), { line: 5 }],
    ['another status', (all) => all.map((line) => line.replace('"completed"', '"done"')), { line: 1 }],
  ])('is refused if it has %s', async (_, change, data) => {
    const store = createMemorySessionStore();
    const refused = importSession(store, change(await lines()));
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_FILE', data });
    expect((await store.find({})).sessions).toEqual([]);
  });

  it('is refused if the session does not exist', async () => {
    const exported = exportSession(createMemorySessionStore(), 's1').next();
    await expect(exported).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each<[what: string, events: (all: readonly JournalEvent[]) => readonly JournalEvent[]]>([
    ['changed', (all) => all.map((event) => ({ ...event, data: { changed: true } }))],
    ['cut off', (all) => all.slice(0, -1)],
  ])('is refused if the journal of the store is %s', async (_, change) => {
    const store = createMemorySessionStore();
    await start(store, 's1', { n: 1 });
    const broken = { ...store, events: async () => change(await store.events('s1')) };
    const read = async (): Promise<void> => {
      for await (const line of exportSession(broken, 's1')) expect(line).not.toContain('"kind":"end"');
    };
    await expect(read()).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      data: { reason: 'broken-chain' },
    });
  });
});
