import { batchEvents } from './batch-events.ts';
import type { DefinitionSource } from './definition-source.ts';
import type { WatchFolder } from './folder-watchers.ts';
import { createFolderWatchers } from './folder-watchers.ts';
import { identifyDirectory } from './identify-directory.ts';

/** What is kept current, and who is told. */
export interface KeepCurrentOptions {
  readonly directory: string;
  readonly source: DefinitionSource;
  readonly updates: 'events' | 'poll' | 'off';
  readonly onChange: (ids: readonly string[]) => void;
  readonly watchFolder?: WatchFolder;
}

/** Keeps a source current from the first `start` to `close`. */
export interface Keeper {
  /** Settles, always well, once everything was read. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** How often what no event tells is checked. */
const beatMs = 500;

/** Makes a keeper that has not started. Its timers and watchers don't keep the process alive. */
export function keepCurrent(options: KeepCurrentOptions): Keeper {
  const { directory, source, updates, onChange, watchFolder } = options;
  let isPolling = updates === 'poll';
  let isClosed = false;
  let beating: NodeJS.Timeout | undefined;
  let started: Promise<void> | undefined;

  const events = batchEvents(async (paths) => {
    const ids = (paths === 'all' ? undefined : await source.refresh(paths)) ?? (await source.rescan());
    if (!isClosed) onChange(ids);
    await follow();
  });
  const watchers = createFolderWatchers({
    onEvent: events.note,
    onExhausted: () => (isPolling = true),
    ...(watchFolder && { watchFolder }),
  });

  /** Whatever happened before a watcher was there told nobody, so a new one asks for another look. */
  async function follow(): Promise<void> {
    if (isPolling || isClosed) return;
    const isNew = await watchers.follow(source.seen()?.folders ?? new Map());
    if (isNew) events.note();
  }

  async function beat(): Promise<void> {
    const seen = source.seen();
    const { identity } = await identifyDirectory(directory);
    const isOutdated = source.isOutdated() || identity !== seen?.identity || !seen.complete;
    if (isPolling || isOutdated) events.note();
    for (const path of [...source.unsettled(), ...(await source.overdue())]) events.note(path);
    await events.run(scheduleBeat);
  }

  async function scheduleBeat(): Promise<void> {
    if (!isClosed) beating = setTimeout(() => void beat(), beatMs).unref();
  }

  async function firstLoad(): Promise<void> {
    await source.rescan();
    if (updates === 'off') return;
    void events.run(follow);
    void events.run(scheduleBeat);
  }

  return {
    start: () => (started ??= firstLoad()),
    async close() {
      isClosed = true;
      clearTimeout(beating);
      watchers.close();
      await events.close();
    },
  };
}
