import { QueryClient, QueryObserver } from '@tanstack/react-query';
import type { InfiniteData, QueryKey } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { cacheUpdates, mergeSessions } from '../../src/api/changes.ts';
import type { ChangeEvents, SessionListRow, SessionsReply } from '../../src/contract/index.ts';

const counts = { active: 0, blocked: 0, parked: 0, completed: 0 };

/** Returns a row of the list of sessions. */
function row(sid: string, changes: Partial<SessionListRow> = {}): SessionListRow {
  return {
    sid,
    workflowId: 'review',
    version: '1.0.0',
    principal: 'local',
    agent: 'ann',
    status: 'active',
    revision: 1,
    createdAt: '2026-03-01T10:00:00.000Z',
    updatedAt: '2026-03-01T10:00:00.000Z',
    title: 'Review',
    progress: { done: 0, of: 2 },
    ...changes,
  };
}

/** Returns the ids of the sessions on each page. */
const sids = (pages: readonly SessionsReply[]): readonly (readonly string[])[] =>
  pages.map(({ sessions }) => sessions.map(({ sid }) => sid));

const page = (...sessions: readonly SessionListRow[]): SessionsReply => ({ sessions, counts });

const changeOf = (...sessions: ChangeEvents['sessions']['sessions']): ChangeEvents['sessions'] => ({
  sessions,
  isMore: false,
  counts,
});

/** Creates a query whose replies arrive when the test sends them. */
function heldQuery(client: QueryClient, queryKey: QueryKey) {
  const waiting: ((reply: unknown) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey,
    queryFn: () => new Promise((resolve) => waiting.push(resolve)),
  });
  return {
    show: (): (() => void) => observer.subscribe(() => undefined),
    prefetch: (): void => void client.prefetchQuery(observer.options),
    asked: (): number => waiting.length,
    reply: async (data: unknown): Promise<void> => {
      waiting.shift()?.(data);
      await new Promise((resolve) => setTimeout(resolve));
    },
    data: (): unknown => client.getQueryData(queryKey),
    isStale: (): boolean => client.getQueryState(queryKey)?.isInvalidated === true,
  };
}

test('A change is not lost while the first reply is loading', async () => {
  const client = new QueryClient();
  const query = heldQuery(client, ['session', 's']);
  const hide = query.show();
  cacheUpdates(client).sessions(changeOf(row('s', { revision: 2 })));
  await query.reply('before the change');
  expect(query.asked()).toBe(1);
  await query.reply('after the change');
  expect(query.data()).toBe('after the change');
  expect(query.asked()).toBe(0);
  hide();
});

test('A reply that arrives before its page is shown is outdated after a change', async () => {
  const client = new QueryClient();
  const query = heldQuery(client, ['session', 's']);
  query.prefetch();
  cacheUpdates(client).sessions(changeOf(row('s', { revision: 2 })));
  await query.reply('before the change');
  expect(query.isStale()).toBe(true);
});

test('A list of checkpoints that is loading is fetched again after any change', async () => {
  const client = new QueryClient();
  const query = heldQuery(client, ['checkpoints']);
  const hide = query.show();
  cacheUpdates(client).sessions(changeOf(row('s', { status: 'active' })));
  await query.reply({ checkpoints: [{ sid: 's' }] });
  await query.reply({ checkpoints: [] });
  expect(query.data()).toEqual({ checkpoints: [] });
  hide();
});

test('A list of sessions that is loading gets the changes too', async () => {
  const client = new QueryClient();
  const query = heldQuery(client, ['sessions', {}]);
  const hide = query.show();
  cacheUpdates(client).sessions(changeOf(row('b', { revision: 2 })));
  const reply: InfiniteData<SessionsReply> = { pages: [page(row('a'), row('b'))], pageParams: [undefined] };
  await query.reply(reply);
  const { pages } = query.data() as typeof reply;
  expect(sids(pages)).toEqual([['b', 'a']]);
  expect(pages[0]?.sessions[0]?.revision).toBe(2);
  hide();
});

test('a changed session moves to the front from any page', () => {
  const pages = [page(row('a'), row('b')), page(row('c'), row('d'))];
  const merged = mergeSessions(pages, [row('d', { revision: 2 })], {});
  expect(sids(merged)).toEqual([['d', 'a', 'b'], ['c']]);
  expect(merged[0]?.sessions[0]?.revision).toBe(2);
});

test.each([
  [{ status: 'active,blocked' }, row('new', { status: 'completed' })],
  [{ workflow: 'review' }, row('new', { workflowId: 'shop' })],
  [{ agent: 'ANN' }, row('new', { agent: 'bob' })],
  [{ parent: 'p' }, row('new')],
  [{ since: '2026-03-01T10:00:00.001Z' }, row('new')],
  [{ before: '2026-03-01T10:00:00.000Z' }, row('new')],
  [{ text: 'kitchen' }, row('new', { project: '/home/ann/garden' })],
])('The filter %j excludes a session and removes it from the list', (filter, changed) => {
  expect(sids(mergeSessions([page(row('a'))], [changed], filter))).toEqual([['a']]);
  expect(sids(mergeSessions([page(row('new'), row('a'))], [changed], filter))).toEqual([['a']]);
});

test.each([{ search: 'kitchen' }, { tag: 'outcome:merged' }, { sort: 'longest' }])(
  'Rows keep their position and are updated if only the server knows which sessions match %j',
  (filter) => {
    const changed = [row('b', { revision: 2 }), row('new')];
    const merged = mergeSessions([page(row('a'), row('b'))], changed, filter);
    expect(sids(merged)).toEqual([['a', 'b']]);
    expect(merged[0]?.sessions[1]?.revision).toBe(2);
  },
);

test.each([{ text: 'GARDEN' }, { agent: 'An' }, { status: 'blocked' }, { parent: 'p' }, {}])(
  'A new session that matches %j is added',
  (filter) => {
    const found = row('new', { project: '/home/ann/garden', status: 'blocked', parentSid: 'p' });
    expect(sids(mergeSessions([page(row('a'))], [found], filter))).toEqual([['new', 'a']]);
  },
);
