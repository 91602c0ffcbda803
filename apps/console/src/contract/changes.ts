import type { SessionCounts } from '@workflowlookup/core';
import type { RunRow } from './runs.ts';

/** Runs that were written to, by any process, since the last event. */
export interface RunsChanged {
  /** As they are now, the one last written to first; at most 50. */
  readonly runs: readonly RunRow[];
  /** There are more than those: the list has to be asked for anew. */
  readonly isMore: boolean;
  readonly counts: SessionCounts;
}

/** Definitions that changed on the disk. */
export interface WorkflowsChanged {
  readonly ids: readonly string[] | 'all';
}

/** The server ends the stream: `draining` to be opened again soon, `signed-out` to sign in, `limit` to open it anew. */
export interface StreamEnd {
  readonly reason: 'draining' | 'signed-out' | 'limit';
}

/**
 * `GET /console/api/changes`: server-sent events, each with the name of its field here and its JSON as data. The first is
 * `hello`, after which nothing is missed; after a break of the connection the page asks anew for what it shows.
 */
export interface ChangeEvents {
  readonly hello: { readonly version: string; readonly counts: SessionCounts };
  readonly runs: RunsChanged;
  readonly workflows: WorkflowsChanged;
  readonly end: StreamEnd;
}
