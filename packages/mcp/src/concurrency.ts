import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** A call in progress, which can be aborted and says when it has finished. */
export class CallInProgress {
  readonly #controller = new AbortController();
  readonly #finished: () => void;
  /** Is aborted when the call ends early. */
  readonly signal: AbortSignal = this.#controller.signal;
  /** Resolves when the call has finished, whether it succeeded, failed or was aborted. */
  readonly done: Promise<void>;

  /** Creates a call that is also aborted by the signal `outer`. */
  constructor(outer?: AbortSignal) {
    let finished: () => void = () => undefined;
    this.done = new Promise((resolve) => {
      finished = resolve;
    });
    this.#finished = finished;
    if (outer?.aborted === true) this.abort();
    else outer?.addEventListener('abort', () => this.abort(), { once: true });
  }

  abort(): void {
    this.#controller.abort();
  }

  finish(): void {
    this.#finished();
  }
}

/** The calls of one connection that wait for a person. They are aborted when the connection ends. */
export class WaitingCalls {
  readonly #calls = new Set<CallInProgress>();
  #isOver = false;

  /** Adds a call that begins to wait. If the connection has already ended, the call is aborted at once. */
  add(call: CallInProgress): void {
    this.#calls.add(call);
    void call.done.then(() => this.#calls.delete(call));
    if (this.#isOver) call.abort();
  }

  /** Aborts all waiting calls and every later one; resolves when the current ones have finished. */
  async abort(): Promise<void> {
    this.#isOver = true;
    const calls = [...this.#calls];
    for (const call of calls) call.abort();
    await Promise.all(calls.map(({ done }) => done));
  }
}

/** Waits for the next turn of the event loop, behind everyone who already waits for one. */
export type Turns = () => Promise<void>;

/** Creates turns for long work that is split into parts, so that other requests are served in between. */
export function createTurns(): Turns {
  let last = Promise.resolve();
  return () => (last = last.then(() => nextTurn()));
}

/** Runs jobs one at a time, in the order they were added. A job may leave the queue early to let the next one begin. */
export class Queue {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs a job when its turn comes, and returns its result. */
  run<T>(job: (leave: () => void) => Promise<T>): Promise<T> {
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const run = this.#tail.then(() => job(leave));
    // A failed job does not stop the next one.
    this.#tail = Promise.race([left, run.catch(() => undefined)]);
    return run;
  }
}

/** The longest pause between two jobs of a paced queue, in milliseconds. */
const maxPauseMs = 50;

/**
 * A queue that leaves at least half of the time to other work: before each job it pauses for as long as the previous job
 * took. Otherwise the calls of a batch would keep every other client waiting until the last one has finished.
 */
export class PacedQueue {
  readonly #queue = new Queue();
  #pauseMs = 0;

  /** Runs a job when its turn comes, and returns its result. */
  run<T>(job: (leave: () => void) => Promise<T>): Promise<T> {
    return this.#queue.run(async (leave) => {
      await (this.#pauseMs < 1 ? nextTurn() : pause(this.#pauseMs));
      const startMs = performance.now();
      try {
        return await job(leave);
      } finally {
        this.#pauseMs = Math.min(maxPauseMs, performance.now() - startMs);
      }
    });
  }
}

/** Returns a loader that runs `load` only once. After a failure, the next call runs it again. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
