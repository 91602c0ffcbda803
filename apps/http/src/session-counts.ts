import type { SessionCounts } from '@workflowlookup/core';

/** How long a count is good enough. */
const keepMs = 5_000;

/** What counting sessions takes. */
export interface SessionCountsParts {
  ask(): Promise<SessionCounts>;
  /** Told of a count that failed. */
  onError(error: unknown): void;
  readonly now?: () => number;
}

/** How many sessions there are, asked for every few seconds at most; `undefined` where the database does not say. */
export function createSessionCounts({
  ask,
  onError,
  now = () => performance.now(),
}: SessionCountsParts): () => Promise<SessionCounts | undefined> {
  let asked: { readonly atMs: number; readonly counts: Promise<SessionCounts | undefined> } | undefined;

  async function count(): Promise<SessionCounts | undefined> {
    try {
      return await ask();
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  return () => {
    const nowMs = now();
    if (asked === undefined || nowMs - asked.atMs >= keepMs) asked = { atMs: nowMs, counts: count() };
    return asked.counts;
  };
}
