import type { SessionListRow } from '../contract/index.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { valueOf } from './session-names.ts';

const { ages: labels, idle: idleLabels } = sessionMessages.filters;

/** The periods in which a session was last changed, by their key in the URL. */
export const ages: Readonly<Record<string, { readonly label: string; readonly hours: number }>> = {
  hour: { label: labels.hour, hours: 1 },
  day: { label: labels.day, hours: 24 },
  week: { label: labels.week, hours: 168 },
  month: { label: labels.month, hours: 720 },
  quarter: { label: labels.quarter, hours: 2_160 },
};

/** The times for which nothing has changed in a session, by their key in the URL. */
export const idleTimes: typeof ages = {
  'idle-hour': { label: idleLabels.hour, hours: 1 },
  'idle-day': { label: idleLabels.day, hours: 24 },
  'idle-week': { label: idleLabels.week, hours: 168 },
};

/** Returns whether an active session has had no event for an hour. */
export function isIdle(
  { status, updatedAt }: Pick<SessionListRow, 'status' | 'updatedAt'>,
  nowMs: number,
): boolean {
  return status === 'active' && nowMs - Date.parse(updatedAt) >= 3_600_000;
}

/**
 * Returns the time since which, or before which, the sessions of a period or of an idle time changed last. It is rounded
 * to the minute, so that the cache key stays the same for a while.
 */
export function changedIn(
  age: string | undefined,
  nowMs: number,
): { readonly since?: string; readonly before?: string } {
  const [period, idle] = [ages, idleTimes].map((times) =>
    age === undefined ? undefined : valueOf(times, age),
  );
  const start = (hours: number): string =>
    new Date(Math.floor(nowMs / 60_000) * 60_000 - hours * 3_600_000).toISOString();
  return { ...(period && { since: start(period.hours) }), ...(idle && { before: start(idle.hours) }) };
}
