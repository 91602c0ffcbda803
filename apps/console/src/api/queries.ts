import type { QueryClient } from '@tanstack/react-query';
import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query';
import type {
  DefinitionText,
  SaveRequest,
  Saved,
  SessionsQuery,
  SessionsReply,
  WaitingCheckpoint,
} from '../contract/index.ts';
import { callApi, escapeHidden, textParams } from './client.ts';

/** Fetches the signed-in user, or how to sign in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => callApi('GET /me', { signal }),
  staleTime: 60_000,
});

/** The filters a user can choose for the list of sessions. */
export type SessionsFilter = Omit<SessionsQuery, 'limit' | 'cursor'>;

export const sessionsQuery = (filter: SessionsFilter) =>
  infiniteQueryOptions({
    queryKey: ['sessions', filter],
    queryFn: ({ pageParam, signal }) =>
      callApi('GET /sessions', { query: { ...filter, limit: '100', cursor: pageParam }, signal }).then(
        escapeHidden,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });

/** Finds sessions for the command palette and for a comparison. */
export const foundSessionsQuery = (filter: {
  readonly search: string;
  readonly workflow?: string | undefined;
}) =>
  queryOptions({
    queryKey: ['found', filter],
    queryFn: ({ signal }) =>
      callApi('GET /sessions', { query: { ...textParams(filter), limit: '9' }, signal }).then(escapeHidden),
  });

/** Fetches the figures. While not all sessions are counted, it asks again. */
export const insightsQuery = (filter: { readonly workflow?: string; readonly since?: string }) =>
  queryOptions({
    queryKey: ['insights', filter],
    queryFn: ({ signal }) => callApi('GET /insights', { query: filter, signal }).then(escapeHidden),
    refetchInterval: ({ state }) => ((state.data?.behind ?? 0) > 0 ? 1_000 : 30_000),
  });

/** Fetches outputs of past sessions of a workflow, to try criteria on. */
export const pastOutputsQuery = (workflow: string) =>
  queryOptions({
    queryKey: ['outputs', workflow],
    queryFn: ({ signal }) => callApi('GET /outputs', { query: { workflow }, signal }).then(escapeHidden),
  });

export const sessionQuery = (sid: string) =>
  queryOptions({
    queryKey: ['session', sid],
    queryFn: ({ signal }) => callApi('GET /sessions/:sid', { params: { sid }, signal }).then(escapeHidden),
  });

export const journalQuery = (sid: string) =>
  infiniteQueryOptions({
    queryKey: ['events', sid],
    queryFn: ({ pageParam, signal }) =>
      callApi('GET /sessions/:sid/events', {
        params: { sid },
        query: { after: String(pageParam), limit: '200' },
        signal,
      }).then(escapeHidden),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  });

/** The number of sessions of each status, which the change stream sends. */
export const countsQuery = queryOptions<SessionsReply['counts']>({
  queryKey: ['counts'],
  queryFn: skipToken,
});

/** Fetches the list of checkpoints that need an answer. */
export const checkpointsQuery = queryOptions({
  queryKey: ['checkpoints'],
  queryFn: ({ signal }) => callApi('GET /checkpoints', { signal }).then(escapeHidden),
});

/** Fetches the latest answers of people. Its key begins like the key of the list, because both change together. */
export const answeredQuery = (filter: { readonly search?: string; readonly by?: string }) =>
  queryOptions({
    queryKey: ['checkpoints', 'answered', filter],
    queryFn: ({ signal }) =>
      callApi('GET /checkpoints/answered', { query: filter, signal }).then(escapeHidden),
  });

/** Fetches the checkpoint that a session waits at, with everything to judge it by. */
export const checkpointQuery = (sid: string, revision: number) =>
  queryOptions({
    queryKey: ['checkpoint', sid, revision],
    queryFn: ({ signal }) => callApi('GET /checkpoints/:sid', { params: { sid }, signal }).then(escapeHidden),
    // A question never changes: the session can't continue before its answer, and a later question has another
    // revision.
    staleTime: Infinity,
    // The server has it only until it is answered. This is how long a person can go back to it.
    gcTime: 3_600_000,
  });

const lookEveryMs = 10_000;

/**
 * Fetches the refused calls at a question every few seconds, because a refused call writes no event and the change
 * stream does not report it. The rest of the question stays unchanged.
 */
export const refusedCallsQuery = ({ question: { sid, revision }, refused }: WaitingCheckpoint) =>
  queryOptions({
    queryKey: ['refused', sid, revision],
    queryFn: ({ signal }) =>
      callApi('GET /checkpoints/:sid', { params: { sid }, signal }).then((found) =>
        // If the session already waits at another question, these are its refused calls.
        escapeHidden(found.question.revision === revision ? (found.refused ?? null) : (refused ?? null)),
      ),
    initialData: refused ?? null,
    staleTime: lookEveryMs,
    refetchInterval: lookEveryMs,
    retry: false,
  });

/** Fetches every workflow and every problem in a definition. */
export const catalogueQuery = queryOptions({
  queryKey: ['workflows'],
  queryFn: ({ signal }) => callApi('GET /workflows', { signal }),
});

/** Fetches the project's definitions that nobody has trusted. */
export const untrustedQuery = queryOptions({
  queryKey: ['workflows', 'untrusted'],
  queryFn: ({ signal }) => callApi('GET /untrusted', { signal }),
});

/**
 * Fetches the review of an untrusted definition. It is never cached, because a person's decision must apply to the
 * text they see.
 */
export const reviewQuery = ({ source, file }: { readonly source: string; readonly file: string }) =>
  queryOptions({
    queryKey: ['review', source, file],
    queryFn: ({ signal }) => callApi('GET /untrusted/review', { query: { source, file }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** Fetches the projects with checks, repeatedly because their files can change at any time. */
export const checksQuery = queryOptions({
  queryKey: ['checks'],
  queryFn: ({ signal }) => callApi('GET /checks', { signal }),
  refetchInterval: 10_000,
});

/** Fetches the checks of a project for review. It is never cached, as {@link reviewQuery} isn't. */
export const checksReviewQuery = (folder: string) =>
  queryOptions({
    queryKey: ['checks', 'review', folder],
    queryFn: ({ signal }) => callApi('GET /checks/review', { query: { folder }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** Saves the text of a definition. Everything that shows it is fetched again. */
export async function saveText(client: QueryClient, body: SaveRequest): Promise<Saved> {
  const saved = await callApi('PUT /text', { body });
  await client.invalidateQueries({ queryKey: definitionTextQuery(body.source, body.file).queryKey });
  await client.invalidateQueries({ queryKey: ['workflows'] });
  return saved;
}

/** The text of a file before it was saved in this tab, and the digest of the text that was saved. */
export interface TextBefore {
  readonly text: string;
  readonly digest: string;
}

/** The text to go back to after a file was saved. */
export const textBeforeQuery = (source: string, file: string) =>
  queryOptions<TextBefore>({ queryKey: ['before', source, file], queryFn: skipToken });

export const workflowQuery = (id: string) =>
  queryOptions({
    queryKey: ['workflows', id],
    queryFn: ({ signal }) => callApi('GET /workflows/:id', { params: { id }, signal }),
  });

export const definitionTextQuery = (source: string, file: string) =>
  queryOptions({
    queryKey: ['text', source, file],
    queryFn: ({ signal }) => callApi('GET /text', { query: { source, file }, signal }),
    // Never refetch a text that the user is editing. Saving detects a newer version.
    staleTime: Infinity,
  });

/** Fetches the list of the earlier versions of a file. A save adds one. */
export const textVersionsQuery = (source: string, file: string) =>
  queryOptions({
    queryKey: ['versions', source, file],
    queryFn: ({ signal }) => callApi('GET /versions', { query: { source, file }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** Fetches the text of an earlier version, which never changes. */
export const versionTextQuery = ({ digest, ...query }: Pick<DefinitionText, 'source' | 'file' | 'digest'>) =>
  queryOptions({
    queryKey: ['version', query.source, query.file, digest],
    queryFn: ({ signal }) => callApi('GET /versions/:digest', { params: { digest }, query, signal }),
    staleTime: Infinity,
  });

/**
 * Fetches the version of a text that is saved now, whenever definitions change. It starts with the version that the
 * user has opened.
 */
export const savedTextQuery = (opened: DefinitionText) =>
  queryOptions({
    // After a merge or a save, the text is based on another version.
    queryKey: ['workflows', 'text', opened.source, opened.file, opened.digest],
    queryFn: ({ signal }) => {
      const { source, file } = opened;
      return callApi('GET /text', { query: { source, file }, signal });
    },
    initialData: opened,
    staleTime: Infinity,
    // Poll, because the server does not report a change in which only comments differ.
    refetchInterval: 10_000,
    gcTime: 0,
  });

/** Fetches the health of the server every 10 seconds. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => callApi('GET /health', { signal }),
  refetchInterval: 10_000,
});
