import type { ChangeEvents } from '../contract.ts';
import { send } from './ask.ts';
import { writtenOut } from './written-out.ts';

/** What is done with each kind of event. */
export type ChangeListeners = {
  readonly [Name in keyof ChangeEvents]: (event: ChangeEvents[Name]) => void;
};

/** Whether changes come in as they happen. */
export type StreamState = 'opening' | 'live' | 'broken';

const shortestWaitMs = 500;
const longestWaitMs = 10_000;
/** The server shows every 15 s that it is there: a connection that died without a word is noticed by its silence. */
const longestSilenceMs = 45_000;

/**
 * Listens to changes until it is stopped; a stream that breaks or ends is opened again, ever less often. It is read with
 * `fetch`, because `EventSource` can't send the header that says who asks.
 */
export function openChangeStream(
  listeners: ChangeListeners,
  onState: (state: StreamState) => void,
): () => void {
  let stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = shortestWaitMs;

  async function read(opened: AbortController): Promise<void> {
    const { signal } = opened;
    const { body } = await send('/changes', { signal });
    for await (const { event, data } of eventsOf(body, opened)) {
      if (signal.aborted) return;
      if (event === 'hello') {
        waitMs = shortestWaitMs;
        onState('live');
      }
      if (event in listeners)
        (listeners[event as keyof ChangeEvents] as (event: unknown) => void)(writtenOut(JSON.parse(data)));
      if (event === 'end') return;
    }
  }

  async function open(): Promise<void> {
    const opened = new AbortController();
    stop = opened;
    // The stream is opened again whatever ended it, because a refused token may be valid after a sign-in in another
    // tab.
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

/** An event of a stream, as it was sent. */
interface Sent {
  readonly event: string;
  readonly data: string;
}

/** The events of a response body, which is aborted if it is silent for too long. */
async function* eventsOf(
  body: ReadableStream<Uint8Array> | null,
  silent: AbortController,
): AsyncGenerator<Sent> {
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
    yield* blocks.map(eventIn).filter((one) => one.event !== '');
  }
}

/** The server writes each field on one line, with one space after the colon. */
function eventIn(block: string): Sent {
  const fields = block.split('\n').map((line) => line.split(/: (.*)/s, 2));
  const read = (name: string): string => fields.find(([key]) => key === name)?.[1] ?? '';
  return { event: read('event'), data: read('data') };
}
