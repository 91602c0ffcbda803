/** An answer that is asked for once and then kept. */
export interface Kept<T> {
  /** The answer; calls that come together share one question. */
  get(): Promise<T>;
  /** Lets the next call ask anew. */
  forget(): void;
}

/** Keeps the answer of `load` until it is told to forget it; a failure is not kept. */
export function keepOnce<T>(load: () => Promise<T>): Kept<T> {
  let kept: Promise<T> | undefined;

  function ask(): Promise<T> {
    const answer = load();
    answer.catch(() => {
      if (kept === answer) kept = undefined;
    });
    return answer;
  }

  return {
    get: async () => (kept ??= ask()),
    forget: () => (kept = undefined),
  };
}
