/** Lets everybody do something so many times a second, with some at once after a pause. */
export interface RateLimit {
  /** 0 where one more is in order, which then counts, else how many seconds to wait. */
  take(who: string): number;
  /** The same, and nothing counts. */
  wait(who: string): number;
}

/** How often. */
export interface Rate {
  /** 0 is no limit. */
  readonly perSecond: number;
  /** How many may come at once after a pause. */
  readonly burst: number;
}

/** Those whose use is remembered; who has been quiet for longest is forgotten first. */
const maxRemembered = 10_000;

/** Makes one. */
export function createRateLimit({ perSecond, burst }: Rate, now: () => number = () => Date.now()): RateLimit {
  const buckets = new Map<string, { left: number; atMs: number }>();

  function leftFor(who: string, nowMs: number): number {
    const { left, atMs } = buckets.get(who) ?? { left: burst, atMs: nowMs };
    return Math.min(burst, left + ((nowMs - atMs) / 1000) * perSecond);
  }

  const secondsUntil = (left: number): number => (left < 1 ? Math.ceil((1 - left) / perSecond) : 0);

  return {
    take(who) {
      if (perSecond === 0) return 0;
      const nowMs = now();
      const left = leftFor(who, nowMs);
      buckets.delete(who);
      buckets.set(who, { left: left < 1 ? left : left - 1, atMs: nowMs });
      const [oldest] = buckets.keys();
      if (buckets.size > maxRemembered && oldest !== undefined) buckets.delete(oldest);
      return secondsUntil(left);
    },
    wait: (who) => (perSecond === 0 ? 0 : secondsUntil(leftFor(who, now()))),
  };
}
