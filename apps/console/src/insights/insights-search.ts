import { textParams } from '../api/client.ts';
import { insightMessages } from '../messages/insights.ts';

/** What the URL of the insights says. */
export interface InsightsSearch {
  readonly workflow?: string;
  /** A key of {@link periods}. */
  readonly age?: string;
}

export function readInsightsSearch({ workflow, age }: Readonly<Record<string, unknown>>): InsightsSearch {
  return textParams({ workflow, age });
}

const { ages } = insightMessages.filters;

export const periods: Readonly<Record<string, { readonly label: string; readonly days: number }>> = {
  week: { label: ages.week, days: 7 },
  month: { label: ages.month, days: 30 },
  quarter: { label: ages.quarter, days: 90 },
};

/** Returns the query for the server. Times are rounded to the hour, so that the cache key stays the same for a while. */
export function insightsFilterOf(
  { workflow, age }: InsightsSearch,
  nowMs: number,
): { readonly workflow?: string; readonly since?: string } {
  const span = age !== undefined && Object.hasOwn(periods, age) ? periods[age] : undefined;
  const since = span && Math.floor(nowMs / 3_600_000) * 3_600_000 - span.days * 86_400_000;
  return {
    ...(workflow !== undefined && { workflow }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
  };
}
