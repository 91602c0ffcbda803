import { basename } from 'node:path';
import type { DefinitionReader, Folder, FolderReader } from '@workflowlookup/schema';
import { forEachLimit } from '../for-each-limit.ts';
import type { Admission, DefinitionTexts } from './admission.ts';
import { digestOfTexts, judgeFault, untrusted } from './admission.ts';
import type { Catalogue } from './catalogue.ts';
import { createCatalogue } from './catalogue.ts';
import type { Entry } from './entry.ts';
import type { Work } from './look-at-all.ts';
import { lookAtAll } from './look-at-all.ts';
import { readDefinitionFile } from './read-definition-file.ts';
import { readFolderTexts } from './read-folder-texts.ts';
import { readText } from './read-text.ts';
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
  readonly admission?: Admission | undefined;
}

/** The definitions of a directory, and how to bring them up to date. */
export interface DefinitionSource {
  readonly catalogue: Catalogue;
  /** Compares the whole directory by names, sizes and times, and reads what differs; returns the ids touched. */
  rescan(): Promise<readonly string[]>;
  /** Reads these real paths again, changed or not; returns the ids touched, or `undefined` when only a rescan can tell. */
  refresh(paths: Iterable<string>): Promise<readonly string[] | undefined>;
  /** The texts of a definition as they are now, read again, whether or not it is admitted; `undefined` for one that has none. */
  textsOf(file: string): Promise<DefinitionTexts | undefined>;
  /** Whether definitions may be admitted now that were not when they were read, or the other way round. */
  isOutdated(): boolean;
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
  const { directory, read, readFolder, borrow, warnings = false, only, depth, admission } = options;
  const catalogue = createCatalogue();
  const folders =
    readFolder &&
    createWorkflowFolders({ read: readFolder, borrow, warnings, limit: concurrency, admission });
  const unsettled = new Set<string>();
  let scan: Scan | undefined;
  let stamp: string | undefined;

  async function readAll(work: Work): Promise<readonly Entry[]> {
    const entries = [...((await folders?.update(work.workflows, work.removed)) ?? [])];
    await forEachLimit(work.files, concurrency, async ([path, { file, signature }]) => {
      const outcome = await readDefinitionFile({ path, file }, { read, warnings, admission });
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
    const asked = admission?.stamp();
    const isAnew = asked !== stamp;
    stamp = asked;
    scan = await scanDirectory(directory, {
      activities: readFolder !== undefined,
      only,
      depth,
      within: admission?.within,
    });
    const found = scan;
    const removed = [...catalogue.paths()].filter(
      (path) => !found.files.has(path) && !found.workflows.has(path),
    );
    const files = [...found.files].filter(([path, file]) => isAnew || !isSame(catalogue.entry(path), file));
    const workflows = [...found.workflows.values()].filter(
      (workflow) => isAnew || !isSame(catalogue.entry(workflow.place.path), workflow),
    );
    const entries = await readAll({ files, workflows, removed });
    const touched = catalogue.apply({ removed, read: entries, ...besideFiles(found) });
    // What a definition may replace can have changed too, without a change of its own.
    return isAnew ? [...new Set([...touched, ...entries.flatMap(({ id }) => id ?? [])])] : touched;
  }

  async function refresh(paths: Iterable<string>): Promise<readonly string[] | undefined> {
    if (scan === undefined || isOutdated()) return undefined;
    const sights = await lookAtAll(scan, paths, (path) => catalogue.entry(path)?.file);
    if (sights === 'rescan') return undefined;
    return catalogue.apply({ removed: sights.removed, read: await readAll(sights) });
  }

  function isOutdated(): boolean {
    return admission !== undefined && admission.stamp() !== stamp;
  }

  /** What is wrong with names and links is shown only where it was admitted: names are text of the source too. */
  function besideFiles({ problems }: Scan): Pick<Parameters<Catalogue['apply']>[0], 'held' | 'problems'> {
    if (admission === undefined) return { problems };
    const judged = problems.map((problem) => ({ problem, admitted: judgeFault(admission, problem.file) }));
    return {
      problems: judged.flatMap(({ problem, admitted }) => (admitted.isAdmitted ? [problem] : [])),
      held: judged.flatMap(({ problem: { file }, admitted }) =>
        admitted.isAdmitted ? [] : [untrusted(file, admitted)],
      ),
    };
  }

  async function textsOf(file: string): Promise<DefinitionTexts | undefined> {
    const folder = [...(scan?.workflows.values() ?? [])].find((one) => one.file === file);
    const [path] = [...(scan?.files ?? [])].find(([, one]) => one.file === file) ?? [];
    const found = folder && (await readFolderTexts([folder], concurrency)).get(folder);
    const texts = found === undefined ? path !== undefined && (await textAlone(path, file)) : found.texts;
    if (texts === undefined || texts === false || texts.size === 0) return undefined;
    const unreadable = found !== undefined && found.faults.size > 0 && { unreadable: found.faults };
    return { file, texts, digest: digestOfTexts(texts), ...unreadable };
  }

  return {
    catalogue,
    textsOf,
    isOutdated,
    rescan,
    refresh,
    seen: () => scan,
    unsettled: () => unsettled,
    overdue: async () => (await folders?.overdue()) ?? [],
    lend: async (workflow) => folders?.lend(workflow),
  };
}

async function textAlone(path: string, file: string): Promise<Folder | undefined> {
  const text = await readText(path, file);
  return typeof text === 'string' ? new Map([[basename(file), text]]) : undefined;
}

function isSame(entry: Entry | undefined, { file, signature }: FoundFile): boolean {
  return signature !== '' && entry?.signature === signature && entry.file === file;
}
