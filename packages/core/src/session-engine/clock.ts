import type { SessionParts } from './parts.ts';

/** Milliseconds since the epoch. */
export function nowOf({ now = () => new Date() }: Pick<SessionParts, 'now'>): number {
  return now().getTime();
}
