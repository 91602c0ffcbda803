import type { SessionListRow } from '../contract.ts';
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
 * Returns the start of a period, or `undefined` for no or an unknown one. It is rounded to the minute, so that the cache
 * key stays the same for a while.
 */
export function sinceOf(age: string | undefined, nowMs: number): string | undefined {
  return startOf(ages, age, nowMs);
}

/** Returns the time before which sessions that are idle for this long changed last, rounded like {@link sinceOf}. */
export function beforeOf(age: string | undefined, nowMs: number): string | undefined {
  return startOf(idleTimes, age, nowMs);
}

function startOf(periods: typeof ages, key: string | undefined, nowMs: number): string | undefined {
  const period = key === undefined ? undefined : valueOf(periods, key);
  if (period === undefined) return undefined;
  return new Date(Math.floor(nowMs / 60_000) * 60_000 - period.hours * 3_600_000).toISOString();
}
