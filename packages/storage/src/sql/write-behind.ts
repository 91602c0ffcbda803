import { storeClosed } from '../sessions/no-session.ts';

/** Small writes that wait to share a transaction; what one is, the database says. */
export interface WriteBehind<T> {
  /** Takes a write, which is made once there is room for it; rejects when so many wait that the place must have failed. */
  add(sid: string, make: () => T): Promise<void>;
  /** The writes of a session that are not known to be done, in the order they came. */
  pending(sid: string): readonly T[];
  /** Takes back writes that were done elsewhere. */
  drop(isDone: (task: T) => boolean): void;
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
  let underWay: readonly WaitingWrite<T>[] = [];
  let flushing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const writes = waiting;
    waiting = [];
    underWay = writes;
    try {
      await write(writes);
    } catch (error) {
      waiting = [...writes, ...waiting];
      throw error;
    } finally {
      underWay = [];
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
    waiting: () => waiting.length + underWay.length,
    pending: (sid) => [...underWay, ...waiting].flatMap((one) => (one.sid === sid ? [one.task] : [])),
    drop(isDone) {
      waiting = waiting.filter(({ task }) => !isDone(task));
    },
    async close() {
      closed = true;
      await settle().catch(() => settle());
    },
    async add(sid, make) {
      if (closed) throw storeClosed();
      if (waiting.length + underWay.length >= most) await settle();
      waiting.push({ sid, task: make() });
      if (waiting.length === batch) start();
      timer ??= setTimeout(start, delayMs).unref();
    },
  };
}
