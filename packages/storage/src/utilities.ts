import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WorkflowSummary } from '@workflowlookup/schema';
import type { DefinitionProblem, WorkflowChange } from './workflow-store.ts';

/** Compares two strings by UTF-16 code units, which gives the same order on every machine and in every locale. */
export function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns the problems sorted by id, then file, as a frozen list. */
export function sortProblems(problems: Iterable<DefinitionProblem>): readonly DefinitionProblem[] {
  return Object.freeze(
    [...problems].toSorted((a, b) => byCodeUnits(a.id, b.id) || byCodeUnits(a.file, b.file)),
  );
}

/** Returns the summaries sorted by id, as a frozen list. */
export function sortSummaries(summaries: Iterable<WorkflowSummary>): readonly WorkflowSummary[] {
  return Object.freeze([...summaries].toSorted((a, b) => byCodeUnits(a.id, b.id)));
}

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

interface Cached<T> {
  /** Returns the value. Concurrent calls share one request. */
  get(): Promise<T>;
  /** Discards the value, so that the next call loads it again. */
  forget(): void;
}

/** Caches the result of `load` until it is discarded. Failures are not cached. */
export function cacheResult<T>(load: () => Promise<T>): Cached<T> {
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

interface Listeners<Change extends { readonly length: number } = WorkflowChange> {
  watch(listener: (change: Change) => void): () => void;
  /** Calls every listener, unless the change is empty. */
  emit(change: Change): void;
  clear(): void;
}

/** Makes an empty set of listeners. A function that is added twice is called twice. */
export function createListeners<
  Change extends { readonly length: number } = WorkflowChange,
>(): Listeners<Change> {
  const listeners = new Set<{ readonly call: (change: Change) => void }>();
  return {
    watch(listener) {
      const entry = { call: listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    emit(change) {
      if (change.length === 0) return;
      for (const listener of listeners) listener.call(change);
    },
    clear: () => listeners.clear(),
  };
}

export function systemCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}

/** Long work keeps everything else waiting for at most about this long. */
const partMs = 4;

/** Only one piece of work runs between two turns of the event loop, however many are under way. */
let lastTurn: Promise<unknown> = Promise.resolve();

/**
 * Returns a function for the rounds of a long loop. Awaited in each round, it lets other work run whenever the loop has
 * taken some milliseconds. Promises alone don't: the event loop serves nobody while they settle one another.
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
    // Rounds without a promise, because there may be very many.
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

/** Splits a search into its words, in lower case. */
export function wordsOf(search: string): readonly string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean);
}
