/** Lets everybody do something so many times a second, with some at once after a pause. */
export interface RateLimit {
  /** The most that can be taken at once, after a pause. */
  readonly burst: number;
  /** Takes so many and returns 0, or takes none and returns how many seconds to wait. */
  take(who: string, count?: number): number;
  /** The same, and nothing counts. */
  wait(who: string): number;
}

/** How often this is done, in milliseconds. */
export interface Rate {
  /** 0 is no limit. */
  readonly perSecond: number;
  /** How many may come at once after a pause. */
  readonly burst: number;
}

/** How many principals are remembered; the one that has been idle for longest is forgotten first. */
const maxRemembered = 10_000;

/** Milliseconds of a monotonic clock: if a clock could be set back, everybody would wait for that long. */
const monotonic = (): number => performance.now();

/** Makes one. */
export function createRateLimit({ perSecond, burst }: Rate, now: () => number = monotonic): RateLimit {
  const buckets = new Map<string, { left: number; atMs: number }>();

  function leftFor(who: string, nowMs: number): number {
    const { left, atMs } = buckets.get(who) ?? { left: burst, atMs: nowMs };
    return Math.min(burst, left + ((nowMs - atMs) / 1000) * perSecond);
  }

  const secondsUntil = (left: number, count: number): number =>
    left < count ? Math.ceil((count - left) / perSecond) : 0;

  return {
    burst: perSecond === 0 ? Infinity : burst,
    take(who, count = 1) {
      if (perSecond === 0) return 0;
      const nowMs = now();
      const left = leftFor(who, nowMs);
      buckets.delete(who);
      buckets.set(who, { left: left < count ? left : left - count, atMs: nowMs });
      const [oldest] = buckets.keys();
      if (buckets.size > maxRemembered && oldest !== undefined) buckets.delete(oldest);
      return secondsUntil(left, count);
    },
    wait: (who) => (perSecond === 0 ? 0 : secondsUntil(leftFor(who, now()), 1)),
  };
}
