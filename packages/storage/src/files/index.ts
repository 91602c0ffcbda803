import type { DefinitionReader, Folder, FolderReader } from '@workflowlookup/schema';
import type { DefinitionSource } from './definition-source.ts';
import { createDefinitionSource } from './definition-source.ts';
import { identifyDirectory } from './paths.ts';
import type { Admission, DefinitionTexts } from './read-definition.ts';
import type { WatchFolder } from './watch-folders.ts';
import { batchEvents, createFolderWatchers } from './watch-folders.ts';
import type { FindFolder } from './workflow-folders.ts';
import { createListeners } from '../workflow-store.ts';
import type { UntrustedDefinition, WorkflowStore } from '../workflow-store.ts';

export { digestOfTexts } from './read-definition.ts';
export type { Admission, DefinitionTexts } from './read-definition.ts';
export type { FileFault } from './paths.ts';
export type { WatchFolder } from './watch-folders.ts';
export type { FindFolder } from './workflow-folders.ts';

/** Settings of a files store. */
export interface FilesStoreOptions {
  /** The directory to serve. It may be missing (the store is empty until it appears) and may be a symbolic link. */
  readonly directory: string;
  readonly read: DefinitionReader;
  /**
   * Reads folders with a `workflow.*` file as activity workflows. Without it these folders are ignored with a warning.
   */
  readonly readFolder?: FolderReader;
  /**
   * Finds folders of activity workflows that are not in this directory, for workflows that use activities of others. By
   * default there are none.
   */
  readonly borrow?: FindFolder;
  /** Names of the entries to read directly in the directory. Default: all. */
  readonly only?: readonly string[];
  /** How many levels of folders are searched. Default: 3. */
  readonly depth?: number;
  /** Whether `problems` includes warnings, which do not keep a workflow from being served. Default: false. */
  readonly warnings?: boolean;
  /**
   * How edits are noticed. `events` (default): through file system events, or as `poll` where they are not available.
   * `poll`: the directory is scanned every 500 ms, for network folders without events. `off`: the directory is read
   * once.
   */
  readonly updates?: 'events' | 'poll' | 'off';
  /** Decides which definitions are read. Default: all. */
  readonly admission?: Admission;
  /** How `events` watches one folder. Default: `watch` of `node:fs`. */
  readonly watchFolder?: WatchFolder;
}

/** A store of the workflows in one directory. */
export interface FilesStore extends WorkflowStore {
  /** Returns the file that serves an id, relative to the directory. */
  fileOf(id: string): Promise<string | undefined>;
  /** Returns the admitted digest of the file that serves an id, or `undefined` for a source without admission. */
  digestFor(id: string): Promise<{ readonly file: string; readonly digest: string } | undefined>;
  untrusted(): Promise<readonly UntrustedDefinition[]>;
  /**
   * Reads the texts of a definition in this source as they are now, trusted or not. Returns `undefined` if they can't
   * be read.
   */
  textsOf(file: string): Promise<DefinitionTexts | undefined>;
  /**
   * Returns the files of an activity workflow by the name of its folder, for the `borrow` option of another store: the
   * same object until one of the files changes. It waits until the files are read but not until they are parsed, so two
   * stores can use each other's activities.
   */
  lend(workflow: string): Promise<Folder | undefined>;
}

/**
 * Makes a store of the `.json`, `.yaml` and `.yml` files of a directory and of the activity workflows in it, each in a
 * folder of its own (docs/authoring.md#where-definitions-come-from).
 *
 * The first `list`, `get`, `problems`, `fileOf` or `lend` reads everything; nothing is read or watched before. Later
 * calls answer from memory, and an edit is visible within a second. After an event the store reads one file, or one
 * folder and the workflows that use its activities. Changes without an event are checked every 500 ms: a replaced
 * directory, a failed read, a change in another store. A batch of changes becomes visible at once. One change is
 * noticed only together with another one: a link that is moved inside an ignored folder.
 *
 * No call fails because of a file. A file is reported as a problem if it can't be read, is not UTF-8, is over 1 MiB, is
 * not a regular file, shares its id with another file, or is a link that leaves the directory. Such links are not
 * opened. An activity workflow may have at most 1,000 files and 16 MiB. For its workflow file the same rules apply; for
 * any other file a violation is a warning under the workflow's id, and the workflow is served without that file. After
 * `close` the store returns the last known answers.
 *
 * @example
 * ```ts
 * const store = createFilesStore({ directory: 'workflows', read: createReader() });
 * for (const { id } of await store.list()) console.log(id);
 * ```
 */
export function createFilesStore(options: FilesStoreOptions): FilesStore {
  const source = createDefinitionSource(options);
  const { catalogue } = source;
  const listeners = createListeners();
  const updater = createUpdater(options, source, listeners.emit);

  /** Answers once everything was read. */
  async function read<Answer>(answer: () => Answer): Promise<Awaited<Answer>> {
    await updater.start();
    return await answer();
  }

  return {
    list: () => read(catalogue.list),
    get: (id) => read(() => catalogue.served(id)?.workflow),
    problems: () => read(catalogue.problems),
    fileOf: (id) => read(() => catalogue.served(id)?.file),
    digestFor: (id) =>
      read(() => {
        const { file, admitted: { digest } = {} } = catalogue.served(id) ?? {};
        return file === undefined || digest === undefined ? undefined : { file, digest };
      }),
    untrusted: () => read(catalogue.untrusted),
    textsOf: (file) => read(() => source.textsOf(file)),
    async lend(workflow) {
      void updater.start();
      return source.lend(workflow);
    },
    watch: listeners.watch,
    async close() {
      listeners.clear();
      await updater.close();
    },
  };
}

/** How often the changes without an event are checked. */
const checkIntervalMs = 500;

/**
 * Makes an updater, which keeps a source up to date between the first `start` and `close`. `start` resolves once
 * everything was read, and never rejects. The timers and watchers do not keep the process alive.
 */
function createUpdater(
  { directory, updates = 'events', watchFolder }: FilesStoreOptions,
  source: DefinitionSource,
  onChange: (ids: readonly string[]) => void,
): { start(): Promise<void>; close(): Promise<void> } {
  let isPolling = updates === 'poll';
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let started: Promise<void> | undefined;

  const events = batchEvents(async (paths) => {
    const ids = (paths === 'all' ? undefined : await source.refresh(paths)) ?? (await source.rescan());
    if (!isClosed) onChange(ids);
    await updateWatchers();
  });
  const watchers = createFolderWatchers({
    onEvent: events.add,
    onExhausted: () => (isPolling = true),
    ...(watchFolder && { watchFolder }),
  });

  /** Changes before a new watcher was installed caused no event, so a new watcher triggers another check. */
  async function updateWatchers(): Promise<void> {
    if (isPolling || isClosed) return;
    const isNew = await watchers.follow(source.lastScan()?.folders ?? new Map());
    if (isNew) events.add();
  }

  async function check(): Promise<void> {
    const seen = source.lastScan();
    const { identity } = await identifyDirectory(directory);
    const isOutdated = source.isOutdated() || identity !== seen?.identity || !seen.complete;
    if (isPolling || isOutdated) events.add();
    for (const path of [...source.toRetry(), ...(await source.outdatedFolders())]) events.add(path);
    await events.run(scheduleCheck);
  }

  async function scheduleCheck(): Promise<void> {
    if (!isClosed) timer = setTimeout(() => void check(), checkIntervalMs).unref();
  }

  async function firstLoad(): Promise<void> {
    await source.rescan();
    if (updates === 'off') return;
    void events.run(updateWatchers);
    void events.run(scheduleCheck);
  }

  return {
    start: () => (started ??= firstLoad()),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      watchers.close();
      await events.close();
    },
  };
}
