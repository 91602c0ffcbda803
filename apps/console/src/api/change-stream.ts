import type { ChangeEvents } from '../contract.ts';
import { apiRoot } from './ask.ts';

/** What is done with each kind of event. */
export type ChangeListeners = {
  readonly [Name in keyof ChangeEvents]: (event: ChangeEvents[Name]) => void;
};

/** Whether changes come in as they happen. */
export type StreamState = 'opening' | 'live' | 'broken';

const shortestWaitMs = 500;
const longestWaitMs = 10_000;

/** Listens to changes until it is stopped; a stream that breaks or ends is opened again, ever less often. */
export function openChangeStream(
  listeners: ChangeListeners,
  onState: (state: StreamState) => void,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = shortestWaitMs;

  function open(): void {
    const opened = new EventSource(`${apiRoot}/changes`);
    source = opened;
    opened.addEventListener('hello', () => {
      waitMs = shortestWaitMs;
      onState('live');
    });
    for (const name of Object.keys(listeners) as (keyof ChangeEvents)[])
      opened.addEventListener(name, ({ data }: MessageEvent<string>) =>
        (listeners[name] as (event: unknown) => void)(JSON.parse(data)),
      );
    opened.addEventListener('end', again);
    opened.addEventListener('error', again);
  }

  /** The browser opens a stream again only after some failures: here it is done after all of them. */
  function again(): void {
    source?.close();
    clearTimeout(timer);
    onState('broken');
    timer = setTimeout(open, waitMs);
    waitMs = Math.min(waitMs * 2, longestWaitMs);
  }

  onState('opening');
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
