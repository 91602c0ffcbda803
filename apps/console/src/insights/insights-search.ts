import { textParams } from '../api/client.ts';
import { sinceOf } from '../sessions/ages.ts';

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
  const since = sinceOf(age, nowMs);
  return { ...(workflow !== undefined && { workflow }), ...(since !== undefined && { since }) };
}
