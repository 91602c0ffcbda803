import { spanText } from './span-text.ts';

/** How long ago something was, from a span of milliseconds: `3 min ago`. */
export function agoText(spanMs: number): string {
  const seconds = Math.floor(spanMs / 1000);
  return seconds < 5 ? 'just now' : `${spanText(seconds, 1)} ago`;
}
