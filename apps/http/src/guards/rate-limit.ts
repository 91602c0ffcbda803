/** Lets each principal make so many requests a second, with some at once after a pause. */
export interface RateLimit {
  /** 0 where a request may go on, else how many seconds to wait. */
  take(principal: string): number;
}

/** Requests that may come at once after a pause, in seconds' worth. */
const burstSeconds = 3;

/** Principals whose use is remembered; one that has been quiet for the burst is forgotten first. */
const maxPrincipals = 10_000;

/** Makes one; `perSecond` 0 lets everything through. */
export function createRateLimit(perSecond: number, now: () => number = () => Date.now()): RateLimit {
  const burst = perSecond * burstSeconds;
  const buckets = new Map<string, { left: number; atMs: number }>();

  return {
    take(principal) {
      if (perSecond === 0) return 0;
      const nowMs = now();
      const { left, atMs } = buckets.get(principal) ?? { left: burst, atMs: nowMs };
      const filled = Math.min(burst, left + ((nowMs - atMs) / 1000) * perSecond);
      buckets.delete(principal);
      buckets.set(principal, { left: filled < 1 ? filled : filled - 1, atMs: nowMs });
      const [oldest] = buckets.keys();
      if (buckets.size > maxPrincipals && oldest !== undefined) buckets.delete(oldest);
      return filled < 1 ? Math.ceil((1 - filled) / perSecond) : 0;
    },
  };
}
