import { QueryClient, QueryObserver } from '@tanstack/react-query';
import type { InfiniteData, QueryKey } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { cacheUpdates } from '../../src/api/cache-updates.ts';
import type { ChangeEvents, SessionsReply } from '../../src/contract/index.ts';
import { counts, row, sids } from './session-rows.ts';

const changed = (...sessions: ChangeEvents['sessions']['sessions']): ChangeEvents['sessions'] => ({
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
  cacheUpdates(client).sessions(changed(row('s', { revision: 2 })));
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
  cacheUpdates(client).sessions(changed(row('s', { revision: 2 })));
  await query.reply('before the change');
  expect(query.isStale()).toBe(true);
});

test('A list of checkpoints that is loading is fetched again after any change', async () => {
  const client = new QueryClient();
  const query = heldQuery(client, ['checkpoints']);
  const hide = query.show();
  cacheUpdates(client).sessions(changed(row('s', { status: 'active' })));
  await query.reply({ checkpoints: [{ sid: 's' }] });
  await query.reply({ checkpoints: [] });
  expect(query.data()).toEqual({ checkpoints: [] });
  hide();
});

test('A list of sessions that is loading gets the changes too', async () => {
  const client = new QueryClient();
  const query = heldQuery(client, ['sessions', {}]);
  const hide = query.show();
  cacheUpdates(client).sessions(changed(row('b', { revision: 2 })));
  const page: SessionsReply = { sessions: [row('a'), row('b')], counts };
  const reply: InfiniteData<SessionsReply> = { pages: [page], pageParams: [undefined] };
  await query.reply(reply);
  const { pages } = query.data() as typeof reply;
  expect(sids(pages)).toEqual([['b', 'a']]);
  expect(pages[0]?.sessions[0]?.revision).toBe(2);
  hide();
});
