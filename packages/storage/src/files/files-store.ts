import type { DefinitionReader, Folder, FolderReader } from '@workflowlookup/schema';
import { createListeners } from '../listeners.ts';
import type { UntrustedDefinition, WorkflowStore } from '../workflow-store.ts';
import type { Admission, DefinitionTexts } from './admission.ts';
import { createDefinitionSource } from './definition-source.ts';
import type { WatchFolder } from './folder-watchers.ts';
import { keepCurrent } from './keep-current.ts';
import type { BorrowFolder } from './lender.ts';

/** Which directory is served, and how. */
export interface FilesStoreOptions {
  /** May be missing (the store is then empty until it appears) and may be a symbolic link. */
  readonly directory: string;
  readonly read: DefinitionReader;
  /** Reads folders with a `workflow.*` file as activity workflows; without it they are left out with a warning. */
  readonly readFolder?: FolderReader;
  /** Where activity workflows borrow from, and refer to, what is in no folder of this directory; by default nowhere. */
  readonly borrow?: BorrowFolder;
  /** What is looked at of what lies directly in the directory, by name; by default all. */
  readonly only?: readonly string[];
  /** How many folders deep the directory is looked through; by default 3. */
  readonly depth?: number;
  /** Whether `problems` also tells of warnings, which keep nothing from being served; by default not. */
  readonly warnings?: boolean;
  /**
   * How edits are noticed. `events` (default): the system tells of them; where it can't, as `poll`. `poll`: the
   * directory is looked through every 500 ms, for network folders that tell nothing. `off`: it is read once.
   */
  readonly updates?: 'events' | 'poll' | 'off';
  /** Which definitions are read at all; by default every one. */
  readonly admission?: Admission;
  /** How `events` watches one folder; by default `watch` of `node:fs`. */
  readonly watchFolder?: WatchFolder;
}

/** The workflows of one directory. */
export interface FilesStore extends WorkflowStore {
  /** The file that serves an id, relative to the directory. */
  fileOf(id: string): Promise<string | undefined>;
  /** The admission of the file that serves an id; `undefined` for a source without admission. */
  digestFor(id: string): Promise<{ readonly file: string; readonly digest: string } | undefined>;
  untrusted(): Promise<readonly UntrustedDefinition[]>;
  /** The texts of a definition of this source as they are now, trusted or not; `undefined` where they can't be read. */
  textsOf(file: string): Promise<DefinitionTexts | undefined>;
  /**
   * The files of an activity workflow by the name of its folder, for the `borrow` of another store: the same object
   * until one of them changes. It does not wait for folders to be understood, so that stores may lend to each other.
   */
  lend(workflow: string): Promise<Folder | undefined>;
}

/**
 * Makes a store of the `.json`, `.yaml` and `.yml` files of a directory and of its activity
 * workflows, each of them a folder (docs/authoring.md#where-definitions-come-from).
 *
 * Nothing is read or watched before the first `list`, `get`, `problems`, `fileOf` or `lend`; that call reads
 * everything. Later calls answer from memory, and an edit is in the answer within a second: an event costs the reading
 * of one file, or of one folder and what borrows from it, and what no event tells (the directory itself being replaced,
 * a reading that failed, a change of what was borrowed elsewhere) is checked every 500 ms. All that a batch of changes
 * did becomes visible at once. One thing is noticed only together with another change: a link that is moved in a
 * folder that is itself left out.
 *
 * A file is a problem, and no call ever fails, when it can't be read, is not UTF-8, is over 1 MiB, is not a regular
 * file, shares its id with another, or is a link that leaves the directory, which is not opened. Of an activity
 * workflow, which has at most 1,000 files and 16 MiB, this is so of the workflow file; another file that has something
 * wrong is a warning under the workflow's id, and the workflow is served without it. After `close` the store answers
 * as it last knew.
 */
export function createFilesStore(options: FilesStoreOptions): FilesStore {
  const { directory, updates = 'events', watchFolder } = options;
  const source = createDefinitionSource(options);
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
    async digestFor(id) {
      await keeper.start();
      const { file, admitted } = catalogue.served(id) ?? {};
      return file === undefined || admitted?.digest === undefined
        ? undefined
        : { file, digest: admitted.digest };
    },
    async untrusted() {
      await keeper.start();
      return catalogue.untrusted();
    },
    async textsOf(file) {
      await keeper.start();
      return source.textsOf(file);
    },
    async lend(workflow) {
      void keeper.start();
      return source.lend(workflow);
    },
    watch: listeners.watch,
    async close() {
      listeners.clear();
      await keeper.close();
    },
  };
}
