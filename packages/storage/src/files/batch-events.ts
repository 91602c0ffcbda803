/** Gathers events and hands them over in batches, one batch at a time. */
export interface EventBatcher {
  /** Something happened to a path, or somewhere when there is no path. */
  note(path?: string): void;
  /** Runs a task after the batches before it. */
  run(task: () => Promise<void>): Promise<void>;
  /** Forgets what was gathered and takes nothing more; settles when the work begun is done. */
  close(): Promise<void>;
}

/** Events are gathered this long: a save is several of them, and the file is whole after the last. */
const gatherMs = 50;

/** From so many paths on, one look through everything is cheaper than one at each. */
const manyPaths = 1_000;

/** Makes a batcher. `handle` gets the paths of a batch, each once, or `'all'`; it must not reject. */
export function batchEvents(handle: (paths: readonly string[] | 'all') => Promise<void>): EventBatcher {
  const paths = new Set<string>();
  let isAll = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> = Promise.resolve();

  function run(task: () => Promise<void>): Promise<void> {
    work = work.then(() => (isClosed ? undefined : task()));
    return work;
  }

  async function handOver(): Promise<void> {
    const batch = isAll ? 'all' : [...paths];
    paths.clear();
    isAll = false;
    await handle(batch);
  }

  return {
    note(path) {
      if (isClosed) return;
      if (path === undefined || paths.size >= manyPaths) isAll = true;
      else paths.add(path);
      timer ??= setTimeout(() => {
        timer = undefined;
        void run(handOver);
      }, gatherMs).unref();
    },
    run,
    close() {
      isClosed = true;
      clearTimeout(timer);
      return work;
    },
  };
}
