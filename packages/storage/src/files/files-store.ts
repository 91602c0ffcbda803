import type { DefinitionReader } from '@workflowlookup/schema';
import { createListeners } from '../listeners.ts';
import type { WorkflowStore } from '../workflow-store.ts';
import { createDefinitionSource } from './definition-source.ts';
import type { WatchFolder } from './folder-watchers.ts';
import { keepCurrent } from './keep-current.ts';

/** Which directory is served, and how. */
export interface FilesStoreOptions {
  /** May be missing (the store is then empty until it appears) and may be a symbolic link. */
  readonly directory: string;
  readonly read: DefinitionReader;
  /**
   * How edits are noticed. `events` (default): the system tells of them; where it can't, as `poll`. `poll`: the
   * directory is looked through every 500 ms, for network folders that tell nothing. `off`: it is read once.
   */
  readonly updates?: 'events' | 'poll' | 'off';
  /** How `events` watches one folder; by default `watch` of `node:fs`. */
  readonly watchFolder?: WatchFolder;
}

/** The workflows of one directory. */
export interface FilesStore extends WorkflowStore {
  /** The file that serves an id, relative to the directory. */
  fileOf(id: string): Promise<string | undefined>;
}

/**
 * Makes a store of the `.json`, `.yaml` and `.yml` files of a directory, three folders deep
 * (docs/authoring.md#where-definitions-come-from).
 *
 * Nothing is read or watched before the first `list`, `get`, `problems` or `fileOf`; that call reads everything.
 * Later calls answer from memory, and an edit is in the answer within a second: an event costs the reading of one
 * file, and what no event tells (the directory itself being replaced, a reading that failed) is checked every 500 ms.
 * All that a batch of changes did becomes visible at once. One thing is noticed only together with another change: a
 * link that is moved in a folder that is itself left out.
 *
 * A file is a problem, and no call ever fails, when it can't be read, is not UTF-8, is over 1 MiB, is not a regular
 * file, shares its id with another, or is a link that leaves the directory, which is not opened. After `close` the
 * store answers as it last knew.
 */
export function createFilesStore(options: FilesStoreOptions): FilesStore {
  const { directory, read, updates = 'events', watchFolder } = options;
  const source = createDefinitionSource(directory, read);
  const { catalogue } = source;
  const listeners = createListeners();
  const keeper = keepCurrent({
    directory,
    source,
    updates,
    onChange: listeners.emit,
    ...(watchFolder && { watchFolder }),
  });

  return {
    async list() {
      await keeper.start();
      return catalogue.list();
    },
    async get(id) {
      await keeper.start();
      return catalogue.served(id)?.workflow;
    },
    async problems() {
      await keeper.start();
      return catalogue.problems();
    },
    async fileOf(id) {
      await keeper.start();
      return catalogue.served(id)?.file;
    },
    watch: listeners.watch,
    async close() {
      listeners.clear();
      await keeper.close();
    },
  };
}
