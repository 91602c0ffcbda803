import type { RunsFilter } from '../api/merge-runs.ts';
import { readText } from '../api/read-text.ts';

/** The filters of the list of runs, as its address has them. */
export interface RunsSearch {
  readonly status?: string;
  readonly workflow?: string;
  readonly agent?: string;
  readonly text?: string;
  readonly parent?: string;
  /** Key of {@link ages}. */
  readonly age?: string;
}

/** Spans a list can be limited to, with their hours. */
export const ages: Readonly<Record<string, { readonly label: string; readonly hours: number }>> = {
  hour: { label: 'the last hour', hours: 1 },
  day: { label: 'the last day', hours: 24 },
  week: { label: 'the last week', hours: 168 },
  month: { label: 'the last 30 days', hours: 720 },
};

/** The filters of an address. */
export function readRunsSearch(search: Readonly<Record<string, unknown>>): RunsSearch {
  const { status, workflow, agent, text, parent, age } = search;
  return readText({ status, workflow, agent, text, parent, age });
}

/** What the server is asked for. A span ends at its own minute, so that the same filter is the same question for a while. */
export function filterOf({ age, ...rest }: RunsSearch, nowMs: number): RunsFilter {
  const span = age !== undefined && Object.hasOwn(ages, age) ? ages[age] : undefined;
  if (span === undefined) return rest;
  const since = Math.floor(nowMs / 60_000) * 60_000 - span.hours * 3_600_000;
  return { ...rest, since: new Date(since).toISOString() };
}
