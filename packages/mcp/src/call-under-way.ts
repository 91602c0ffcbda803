/** One call while it is carried out: what ends it early, and whether it is done. */
export class CallUnderWay {
  readonly #outer: AbortSignal | undefined;
  readonly #finished: () => void;
  #controller: AbortController | undefined;
  #isEnded = false;
  /** Resolves when the call is done, whatever became of it. */
  readonly done: Promise<void>;

  /** `outer` ends the call too. */
  constructor(outer?: AbortSignal) {
    let finished: () => void = () => undefined;
    this.done = new Promise((resolve) => {
      finished = resolve;
    });
    this.#finished = finished;
    this.#outer = outer;
  }

  /** Aborted when the call is ended early. Made when it is first asked for: few calls look at it, and it is dear. */
  get signal(): AbortSignal {
    this.#controller ??= this.#open();
    return this.#controller.signal;
  }

  /** Asks the call to come to its end. */
  end(): void {
    this.#isEnded = true;
    this.#controller?.abort();
  }

  /** Says that the call is done. */
  finish(): void {
    this.#finished();
  }

  #open(): AbortController {
    const controller = new AbortController();
    if (this.#isEnded || this.#outer?.aborted === true) controller.abort();
    else this.#outer?.addEventListener('abort', () => this.end(), { once: true });
    return controller;
  }
}
