import { sessionMessages } from '../messages/sessions.ts';

const { ages: labels } = sessionMessages.filters;

/** The periods in which a session was last changed, by their key in the URL. */
export const ages: Readonly<Record<string, { readonly label: string; readonly hours: number }>> = {
  hour: { label: labels.hour, hours: 1 },
  day: { label: labels.day, hours: 24 },
  week: { label: labels.week, hours: 168 },
  month: { label: labels.month, hours: 720 },
  quarter: { label: labels.quarter, hours: 2_160 },
};

/**
 * Returns the start of a period, or `undefined` for no or an unknown one. It is rounded to the minute, so that the cache
 * key stays the same for a while.
 */
export function sinceOf(age: string | undefined, nowMs: number): string | undefined {
  const period = age !== undefined && Object.hasOwn(ages, age) ? ages[age] : undefined;
  if (period === undefined) return undefined;
  return new Date(Math.floor(nowMs / 60_000) * 60_000 - period.hours * 3_600_000).toISOString();
}
