import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemCode } from '../errors.ts';

/** Watches one folder without its subfolders, like `watch` of `node:fs`. Throws if the system can't watch it. */
export type WatchFolder = (
  folder: string,
  options: { readonly persistent: false },
  listener: (event: string, name: string | null) => void,
) => Pick<FSWatcher, 'close' | 'on'>;

interface FolderWatchersOptions {
  /** Called when something happened to a path directly in a watched folder, or without a path if it is not known. */
  readonly onEvent: (path?: string) => void;
  /** Called when the system can't watch (more) folders. All watchers are closed then, and the caller has to poll. */
  readonly onExhausted: () => void;
  readonly watchFolder?: WatchFolder;
}

interface FolderWatchers {
  /** Watches exactly these folders (path to identity) from now on. Returns whether a watcher was opened. */
  follow(folders: ReadonlyMap<string, { readonly identity: string }>): Promise<boolean>;
  close(): void;
}

/** How many watchers are opened before other work gets a turn. */
const watchersPerTurn = 200;

/**
 * Makes watchers for a changing set of folders: one for each folder and none for single files, so 10,000 files in a
 * folder cost one watcher. A folder that was replaced has another identity and gets a new watcher, because the old one
 * still watches the folder that was moved away. The watchers do not keep the process alive.
 */
export function createFolderWatchers(options: FolderWatchersOptions): FolderWatchers {
  const { onEvent, onExhausted, watchFolder = watch } = options;
  const watchers = new Map<string, { readonly identity: string; readonly close: () => void }>();
  let isClosed = false;

  function open(folder: string, identity: string): void {
    const watcher = watchFolder(folder, { persistent: false }, (_event, name) =>
      onEvent(name === null ? undefined : join(folder, name)),
    );
    const forget = (): void => {
      watcher.close();
      if (watchers.get(folder)?.close === forget) watchers.delete(folder);
    };
    watcher.on('error', () => {
      forget();
      onEvent();
    });
    watchers.set(folder, { identity, close: forget });
  }

  function openIfPossible(folder: string, identity: string): boolean {
    try {
      open(folder, identity);
      return true;
    } catch (error) {
      if (isGone(error)) onEvent();
      else stopWatching();
      return false;
    }
  }

  function close(): void {
    isClosed = true;
    for (const watcher of watchers.values()) watcher.close();
  }

  function stopWatching(): void {
    close();
    onExhausted();
  }

  return {
    async follow(folders) {
      for (const [path, watcher] of watchers) {
        if (folders.get(path)?.identity !== watcher.identity) watcher.close();
      }
      const missing = [...folders].filter(([path]) => !watchers.has(path));
      let opened = 0;
      for (const [path, { identity }] of missing) {
        if (isClosed) break;
        if (openIfPossible(path, identity)) opened += 1;
        if (opened % watchersPerTurn === watchersPerTurn - 1) await setImmediate();
      }
      return opened > 0;
    },
    close,
  };
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCode(error));
}

/** Collects events and handles them in batches, one batch at a time. */
interface EventBatcher {
  add(path?: string): void;
  /** Runs a task after the batches before it. */
  run(task: () => Promise<void>): Promise<void>;
  /** Drops the collected events and accepts no more. Resolves when the current batch is done. */
  close(): Promise<void>;
}

/** How long events are collected. Saving a file causes several events, and the file is complete after the last one. */
const collectMs = 50;

/** With this many paths, a scan of everything is cheaper than a check of each path. */
const maxPaths = 1_000;

/** Makes a batcher. `handle` gets each path of a batch once, or `'all'`. It must not reject. */
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

  async function handleBatch(): Promise<void> {
    const batch = isAll ? 'all' : [...paths];
    paths.clear();
    isAll = false;
    await handle(batch);
  }

  return {
    add(path) {
      if (isClosed) return;
      if (path === undefined || paths.size >= maxPaths) isAll = true;
      else paths.add(path);
      timer ??= setTimeout(() => {
        timer = undefined;
        void run(handleBatch);
      }, collectMs).unref();
    },
    run,
    close() {
      isClosed = true;
      clearTimeout(timer);
      return work;
    },
  };
}
