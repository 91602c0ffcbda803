/** One call while it is carried out: what ends it early, and whether it is done. */
export class CallUnderWay {
  #controller: AbortController | undefined;
  #isEnded = false;
  readonly #finished: () => void;
  /** Resolves when the call is done, whatever became of it. */
  readonly done: Promise<void>;

  /** `outer` ends the call too. */
  constructor(outer?: AbortSignal) {
    let finished: () => void = () => undefined;
    this.done = new Promise((resolve) => {
      finished = resolve;
    });
    this.#finished = finished;
    if (outer?.aborted === true) this.end();
    else outer?.addEventListener('abort', () => this.end(), { once: true });
  }

  /** Aborted when the call is ended early. Made when it is first asked for: few calls look at it, and it is dear. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isEnded) this.#controller.abort();
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
}
