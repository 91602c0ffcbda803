import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import type { ChangeEvents, GatesPage, RunsPage } from '../contract.ts';
import type { ChangeListeners } from './change-stream.ts';
import { mergeRuns } from './merge-runs.ts';
import type { RunsFilter } from './merge-runs.ts';

/** Brings what is shown up to date with what changed, asking only for what an event does not say. */
export function applyChanges(client: QueryClient): ChangeListeners {
  let isFirst = true;
  return {
    hello: () => {
      // Between two streams anything may have happened.
      if (!isFirst) refreshAll(client);
      isFirst = false;
    },
    runs: (event) => applyRuns(client, event),
    workflows: () => {
      void client.invalidateQueries({ queryKey: ['workflows'] });
      void client.invalidateQueries({ queryKey: ['health'] });
    },
    end: ({ reason }) => {
      if (reason === 'signed-out') void client.invalidateQueries({ queryKey: ['me'] });
    },
  };
}

function refreshAll(client: QueryClient): void {
  // A text is being edited, and not changed under its author.
  void client.invalidateQueries({ predicate: (query) => !isLong(query) && query.queryKey[0] !== 'text' });
  // A long list begins anew: each of its pages would be asked for again.
  void client.resetQueries({ predicate: isLong });
}

function isLong({ queryKey, state }: Query): boolean {
  const data = state.data as InfiniteData<unknown> | undefined;
  return queryKey[0] === 'runs' && (data?.pages.length ?? 0) > 1;
}

function applyRuns(client: QueryClient, { runs, isMore, counts }: ChangeEvents['runs']): void {
  if (isMore) {
    refreshAll(client);
    return;
  }
  for (const [key, data] of client.getQueriesData<InfiniteData<RunsPage>>({ queryKey: ['runs'] })) {
    if (data === undefined) continue;
    const pages = mergeRuns(data.pages, runs, key[1] as RunsFilter);
    client.setQueryData(key, { ...data, pages: pages.map((page) => ({ ...page, counts })) });
  }
  for (const { sid } of runs) {
    void client.invalidateQueries({ queryKey: ['run', sid] });
    void client.invalidateQueries({ queryKey: ['events', sid] });
  }
  const waiting = client.getQueryData<InfiniteData<GatesPage>>(['gates'])?.pages ?? [];
  const shown = new Set(waiting.flatMap(({ gates }) => gates.map(({ run }) => run.sid)));
  if (runs.some(({ sid, status }) => status === 'blocked' || shown.has(sid)))
    void client.invalidateQueries({ queryKey: ['gates'] });
}
