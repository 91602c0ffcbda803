import { WorkflowError } from '@workflowlookup/schema';
import type { PageRequest, SessionRow } from '../session-store.ts';

/** The place of a session among those found: the order is by time of the last write, then id, both backwards. */
export interface PagePlace {
  readonly updatedAt: string;
  readonly sid: string;
}

/** A page request that is filled in. */
export interface PageStart {
  readonly limit: number;
  /** The last session of the page before. */
  readonly before?: PagePlace;
}

/** Reads a page request; a limit or cursor that can't be is `INVALID_PARAMS`. */
export function pageStart({ limit = 100, cursor }: PageRequest): PageStart {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000)
    throw new WorkflowError('INVALID_PARAMS', `A page holds 1 to 1,000 sessions, not ${limit}.`);
  return cursor === undefined ? { limit } : { limit, before: readCursor(cursor) };
}

/** The cursor that continues after this session. */
export function pageCursor({ updatedAt, sid }: SessionRow): string {
  return `${updatedAt}/${sid}`;
}

function readCursor(cursor: string): PagePlace {
  const [, updatedAt, sid] = /^([-\dT:.Z]{24})\/([!-~]{1,128})$/.exec(cursor) ?? [];
  if (updatedAt === undefined || sid === undefined)
    throw new WorkflowError('INVALID_PARAMS', 'The cursor is not one of a page before; start without one.');
  return { updatedAt, sid };
}
