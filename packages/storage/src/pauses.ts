import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs a task for every item, at most `limit` at a time. If a task rejects, no more tasks start. */
export async function forEachLimit<T>(
  items: Iterable<T>,
  limit: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  async function work(): Promise<void> {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await task(next.value);
  }
  await Promise.all(Array.from({ length: limit }, work));
}

/** Long work lets other work run after about this many milliseconds. */
const partMs = 4;

/** Between two turns of the event loop, only one piece of long work runs, however many are in progress. */
let lastTurn: Promise<unknown> = Promise.resolve();

/**
 * Returns a function to await in each iteration of a long loop. It lets other work run whenever the loop has run for a
 * few milliseconds. Awaiting any other promise is not enough: a chain of settled promises blocks the event loop.
 */
export function createPauses(): () => Promise<void> {
  let startMs = -Infinity;
  return async () => {
    if (performance.now() - startMs < partMs) return;
    await (lastTurn = lastTurn.then(() => nextTurn()));
    startMs = performance.now();
  };
}

/** Runs long work in short parts and lets other work run in between. Each `yield` may end a part. */
export async function inTurns<Result>(work: Generator<void, Result>): Promise<Result> {
  const pause = createPauses();
  for (;;) {
    await pause();
    // This inner loop awaits nothing, because there may be very many iterations.
    const startMs = performance.now();
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() - startMs < partMs);
  }
}

/** Runs the same work at once. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Converts every item, as long work. */
export function* each<Item, Value>(
  items: readonly Item[],
  convert: (item: Item) => Value,
): Generator<void, readonly Value[]> {
  const values: Value[] = [];
  for (const item of items) {
    values.push(convert(item));
    yield;
  }
  return values;
}
