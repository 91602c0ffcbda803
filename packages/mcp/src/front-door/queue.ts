/** Runs jobs in the order they came, one at a time; a job may leave, and then the next begins before it is done. */
export class Queue {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs a job when its turn comes, and gives what it gives. */
  run<T>(job: (leave: () => void) => Promise<T>): Promise<T> {
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const run = this.#tail.then(() => job(leave));
    // The failure of one job is its own; the next goes on.
    this.#tail = Promise.race([left, run.catch(() => undefined)]);
    return run;
  }
}
