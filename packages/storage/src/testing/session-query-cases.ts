import { expect } from 'vitest';
import { verifyChain } from '../sessions/hash-chain.ts';
import type {
  IndexEntry,
  JournalHead,
  SessionChange,
  SessionIndex,
  SessionQuery,
  SessionStore,
} from '../sessions/session-store.ts';
import type { SessionFixtures, SessionTest } from './session-sample.ts';
import { add, begin, headOf, minuteOf2026 } from './session-sample.ts';

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
  ['by a text that looks like a pattern', { text: '%' }, []],
  ['by other letters than A to Z in their exact case', { text: 'É' }, ['s4']],
  ['by the latest time of the last write', { updatedBefore: minuteOf2026(30) }, ['s2', 's1']],
  ['by the earliest time of the last write', { updatedSince: minuteOf2026(30) }, ['s5', 's4', 's3']],
  ['by a part of the name of an agent, whatever its case', { agentPart: 'T-2' }, ['s5']],
  ['by words in different fields', { search: 'S2 deploy' }, ['s2']],
  ['nothing by a word that is nowhere', { search: 's2 nowhere' }, []],
  ['by all of them', { principal: 'ann', statuses: ['active'], text: 's1' }, ['s1']],
  ['by a row that belongs to the last event', { isAtEnd: true, agent: 'agent-2' }, ['s5']],
  ['nothing by a row that does not belong to the last event', { isAtEnd: false }, []],
  ['nothing by an unknown name', { principal: 'eve' }, []],
];

export function sessionFindCases(it: SessionTest): void {
  for (const [what, query, sids] of queries)
    it(`finds ${what}`, async ({ store }) => {
      await fill(store);
      expect(await found(store, query)).toEqual(sids);
    });
  it('counts sessions by status, from the first one on', async ({ store }) => {
    expect(await store.counts()).toEqual({ active: 0, blocked: 0, parked: 0, completed: 0 });
    await fill(store);
    expect(await store.counts()).toEqual({ active: 3, blocked: 1, parked: 0, completed: 1 });
    expect(await store.counts('ann')).toEqual({ active: 1, blocked: 0, parked: 0, completed: 1 });
    expect(await store.counts('eve')).toEqual({ active: 0, blocked: 0, parked: 0, completed: 0 });
    const head = await begin(store, 's6');
    await add(store, 's6', { head, data: [{}], status: 'completed' });
    expect(await store.counts()).toEqual({ active: 3, blocked: 1, parked: 0, completed: 2 });
    await store.prune({ before: minuteOf2026(59), statuses: ['completed'] });
    expect(await store.counts()).toEqual({ active: 3, blocked: 1, parked: 0, completed: 0 });
  });

  it('lists a session first after a write to it', async ({ store }) => {
    const head = await begin(store, 's1', { minute: 0 });
    await begin(store, 's2', { minute: 0 });
    expect(await found(store, {})).toEqual(['s2', 's1']);
    await add(store, 's1', { head, data: [{}] });
    expect(await found(store, {})).toEqual(['s1', 's2']);
  });

  it('returns every session once, page by page, even if several have the same time', async ({ store }) => {
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
  });

  it('has no next page after a last page that is full', async ({ store }) => {
    await begin(store, 's1');
    await begin(store, 's2');
    expect(await store.find({}, { limit: 2 })).not.toHaveProperty('next');
    expect(await store.find({}, { limit: 1 })).toHaveProperty('next');
  });

  it('refuses an invalid cursor and an unlimited page', async ({ store }) => {
    const refused = { code: 'INVALID_INPUT' };
    for (const cursor of ['', 'x', '2026-01-01T00:00:00.000Z/a b', 'null'])
      await expect(store.find({}, { cursor })).rejects.toMatchObject(refused);
    for (const limit of [0, -1, 1.5, 1_001, Infinity])
      await expect(store.find({}, { limit })).rejects.toMatchObject(refused);
  });
}

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

const writers = 8;
const rounds = 10;

/** The contract for concurrent writes, through one store or several. */
export function sessionChangeCases(it: SessionTest): void {
  it('accepts exactly one of many concurrent writes at a revision', ({ store }) =>
    race([store, ...Array.from({ length: writers }, () => store)]));

  it('accepts exactly one of the writes of many stores at a revision', async ({ store, open }) =>
    race([store, await open(), await open(), await open()]));

  it('stores only one of many sessions with the same id', async ({ store }) => {
    await begin(store, 'first');
    const tries = await Promise.allSettled(Array.from({ length: writers }, () => begin(store, 's1')));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('returns every change once and in order during concurrent writes', ({ store }) =>
    watchWhileWriting(store, [store, store, store]));

  it('returns every change once and in order while several stores write', async ({ store, open }) =>
    watchWhileWriting(store, [await open(), await open(), await open()]));

  it('returns the changes after a cursor, oldest first', async ({ store }) => {
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
  });

  it('never repeats a cursor, even after the last change was pruned', async ({ store }) => {
    await begin(store, 's1', { status: 'completed' });
    const { lastChange } = await store.health();
    await store.prune({ before: '2999-01-01T00:00:00.000Z', statuses: ['completed'] });
    await begin(store, 's2');
    expect((await store.changes(lastChange, 10)).map(({ sid }) => sid)).toEqual(['s2']);
  });
}

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

/** A hint may travel through a database. */
const patience = { timeout: 10_000 };

/** The contract for hints, in stores that give them. */
export function sessionHintCases(it: SessionTest): void {
  it('tells every watcher which session was written to', async ({ store, watchChanges }) => {
    const [first, second] = [watch(watchChanges), watch(watchChanges)];
    await writeUntil(store, () => first.heard.has('s1') && second.heard.has('s1'));
    expect([[...first.heard], [...second.heard]]).toEqual([['s1'], ['s1']]);
  });

  it('tells nothing to a watcher that has stopped', async ({ store, watchChanges }) => {
    const [gone, there] = [watch(watchChanges), watch(watchChanges)];
    gone.stop();
    await writeUntil(store, () => there.heard.has('s1'));
    expect([...gone.heard]).toEqual([]);
    gone.stop();
  });
}

function watch(watchChanges: SessionFixtures['watchChanges']): {
  readonly heard: Set<string>;
  readonly stop: () => void;
} {
  const heard = new Set<string>();
  const stop = watchChanges((sids) => {
    for (const sid of sids) heard.add(sid);
  });
  return { heard, stop };
}

/** Writes again and again, because single hints may be lost. */
async function writeUntil(store: SessionStore, isEnough: () => boolean): Promise<void> {
  let head = await begin(store, 's1');
  const write = async (): Promise<boolean> => {
    head = (await add(store, 's1', { head, data: [{}] })) ?? head;
    return isEnough();
  };
  await expect.poll(write, patience).toBe(true);
}

const version = 1;

/** Cases for stores that keep an index. */
export function sessionIndexCases(it: SessionTest): void {
  it('reports a session as outdated until it has an entry for all events and calls', async ({
    store,
    index,
  }) => {
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
  });

  it('returns entries as they were stored, the latest one for each session', async ({ store, index }) => {
    await begin(store, 's1');
    const first = entry('s1', { title: 'Erste “Fassung” 🙂', figures: { nested: { list: [1, null] } } });
    await index.put(version, [first]);
    const { text: _text, ...shown } = first;
    expect(await index.entries(['s1', 's2'])).toEqual([shown]);
    await index.put(version, [entry('s1', { title: 'Second' }), entry('gone')]);
    expect(await index.entries(['s1', 'gone'])).toMatchObject([{ sid: 's1', title: 'Second', tags: [] }]);
    expect(await index.entries([])).toEqual([]);
  });

  it('finds sessions by words of their entry and by tags', async ({ store, index }) => {
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
      [{ sids: ['s1', 's3', 'gone'] }, ['s3', 's1']],
      [{ sids: ['s1', 's2'], search: 'lexer' }, ['s2']],
      [{ sids: [] }, []],
    ];
    for (const [query, sids] of expected) {
      expect((await store.find(query)).sessions.map(({ sid }) => sid)).toEqual(sids);
      const selected = await index.select(query);
      expect(selected.map(({ sid }) => sid).toSorted()).toEqual(
        sids.filter((sid) => sid !== 's3').toSorted(),
      );
    }
  });

  it('deletes the entry with its session', async ({ store, index }) => {
    await begin(store, 's1', { status: 'completed' });
    await putAll(index);
    await store.prune({ before: minuteOf2026(59), statuses: ['completed'] });
    expect(await index.entries(['s1'])).toEqual([]);
    expect(await index.select({})).toEqual([]);
  });
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
