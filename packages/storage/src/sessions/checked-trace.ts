import { digestOf } from '@workflowlookup/schema';
import type { JsonObject } from '@workflowlookup/schema';

/** Which agents and calls of a session were checked: so many from the first on, and their digest. */
export interface CheckedTrace {
  readonly agents: number;
  readonly calls: number;
  readonly digest: string;
}

/** Describes the agents and calls of a session that were checked, so that they can be recognized when they are read again. */
export function checkedTrace(agents: readonly string[], calls: readonly JsonObject[]): CheckedTrace {
  return {
    agents: agents.length,
    calls: calls.length,
    digest: calls.reduce(digestWithCall, digestOf(agents)),
  };
}

/** The digest of a trace with one more call. */
export function digestWithCall(digest: string, call: JsonObject): string {
  return digestOf([digest, call]);
}
