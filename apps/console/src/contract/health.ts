import type { SessionCounts } from '@workflowlookup/core';
import type { CatalogueSource } from './workflows.ts';

/** Calls of tools that failed, by the code of the failure, since the server started. */
export interface Refused {
  readonly code: string;
  readonly count: number;
}

/** How long responses took to begin, of one route since the server started. */
export interface Latency {
  readonly route: string;
  readonly count: number;
  /** Upper bounds, from a histogram; absent where no bucket is high enough. */
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  readonly p99Ms?: number;
}

/** `GET /console/api/health`. */
export interface ConsoleHealth {
  readonly status: 'ready' | 'draining' | 'not_ready';
  readonly version: string;
  readonly node: string;
  readonly uptimeSeconds: number;
  readonly database: {
    readonly ok: boolean;
    /** `sqlite` or `postgres`. */
    readonly adapter: string;
    readonly lastChange: number;
    readonly problem?: string;
  };
  readonly keys: { readonly ok: boolean; readonly count: number; readonly problem?: string };
  readonly sources: readonly (CatalogueSource & { readonly errors: number; readonly warnings: number })[];
  readonly runs: SessionCounts;
  /** Most frequent first. */
  readonly refusals: readonly Refused[];
  readonly latency: readonly Latency[];
  /** Live MCP sessions and streams that clients read. */
  readonly clients: { readonly sessions: number; readonly streams: number };
  /** When it was looked at; ISO 8601. */
  readonly at: string;
}
