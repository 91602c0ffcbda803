import type { InfiniteData, InvalidateQueryFilters, Query, QueryClient } from '@tanstack/react-query';
import type { ChangeEvents, CheckpointsReply, SessionsReply } from '../contract/index.ts';
import type { SessionsFilter } from './merge-sessions.ts';
import { isDecidedByServer, mergeSessions } from './merge-sessions.ts';

/** Handlers for each kind of event in the change stream. */
export type ChangeListeners = {
  readonly [Name in keyof ChangeEvents]: (event: ChangeEvents[Name]) => void;
};

/**
 * Returns handlers that update the query cache from the change stream. They refetch only what an event does not
 * contain.
 */
export function cacheUpdates(client: QueryClient): ChangeListeners {
  let isFirst = true;
  return {
    hello: ({ counts }) => {
      client.setQueryData<SessionsReply['counts']>(['counts'], counts);
      // Changes between two streams are lost, so refetch everything.
      if (!isFirst) refreshAll(client);
      isFirst = false;
    },
    sessions: (event) => updateSessions(client, event),
    workflows: () => {
      refetch(client, { queryKey: ['workflows'] });
      refetch(client, { queryKey: ['health'] });
    },
    end: ({ reason }) => {
      if (reason === 'signed-out') refetch(client, { queryKey: ['me'] });
    },
  };
}

/**
 * Fetches queries again after a change. The reply to a request in flight may be older than the change. The library
 * drops that reply only for a query that has data and is in use. This function waits for the other replies and
 * refetches.
 */
function refetch(client: QueryClient, filters: InvalidateQueryFilters): void {
  for (const query of client.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
    const { queryKey } = query;
    if (query.state.data === undefined || !query.isActive())
      afterFetch(query, () => void client.invalidateQueries({ queryKey, exact: true }));
  }
  void client.invalidateQueries(filters);
}

/** Calls a function when the fetch that is in flight has its reply. */
function afterFetch(query: Query, act: () => void): void {
  // In flight, this starts no fetch but returns the promise of the current one.
  query.fetch().then(act, () => undefined);
}

function refreshAll(client: QueryClient): void {
  // Keep a text that the user is editing.
  refetch(client, { predicate: (query) => !hasManyPages(query) && query.queryKey[0] !== 'text' });
  // Restart a long list from its first page, because invalidating it would refetch every page.
  void client.resetQueries({ predicate: hasManyPages });
}

function hasManyPages({ queryKey, state }: Query): boolean {
  const data = state.data as InfiniteData<unknown> | undefined;
  return queryKey[0] === 'sessions' && (data?.pages.length ?? 0) > 1;
}

function updateSessions(client: QueryClient, { sessions, isMore, counts }: ChangeEvents['sessions']): void {
  client.setQueryData<SessionsReply['counts']>(['counts'], counts);
  if (isMore) {
    refreshAll(client);
    return;
  }
  for (const query of client.getQueryCache().findAll({ queryKey: ['sessions'] })) {
    const { queryKey, state } = query;
    const filter = queryKey[1] as SessionsFilter;
    const merge = (): void =>
      void client.setQueryData<InfiniteData<SessionsReply>>(queryKey, (data) => {
        if (data === undefined) return data;
        const pages = mergeSessions(data.pages, sessions, filter);
        return { ...data, pages: pages.map((page) => ({ ...page, counts })) };
      });
    merge();
    if (state.fetchStatus === 'fetching') afterFetch(query, merge);
    if (isDecidedByServer(filter)) refetch(client, { queryKey });
  }
  for (const { sid } of sessions) {
    refetch(client, { queryKey: ['session', sid] });
    refetch(client, { queryKey: ['events', sid] });
  }
  const waiting = client.getQueryData<CheckpointsReply>(['checkpoints'])?.checkpoints;
  const shown = new Set(waiting?.map(({ sid }) => sid));
  const isFetching = client.isFetching({ queryKey: ['checkpoints'] }) > 0;
  if (isFetching || sessions.some(({ sid, status }) => status === 'blocked' || shown.has(sid)))
    refetch(client, { queryKey: ['checkpoints'] });
}
