import type { DefinitionReader, Folder, FolderReader } from '@workflowlookup/schema';
import { forEachLimit } from '../for-each-limit.ts';
import type { Catalogue } from './catalogue.ts';
import { createCatalogue } from './catalogue.ts';
import type { Entry } from './entry.ts';
import type { Work } from './look-at-all.ts';
import { lookAtAll } from './look-at-all.ts';
import { readDefinitionFile } from './read-definition-file.ts';
import type { Scan } from './scan-directory.ts';
import type { ScanOptions } from './scan-options.ts';
import { concurrency, scanDirectory } from './scan-directory.ts';
import type { FoundFile } from './scan-folder.ts';
import type { BorrowFolder } from './lender.ts';
import { createWorkflowFolders } from './workflow-folders.ts';

/** Whose definitions, and who reads them. */
export interface DefinitionSourceOptions extends Pick<ScanOptions, 'depth' | 'only'> {
  readonly directory: string;
  readonly read: DefinitionReader;
  /** Without it the folders of activity workflows are left out. */
  readonly readFolder?: FolderReader | undefined;
  readonly borrow?: BorrowFolder | undefined;
  /** Whether warnings are told of too. */
  readonly warnings?: boolean | undefined;
}

/** The definitions of a directory, and how to bring them up to date. */
export interface DefinitionSource {
  readonly catalogue: Catalogue;
  /** Compares the whole directory by names, sizes and times, and reads what differs; returns the ids touched. */
  rescan(): Promise<readonly string[]>;
  /** Reads these real paths again, changed or not; returns the ids touched, or `undefined` when only a rescan can tell. */
  refresh(paths: Iterable<string>): Promise<readonly string[] | undefined>;
  /** What the last rescan saw. */
  seen(): Scan | undefined;
  /** Files whose reading failed for a reason that may pass. */
  unsettled(): Iterable<string>;
  /** Folders that borrowed from another source what has changed there. */
  overdue(): Promise<readonly string[]>;
  /** The files of an activity workflow by the name of its folder; waits for the first rescan to have them. */
  lend(workflow: string): Promise<Folder | undefined>;
}

/** Makes a source of a directory that was not looked at yet. */
export function createDefinitionSource(options: DefinitionSourceOptions): DefinitionSource {
  const { directory, read, readFolder, borrow, warnings = false, only, depth } = options;
  const catalogue = createCatalogue();
  const folders =
    readFolder && createWorkflowFolders({ read: readFolder, borrow, warnings, limit: concurrency });
  const unsettled = new Set<string>();
  let scan: Scan | undefined;

  async function readAll(work: Work): Promise<readonly Entry[]> {
    const entries = [...((await folders?.update(work.workflows, work.removed)) ?? [])];
    await forEachLimit(work.files, concurrency, async ([path, { file, signature }]) => {
      const outcome = await readDefinitionFile({ path, file }, { read, warnings });
      entries.push({ path, file, ...outcome, signature: outcome.unsettled ? '' : signature });
    });
    for (const path of work.removed) unsettled.delete(path);
    for (const entry of entries) {
      if (entry.unsettled) unsettled.add(entry.path);
      else unsettled.delete(entry.path);
    }
    return entries;
  }

  async function rescan(): Promise<readonly string[]> {
    scan = await scanDirectory(directory, { activities: readFolder !== undefined, only, depth });
    const found = scan;
    const removed = [...catalogue.paths()].filter(
      (path) => !found.files.has(path) && !found.workflows.has(path),
    );
    const files = [...found.files].filter(([path, file]) => !isSame(catalogue.entry(path), file));
    const workflows = [...found.workflows.values()].filter(
      (workflow) => !isSame(catalogue.entry(workflow.place.path), workflow),
    );
    const entries = await readAll({ files, workflows, removed });
    return catalogue.apply({ removed, read: entries, problems: found.problems });
  }

  async function refresh(paths: Iterable<string>): Promise<readonly string[] | undefined> {
    if (scan === undefined) return undefined;
    const sights = await lookAtAll(scan, paths, (path) => catalogue.entry(path)?.file);
    if (sights === 'rescan') return undefined;
    return catalogue.apply({ removed: sights.removed, read: await readAll(sights) });
  }

  return {
    catalogue,
    rescan,
    refresh,
    seen: () => scan,
    unsettled: () => unsettled,
    overdue: async () => (await folders?.overdue()) ?? [],
    lend: async (workflow) => folders?.lend(workflow),
  };
}

function isSame(entry: Entry | undefined, { file, signature }: FoundFile): boolean {
  return signature !== '' && entry?.signature === signature && entry.file === file;
}
