import type { WorkflowSummary } from '@workflowlookup/schema';
import { byCodeUnits } from './by-code-units.ts';

/** Summaries in the order of a list: by id. The result can't be changed. */
export function sortSummaries(summaries: Iterable<WorkflowSummary>): readonly WorkflowSummary[] {
  return Object.freeze([...summaries].toSorted((a, b) => byCodeUnits(a.id, b.id)));
}
