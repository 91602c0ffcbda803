import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import type { ChangeEvents, CheckpointsReply, SessionsReply } from '../contract.ts';
import { sendRequest, escapeHidden } from './client.ts';
import type { SessionsFilter } from './merge-sessions.ts';
import { mergeSessions } from './merge-sessions.ts';
import { countsQuery } from './queries.ts';

/** Handlers for each kind of event in the change stream. */
type ChangeListeners = {
  readonly [Name in keyof ChangeEvents]: (event: ChangeEvents[Name]) => void;
};

export type StreamState = 'opening' | 'live' | 'broken';

const shortestWaitMs = 500;
const longestWaitMs = 10_000;
/** The server sends a sign of life every 15 s, so a longer silence means that the connection is dead. */
const longestSilenceMs = 45_000;
const longestMissedMs = 600_000;

/**
 * Opens the change stream and returns a function that closes it. A stream that breaks or ends is reopened with
 * increasing delays. It uses `fetch` because `EventSource` can't send the Authorization header.
 */
export function openChangeStream(
  listeners: ChangeListeners,
  onState: (state: StreamState) => void,
): () => void {
  let stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = shortestWaitMs;
  // What the page shows was fetched before the stream begins. After a broken stream, the page fetches it again.
  let missedMs = Math.min(Math.ceil(performance.now()), longestMissedMs);

  async function read(opened: AbortController): Promise<void> {
    const { signal } = opened;
    const { body } = await sendRequest(`/changes?missedMs=${missedMs}`, { signal });
    for await (const { event, data } of readEvents(body, opened)) {
      if (signal.aborted) return;
      if (event === 'hello') {
        waitMs = shortestWaitMs;
        missedMs = 0;
        onState('live');
      }
      if (event in listeners)
        (listeners[event as keyof ChangeEvents] as (event: unknown) => void)(escapeHidden(JSON.parse(data)));
      if (event === 'end') return;
    }
  }

  async function open(): Promise<void> {
    const opened = new AbortController();
    stop = opened;
    // Reopen the stream even after an authentication error, because the user may sign in from another tab.
    await read(opened).catch(() => undefined);
    if (opened !== stop) return;
    opened.abort();
    onState('broken');
    timer = setTimeout(() => void open(), waitMs);
    waitMs = Math.min(waitMs * 2, longestWaitMs);
  }

  onState('opening');
  void open();
  return () => {
    const last = stop;
    stop = new AbortController();
    clearTimeout(timer);
    last.abort();
  };
}

/** A server-sent event before its data is parsed. */
interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Yields the events of a response body. Aborts the request if the body is silent for too long. */
async function* readEvents(
  body: ReadableStream<Uint8Array> | null,
  silent: AbortController,
): AsyncGenerator<ServerEvent> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const limit = setTimeout(() => silent.abort(), longestSilenceMs);
    const { done, value } = await reader.read().finally(() => clearTimeout(limit));
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    yield* blocks.map(parseEvent).filter((one) => one.event !== '');
  }
}

/** Parses one event. The server writes each field on one line, with one space after the colon. */
function parseEvent(block: string): ServerEvent {
  const fields = block.split('\n').map((line) => line.split(/: (.*)/s, 2));
  const read = (name: string): string => fields.find(([key]) => key === name)?.[1] ?? '';
  return { event: read('event'), data: read('data') };
}

/** Returns handlers that update the query cache from the change stream. They refetch only what an event does not contain. */
export function cacheUpdates(client: QueryClient): ChangeListeners {
  let isFirst = true;
  return {
    hello: ({ counts }) => {
      client.setQueryData(countsQuery.queryKey, counts);
      // Changes between two streams are lost, so refetch everything.
      if (!isFirst) refreshAll(client);
      isFirst = false;
    },
    sessions: (event) => updateSessions(client, event),
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
  // Keep a text that the user is editing.
  void client.invalidateQueries({
    predicate: (query) => !hasManyPages(query) && query.queryKey[0] !== 'text',
  });
  // Restart a long list from its first page, because invalidating it would refetch every page.
  void client.resetQueries({ predicate: hasManyPages });
}

function hasManyPages({ queryKey, state }: Query): boolean {
  const data = state.data as InfiniteData<unknown> | undefined;
  return queryKey[0] === 'sessions' && (data?.pages.length ?? 0) > 1;
}

function updateSessions(client: QueryClient, { sessions, isMore, counts }: ChangeEvents['sessions']): void {
  client.setQueryData(countsQuery.queryKey, counts);
  if (isMore) {
    refreshAll(client);
    return;
  }
  for (const [key, data] of client.getQueriesData<InfiniteData<SessionsReply>>({ queryKey: ['sessions'] })) {
    if (data === undefined) continue;
    const pages = mergeSessions(data.pages, sessions, key[1] as SessionsFilter);
    client.setQueryData(key, { ...data, pages: pages.map((page) => ({ ...page, counts })) });
    const { search, tag } = key[1] as SessionsFilter;
    if (search !== undefined || tag !== undefined) void client.invalidateQueries({ queryKey: key });
  }
  for (const { sid } of sessions) {
    void client.invalidateQueries({ queryKey: ['session', sid] });
    void client.invalidateQueries({ queryKey: ['events', sid] });
  }
  const waiting = client.getQueryData<CheckpointsReply>(['checkpoints'])?.checkpoints ?? [];
  const shown = new Set(waiting.map(({ sid }) => sid));
  if (sessions.some(({ sid, status }) => status === 'blocked' || shown.has(sid)))
    void client.invalidateQueries({ queryKey: ['checkpoints'] });
}
