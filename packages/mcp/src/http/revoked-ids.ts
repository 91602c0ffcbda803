/** The ids of sessions that were ended before their time, kept until then. */
export interface RevokedIds {
  /** Keeps an id until that time, in milliseconds since the epoch. */
  add(id: string, untilMs: number): Promise<void>;
  /** `untilMs` is that of `add`. */
  has(id: string, untilMs: number): Promise<boolean>;
}

/** Keeps them in this process alone. */
export function createRevokedIds(now: () => number): RevokedIds {
  const ends = new Map<string, number>();
  return {
    add(id, untilMs) {
      for (const [old, end] of ends) if (end <= now()) ends.delete(old);
      ends.set(id, untilMs);
      return Promise.resolve();
    },
    has: (id) => Promise.resolve(ends.has(id)),
  };
}
