import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { ChangeEvents, GatesPage, RunsPage } from '../contract.ts';
import type { ChangeListeners } from './change-stream.ts';
import { mergeRuns } from './merge-runs.ts';
import type { RunsFilter } from './queries.ts';

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
  // Of a long list its first page; the others follow where somebody looks at them.
  void client.resetQueries({ queryKey: ['runs'] });
  void client.invalidateQueries({
    predicate: ({ queryKey }) => !['runs', 'text'].includes(String(queryKey[0])),
  });
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
