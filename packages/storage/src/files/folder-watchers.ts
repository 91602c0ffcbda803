import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemCode } from '../system-code.ts';

/** Watches one folder, not what lies below it; as `watch` of `node:fs`. Throws where the system can't. */
export type WatchFolder = (
  folder: string,
  options: { readonly persistent: false },
  listener: (event: string, name: string | null) => void,
) => Pick<FSWatcher, 'close' | 'on'>;

/** Who is told what. */
export interface FolderWatchersOptions {
  /** Something happened to a path directly in a watched folder, or somewhere when there is no path. */
  readonly onEvent: (path?: string) => void;
  /** The system can't watch (more) folders: all watchers are closed, and changes have to be looked for. */
  readonly onExhausted: () => void;
  readonly watchFolder?: WatchFolder;
}

/** The watchers of the folders of one source. */
export interface FolderWatchers {
  /** Watches exactly these folders (path to identity) from now on; returns whether a watcher was opened. */
  follow(folders: ReadonlyMap<string, { readonly identity: string }>): Promise<boolean>;
  close(): void;
}

/** So many watchers are opened at a stretch before others get their turn. */
const stretch = 200;

/**
 * Makes watchers that follow a set of folders, one for each folder and none for the files in it: an event names the
 * file, and 10,000 files in a folder cost one watcher. A folder that another one replaced has another identity and
 * gets a new watcher, because the old one stays with what was moved away. They do not keep the process alive.
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
      else giveUp();
      return false;
    }
  }

  function close(): void {
    isClosed = true;
    for (const watcher of watchers.values()) watcher.close();
  }

  function giveUp(): void {
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
        if (opened % stretch === stretch - 1) await setImmediate();
      }
      return opened > 0;
    },
    close,
  };
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCode(error));
}
