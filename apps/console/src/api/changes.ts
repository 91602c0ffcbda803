import type { ChangeListeners } from './cache-updates.ts';
import { sendRequest, escapeHidden } from './client.ts';

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
