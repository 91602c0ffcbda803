import type { SessionParts } from './parts.ts';

/** Milliseconds since the epoch. */
export function nowOf({ now = () => new Date() }: Pick<SessionParts, 'now'>): number {
  return now().getTime();
}

/** Milliseconds of a monotonic clock, to measure how long something takes. */
export function steadyMs({ now }: Pick<SessionParts, 'now'>): number {
  return now === undefined ? performance.now() : now().getTime();
}
