import { resolve } from 'node:path';
import type { DefinitionProblem } from '@workflowlookup/core';
import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import type { Workflow } from '@workflowlookup/schema';
import type { FilesStore, FilesStoreOptions } from '@workflowlookup/storage/files';
import { createFilesStore } from '@workflowlookup/storage/files';
import { bundledDirectory } from '../bundled.ts';
import { lendFrom, sourcesOf } from './sources.ts';
import type { FolderLender, SourceOptions } from './sources.ts';

/** Definitions to look at: a directory, or some of what lies in it. */
export type InspectedDirectory = Pick<FilesStoreOptions, 'depth' | 'directory' | 'only'>;

/** The files to inspect, and whether to watch them. */
export interface InspectionOptions extends SourceOptions {
  /** By default the sources. */
  readonly places?: readonly InspectedDirectory[];
  /** Whether to report changes. By default, everything is read once. */
  readonly isWatched?: boolean;
}

/** A workflow that can be served, and its location. */
export interface InspectedWorkflow {
  readonly workflow: Workflow;
  /** The definition, or the workflow file of an activity workflow; relative to the directory. */
  readonly file: string;
}

/** The definitions in one place. */
export interface DirectoryReport {
  /** Absolute path. */
  readonly directory: string;
  /** Those that can be served, by id. */
  readonly workflows: readonly InspectedWorkflow[];
  /** Everything that was found, warnings too; files relative to the directory. */
  readonly problems: readonly DefinitionProblem[];
}

/** Definitions that are looked at and not served. */
export interface Inspection {
  /** The current definitions, in the order of the places. */
  reports(): Promise<readonly DirectoryReport[]>;
  /** Calls `listener` after each change. Returns a function that stops it. */
  watch(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Opens definitions to find problems in them. It makes every check that a server makes. Activity workflows can use
 * parts of others as on a server: first from the same directory, then from the sources.
 *
 * @example
 * ```ts
 * const inspection = openInspection({ places: [{ directory: './workflows' }] });
 * for (const { problems } of await inspection.reports()) console.log(problems);
 * await inspection.close();
 * ```
 */
export function openInspection(options: InspectionOptions = {}): Inspection {
  const { isWatched = false, workingDirectory = process.cwd() } = options;
  const sources = sourcesOf(options, bundledDirectory()).map(({ directory }) => ({ directory }));
  const places = (options.places ?? sources).map((place) => ({
    ...place,
    directory: resolve(workingDirectory, place.directory),
  }));
  const opened = new Map<string, FilesStore>();

  /** Returns the store of a place. The same place always has the same store. */
  function open(place: InspectedDirectory): FilesStore {
    const key = JSON.stringify([place.directory, place.only, place.depth]);
    const store =
      opened.get(key) ??
      createFilesStore({
        ...place,
        warnings: true,
        updates: isWatched ? 'events' : 'off',
        read: readDefinition,
        readFolder: readWorkflowFolder,
        borrow: (workflow) => lendFrom(lendersOf(place, workflow), workflow),
      });
    opened.set(key, store);
    return store;
  }

  /**
   * Returns where a workflow's folder can come from. If a place names only some files, the others in its directory can
   * still be used.
   */
  function lendersOf({ directory, only }: InspectedDirectory, workflow: string): readonly FolderLender[] {
    const beside = only === undefined ? [] : [{ directory, only: [workflow] }];
    const others = sources.filter((source) => source.directory !== directory || only !== undefined);
    return [...others, ...beside].map((other) => ({ store: open(other) }));
  }

  async function reportOf(place: InspectedDirectory): Promise<DirectoryReport> {
    const store = open(place);
    const found = (await store.list()).map(async ({ id }) => {
      const [workflow, file] = await Promise.all([store.get(id), store.fileOf(id)]);
      return workflow && file !== undefined ? [{ workflow, file }] : [];
    });
    const workflows = (await Promise.all(found)).flat();
    return { directory: place.directory, workflows, problems: await store.problems() };
  }

  return {
    reports: () => Promise.all(places.map(reportOf)),
    watch(listener) {
      const stops = places.map((place) => open(place).watch(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    close: async () => void (await Promise.all(Array.from(opened.values(), (store) => store.close()))),
  };
}
