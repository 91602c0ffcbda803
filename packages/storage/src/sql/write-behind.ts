import { storeClosed } from '../sessions/no-session.ts';

/** Small writes that wait to share a transaction; what one is, the database says. */
export interface WriteBehind<T> {
  /** Takes a write; rejects when so many wait that the place must have failed. */
  add(sid: string, task: T): Promise<void>;
  /** Settles when the writes of a session, or of all, are done. */
  settle(sid?: string): Promise<void>;
  /** How many wait. */
  waiting(): number;
  /** Settles all, and takes no more; what failed is tried once more, for nobody comes back to it. */
  close(): Promise<void>;
}

/** A write that waits. */
export interface WaitingWrite<T> {
  readonly sid: string;
  readonly task: T;
}

/** When writes are done. */
export interface WriteBehindOptions<T> {
  /** Does writes in one transaction, those of one session in the order they came. */
  readonly write: (writes: readonly WaitingWrite<T>[]) => Promise<void>;
  /** After this time, */
  readonly delayMs: number;
  /** or when this many wait. */
  readonly batch: number;
  /** So many may wait when writing fails. */
  readonly most: number;
}

/** Collects writes that may be lost in a crash, and does them together, in the order they came. What fails stays and is tried again. */
export function createWriteBehind<T>({ write, delayMs, batch, most }: WriteBehindOptions<T>): WriteBehind<T> {
  let waiting: WaitingWrite<T>[] = [];
  let underWay = 0;
  let flushing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const writes = waiting;
    waiting = [];
    underWay = writes.length;
    try {
      await write(writes);
    } catch (error) {
      waiting = [...writes, ...waiting];
      throw error;
    } finally {
      underWay = 0;
    }
  }

  async function settle(sid?: string): Promise<void> {
    while (flushing !== undefined || waiting.some((one) => sid === undefined || one.sid === sid)) {
      flushing ??= flush().finally(() => (flushing = undefined));
      await flushing;
    }
  }

  function start(): void {
    // What fails stays, and the next call that needs it meets the same failure and says so.
    settle().catch(() => {});
  }

  return {
    settle,
    waiting: () => waiting.length + underWay,
    async close() {
      closed = true;
      await settle().catch(() => settle());
    },
    async add(sid, task) {
      if (closed) throw storeClosed();
      if (waiting.length + underWay >= most) await settle();
      waiting.push({ sid, task });
      if (waiting.length === batch) start();
      timer ??= setTimeout(start, delayMs).unref();
    },
  };
}
