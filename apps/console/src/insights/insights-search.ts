import { textParams } from '../api/client.ts';
import { ages, changedIn } from '../sessions/ages.ts';

/** What the URL of the insights says. */
export interface InsightsSearch {
  readonly workflow?: string;
  /** A key of the ages of sessions, so that a figure leads to the sessions of the same period. */
  readonly age?: string;
}

export function readInsightsSearch({ workflow, age }: Readonly<Record<string, unknown>>): InsightsSearch {
  return textParams({ workflow, age });
}

/** Returns the query for the server. */
export function insightsFilterOf(
  { workflow, age }: InsightsSearch,
  nowMs: number,
): { readonly workflow?: string; readonly since?: string } {
  const { since } = changedIn(age, nowMs);
  return { ...(workflow !== undefined && { workflow }), ...(since !== undefined && { since }) };
}

/** Returns a file name for the figures that says what they are about: `insights-shop-last-7-days-2026-03-01.csv`. */
export function csvName({ workflow = 'all workflows', age = '' }: InsightsSearch, nowMs: number): string {
  const period = Object.hasOwn(ages, age) ? ages[age]?.label : undefined;
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const words = ['insights', workflow, (period ?? 'any time').replace(/^the /, ''), day];
  return `${words.map((word) => word.replaceAll(/[^\p{L}\p{N}_.]+/gu, '-')).join('-')}.csv`;
}
