import type { WorkflowSummary } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';

/** Which workflows to list; every filter given must hold. */
export interface ListQuery {
  /** Text that the id, name, description or a tag contains, whatever its case. */
  readonly query?: string;
  readonly category?: string;
  /** Tags a workflow must have, all of them. */
  readonly tags?: readonly string[];
  /** Page size; without it everything comes at once. */
  readonly limit?: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** One page of summaries, sorted by id. */
export interface Page {
  readonly workflows: readonly WorkflowSummary[];
  /** Present when there are more. */
  readonly nextCursor?: string;
}

/**
 * Filters and pages summaries that are sorted by id. Pages stay whole when workflows come and go between them: a
 * cursor names the id it stopped at, not a position.
 *
 * @throws WorkflowError INVALID_PARAMS for a cursor that none of these pages gave
 */
export function selectPage(summaries: readonly WorkflowSummary[], query: ListQuery): Page {
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const matching = summaries.filter(
    (summary) => matches(summary, query) && (after === undefined || summary.id > after),
  );
  const { limit = matching.length } = query;
  const workflows = matching.slice(0, limit);
  const last = workflows.at(-1);
  return matching.length > limit && last !== undefined
    ? { workflows, nextCursor: writeCursor(last.id) }
    : { workflows };
}

function matches(summary: WorkflowSummary, { query, category, tags }: ListQuery): boolean {
  if (category !== undefined && summary.category !== category) return false;
  if (tags !== undefined && !tags.every((tag) => summary.tags.includes(tag))) return false;
  if (query === undefined) return true;
  const wanted = query.trim().toLowerCase();
  const { id, name, description } = summary;
  return [id, name, description, ...summary.tags].some((text) => text.toLowerCase().includes(wanted));
}

function writeCursor(id: string): string {
  return `after:${id}`;
}

function readCursor(cursor: string): string {
  if (cursor.startsWith('after:')) return cursor.slice('after:'.length);
  throw new WorkflowError('INVALID_PARAMS', "cursor must be the 'nextCursor' of an earlier page", {
    data: { details: "cursor must be the 'nextCursor' of an earlier page" },
  });
}
