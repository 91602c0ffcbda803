import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ask } from './ask.ts';
import type { RunsFilter } from './merge-runs.ts';
import { writtenOut } from './written-out.ts';

/** Who is signed in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => ask('GET /me', { signal }),
  staleTime: 60_000,
});

/** Runs that a filter finds, page by page. */
export const runsQuery = (filter: RunsFilter) =>
  infiniteQueryOptions({
    queryKey: ['runs', filter],
    queryFn: ({ pageParam, signal }) =>
      ask('GET /runs', { query: { ...filter, limit: '100', cursor: pageParam }, signal }).then(writtenOut),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });

/** One run. */
export const runQuery = (sid: string) =>
  queryOptions({
    queryKey: ['run', sid],
    queryFn: ({ signal }) => ask('GET /runs/:sid', { params: { sid }, signal }).then(writtenOut),
  });

/** The journal of a run, page by page. */
export const eventsQuery = (sid: string) =>
  infiniteQueryOptions({
    queryKey: ['events', sid],
    queryFn: ({ pageParam, signal }) =>
      ask('GET /runs/:sid/events', {
        params: { sid },
        query: { after: String(pageParam), limit: '200' },
        signal,
      }).then(writtenOut),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  });

/** Checkpoints that wait, page by page. */
export const gatesQuery = infiniteQueryOptions({
  queryKey: ['gates'],
  queryFn: ({ pageParam, signal }) =>
    ask('GET /gates', { query: { limit: '20', cursor: pageParam }, signal }).then(writtenOut),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next,
});

/** Every workflow that is served, and what keeps others from it. */
export const catalogueQuery = queryOptions({
  queryKey: ['workflows'],
  queryFn: ({ signal }) => ask('GET /workflows', { signal }),
});

/** Definitions of the project that nobody trusted. */
export const untrustedQuery = queryOptions({
  queryKey: ['workflows', 'untrusted'],
  queryFn: ({ signal }) => ask('GET /untrusted', { signal }),
});

/** The review of a definition before a person trusts it; fetched each time, because the decision is about what is shown. */
export const reviewQuery = ({ source, file }: { readonly source: string; readonly file: string }) =>
  queryOptions({
    queryKey: ['review', source, file],
    queryFn: ({ signal }) => ask('GET /untrusted/review', { query: { source, file }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** One workflow. */
export const workflowQuery = (id: string) =>
  queryOptions({
    queryKey: ['workflows', id],
    queryFn: ({ signal }) => ask('GET /workflows/:id', { params: { id }, signal }),
  });

/** The text of a file of a source. */
export const textQuery = (source: string, file: string) =>
  queryOptions({
    queryKey: ['text', source, file],
    queryFn: ({ signal }) => ask('GET /text', { query: { source, file }, signal }),
    // What is being edited is not changed under its author: saving tells of another text.
    staleTime: Infinity,
  });

/** How the server is. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => ask('GET /health', { signal }),
  refetchInterval: 10_000,
});
