import type { ReactNode } from 'react';
import { useSyncExternalStore } from 'react';
import { commonMessages } from '../messages/common.ts';
import { formatDuration } from './format.ts';

let exact: Intl.DateTimeFormat | undefined;

function exactFormat(): Intl.DateTimeFormat {
  exact ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' });
  return exact;
}

/** Returns the exact time for a tooltip, as soon as the format is there. */
export function exactTime(at: string): string | undefined {
  return exact?.format(new Date(at));
}

let withMilliseconds: Intl.DateTimeFormat | undefined;

/** Returns a format that looks like the exact one. Its styles can't have milliseconds, so it names each part. */
function millisecondFormat(): Intl.DateTimeFormat {
  withMilliseconds ??= new Intl.DateTimeFormat(undefined, {
    year: '2-digit',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  });
  return withMilliseconds;
}

/** Renders how long ago something happened and keeps it up to date. A tooltip soon has the exact time. */
export function TimeSince({
  at,
  isShort = false,
}: {
  readonly at: string;
  /** Only the duration, without "ago". */
  readonly isShort?: boolean;
}): ReactNode {
  const now = useNow();
  const spanMs = now - Date.parse(at);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {isShort ? formatDuration(Math.max(0, Math.floor(spanMs / 1000)), 1) : formatAge(spanMs)}
    </time>
  );
}

/** Renders how long it is until a time. */
export function TimeUntil({ at }: { readonly at: string }): ReactNode {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {formatDuration(Math.max(0, Math.floor((Date.parse(at) - now) / 1000)), 1)}
    </time>
  );
}

/** Renders a date and time in the user's locale and time zone. */
export function Moment({
  at,
  hasMilliseconds = false,
}: {
  readonly at: string;
  readonly hasMilliseconds?: boolean;
}): ReactNode {
  const format = hasMilliseconds ? millisecondFormat() : exactFormat();
  return <time dateTime={at}>{format.format(new Date(at))}</time>;
}

const tickMs = 5000;
/** The first formatter of a page takes a browser 50 ms and more, so tooltips get the exact time after the page is shown. */
const firstTickMs = 500;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let firstTick: ReturnType<typeof setTimeout> | undefined;
let now = Date.now();

/** Returns the current time in milliseconds since 1970. All components share one timer. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = Date.now();
  timer ??= setInterval(tick, tickMs);
  firstTick ??= setTimeout(tick, firstTickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  exactFormat();
  for (const listener of listeners) listener();
}

/** Formats the time since an event, from milliseconds: `3 min ago`. */
function formatAge(spanMs: number): string {
  const seconds = Math.floor(spanMs / 1000);
  return seconds < 5 ? commonMessages.time.justNow : commonMessages.time.ago(formatDuration(seconds, 1));
}
