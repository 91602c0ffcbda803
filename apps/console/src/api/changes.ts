import type { InfiniteData, InvalidateQueryFilters, Query, QueryClient } from '@tanstack/react-query';
import type { ChangeEvents, CheckpointsReply, SessionListRow, SessionsReply } from '../contract/index.ts';
import { escapeHidden, sendRequest } from './client.ts';
import type { SessionsFilter } from './queries.ts';

export type StreamState = 'opening' | 'live' | 'broken';

/** Handlers for each kind of event in the change stream. */
type ChangeListeners = {
  readonly [Name in keyof ChangeEvents]: (event: ChangeEvents[Name]) => void;
};

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
        (listeners[event as keyof ChangeListeners] as (event: unknown) => void)(
          escapeHidden(JSON.parse(data)),
        );
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

/**
 * Returns the pages of a list after some of its sessions changed. Changed sessions that match the filter come first,
 * as in the server's order.
 */
export function mergeSessions(
  pages: readonly SessionsReply[],
  changed: readonly SessionListRow[],
  filter: SessionsFilter,
): SessionsReply[] {
  if (isDecidedByServer(filter)) return pages.map((page) => renewed(page, changed));
  const moved = new Set(changed.map(({ sid }) => sid));
  const found = changed.filter((row) => matchesFilter(row, filter));
  return pages.map((page, at) => {
    const rest = page.sessions.filter(({ sid }) => !moved.has(sid));
    return { ...page, sessions: at === 0 ? [...found, ...rest] : rest };
  });
}

/**
 * Returns whether only the server knows which sessions a list has and in which order. Rows that are shown stay where they
 * are until it answers.
 */
function isDecidedByServer({ search, tag, sort }: SessionsFilter): boolean {
  return search !== undefined || tag !== undefined || sort !== undefined;
}

function renewed(page: SessionsReply, changed: readonly SessionListRow[]): SessionsReply {
  const bySid = new Map(changed.map((row) => [row.sid, row]));
  return { ...page, sessions: page.sessions.map((row) => bySid.get(row.sid) ?? row) };
}

function matchesFilter(
  row: SessionListRow,
  { status, workflow, agent, text, parent, since, before }: SessionsFilter,
): boolean {
  const wanted: readonly boolean[] = [
    status === undefined || status.split(',').includes(row.status),
    workflow === undefined || row.workflowId === workflow,
    agent === undefined || row.agent.toLowerCase().includes(agent.toLowerCase()),
    parent === undefined || row.parentSid === parent,
    since === undefined || row.updatedAt >= since,
    before === undefined || row.updatedAt < before,
    text === undefined || containsText(row, text),
  ];
  return wanted.every(Boolean);
}

function containsText(
  { sid, workflowId, principal, agent, project = '' }: SessionListRow,
  text: string,
): boolean {
  const wanted = text.toLowerCase();
  return [sid, workflowId, principal, agent, project].some((one) => one.toLowerCase().includes(wanted));
}
