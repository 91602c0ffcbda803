import { WorkflowError } from '@workflowlookup/schema';
import type { PageRequest } from '../session-store.ts';

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
export function pageCursor({ updatedAt, sid }: PagePlace): string {
  return `${encodeURIComponent(updatedAt)}/${encodeURIComponent(sid)}`;
}

function readCursor(cursor: string): PagePlace {
  try {
    const [updatedAt = '', sid = '', ...more] = cursor.split('/').map(decodeURIComponent);
    if (sid !== '' && more.length === 0 && pageCursor({ updatedAt, sid }) === cursor)
      return { updatedAt, sid };
  } catch {
    // Not spelled as a cursor is, as is said below.
  }
  throw new WorkflowError(
    'INVALID_PARAMS',
    'The cursor does not come from an earlier page; start without one.',
  );
}
