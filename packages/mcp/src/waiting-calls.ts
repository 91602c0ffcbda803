import type { CallUnderWay } from './call-under-way.ts';

/** The calls of one connection that wait for a person: they end when it does, and do not hold it open. */
export class WaitingCalls {
  readonly #calls = new Set<CallUnderWay>();
  #isOver = false;

  /** Keeps a call that begins to wait until it is done; after the end it is ended at once. */
  add(call: CallUnderWay): void {
    this.#calls.add(call);
    void call.done.then(() => this.#calls.delete(call));
    if (this.#isOver) call.end();
  }

  /** Ends all of them, and those that come later; resolves when they are done. */
  async end(): Promise<void> {
    this.#isOver = true;
    const calls = [...this.#calls];
    for (const call of calls) call.end();
    await Promise.all(calls.map(({ done }) => done));
  }
}
