import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { byCodeUnits } from '../workflow-store.ts';
import { forEachLimit } from '../pauses.ts';
import { systemCode } from '../errors.ts';
import type { DefinitionProblem } from '../workflow-store.ts';
import type { FileFault } from './paths.ts';
import {
  fileFault,
  fileProblem,
  isPassing,
  below,
  identifyDirectory,
  identifyFolder,
  isActivityWorkflowName,
  isDefinitionName,
  isIgnored,
  isIn,
  resolveLink,
  signatureOf,
  visibleName,
  isPartFolder,
  isPartName,
  mainName,
} from './paths.ts';

/** How many file system calls may be pending at once. */
export const concurrency = 32;

/** The contents of a directory by names, sizes and times. No file is opened. */
export interface Scan {
  readonly options: ScanOptions;
  readonly identity: string;
  /**
   * By real path, so that a file with several names counts once. Its own name takes precedence over the names of links.
   */
  readonly files: ReadonlyMap<string, FoundFile>;
  /** The folders of activity workflows, by real path. */
  readonly workflows: ReadonlyMap<string, FoundWorkflow>;
  /** Every folder whose changes affect the source, by real path. */
  readonly folders: ReadonlyMap<string, FoundFolder>;
  /** Real path of the source. Absent if it does not exist. */
  readonly root?: string;
  /** Paths of the symbolic links in the source. */
  readonly links: ReadonlySet<string>;
  /** Real paths of the files and folders that links in the folders of activity workflows lead to. */
  readonly targets: ReadonlySet<string>;
  readonly problems: readonly DefinitionProblem[];
  /** False if something could not be examined because resources ran out. Another try may then succeed. */
  readonly complete: boolean;
}

/** Scans a directory, which may be missing. Never throws. */
export async function scanDirectory(directory: string, options: ScanOptions): Promise<Scan> {
  const { root: target, identity, error } = await identifyDirectory(directory);
  const isOutside =
    target !== undefined && options.within !== undefined && !(await isIn(options.within, target));
  const root = isOutside ? undefined : target;
  const draft: ScanDraft = {
    name: basename(resolve(directory)),
    root: root ?? '',
    options,
    workflows: new Map(),
    files: new Map(),
    folders: new Map(),
    visited: new Set(),
    links: [],
    problems: [],
    failures: error === undefined ? [] : [{ file: '.', error }],
  };
  if (root !== undefined) await fill(draft);
  if (isOutside) draft.problems.push(fileProblem('.', fileFault.sourceLeavesProject(), draft.name));
  for (const failure of draft.failures) draft.problems.push(failureProblem(draft, failure));
  const workflows = [...draft.workflows.values()];
  return {
    options,
    identity,
    ...(root !== undefined && { root }),
    files: draft.files,
    workflows: draft.workflows,
    folders: draft.folders,
    links: new Set([...draft.links.map(({ path }) => path), ...workflows.flatMap(({ links }) => [...links])]),
    targets: new Set(workflows.flatMap(({ targets }) => [...targets])),
    problems: draft.problems,
    complete: !draft.failures.some((failure) => isPassing(failure.error)),
  };
}

function failureProblem(draft: ScanDraft, { file, error }: ScanDraft['failures'][number]): DefinitionProblem {
  return fileProblem(file, fileFault.unreadable(file, error), file === '.' ? draft.name : undefined);
}

async function fill(draft: ScanDraft): Promise<void> {
  await walk(draft, { path: draft.root, file: '.', depth: 0 });
  // Links come after everything with a name of its own, so that a circle of links ends at a folder that was already
  // scanned.
  for (let followed = 0; followed < draft.links.length;) {
    const batch = draft.links.slice(followed).toSorted((a, b) => byCodeUnits(a.file, b.file));
    followed = draft.links.length;
    for (const link of batch) await follow(draft, link);
  }
  await forEachLimit(draft.files, concurrency, async ([path, found]) => {
    const signature = await signatureAt(path);
    if (signature === undefined) draft.files.delete(path);
    else draft.files.set(path, { ...found, signature });
  });
}

/**
 * Returns the signature of a file, or `undefined` if it no longer exists. It is `''` if the file can't be examined: a file
 * without a signature is read next, and reading it reports what is wrong.
 */
async function signatureAt(path: string): Promise<string | undefined> {
  try {
    return signatureOf(await lstat(path, { bigint: true }));
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? undefined : '';
  }
}

async function walk(draft: ScanDraft, start: ScannedPath): Promise<void> {
  for (let level: readonly ScannedPath[] = [start]; level.length > 0;) {
    const next: ScannedPath[] = [];
    await forEachLimit(level, concurrency, async (folder) => {
      next.push(...(await scanFolder(draft, folder)));
    });
    level = next.filter((folder) => isWithinDepth(draft, folder));
  }
}

function isWithinDepth({ options }: ScanDraft, { depth }: ScannedPath): boolean {
  return depth <= (options.depth ?? 3);
}

async function follow(draft: ScanDraft, link: ScannedPath): Promise<void> {
  const target = await resolveLink(draft.root, link.path);
  if (target.kind === 'outside') {
    draft.problems.push(fileProblem(link.file, fileFault.leavesSource(link.file)));
  } else if (target.kind === 'broken') {
    if (isDefinitionName(link.file)) draft.failures.push({ file: link.file, error: target.error });
  } else if (target.stats.isDirectory()) {
    if (isWithinDepth(draft, link)) await walk(draft, { ...link, path: target.path });
  } else if (isDefinitionName(link.file)) {
    await addLinkedFile(draft, target.path, link.file);
  }
}

async function addLinkedFile(draft: ScanDraft, path: string, file: string): Promise<void> {
  if (draft.files.has(path)) return;
  draft.files.set(path, { file, signature: '' });
  await watchFolderOf(draft, path, (error) => draft.failures.push({ file, error }));
}

/** The target of a link may be in a folder that is not watched yet. */
async function watchFolderOf(
  { folders }: Pick<ScanDraft, 'folders'>,
  path: string,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const folder = dirname(path);
  if (folders.has(folder)) return;
  try {
    folders.set(folder, { identity: await identifyFolder(folder) });
  } catch (error) {
    onFailure(error);
  }
}

export interface FoundFile {
  /** Path relative to the source. */
  readonly file: string;
  readonly signature: string;
}

/** A folder whose changes affect a source. */
interface FoundFolder {
  /** Path relative to the source. Absent if the files in it are not definitions of the source. */
  readonly file?: string;
  /** Real path of the activity workflow that the folder belongs to. */
  readonly workflow?: string;
  readonly identity: string;
}

/** A folder or link that a scan visits. */
interface ScannedPath {
  readonly path: string;
  /** The path by which it was reached, relative to the source. */
  readonly file: string;
  /** Number of levels below the source, which has 0. */
  readonly depth: number;
}

interface ScanDraft {
  /** The name of the source itself in a problem. */
  readonly name: string;
  /** Real path of the source. */
  readonly root: string;
  readonly options: ScanOptions;
  /** By real path. */
  readonly workflows: Map<string, FoundWorkflow>;
  readonly files: Map<string, FoundFile>;
  readonly folders: Map<string, FoundFolder>;
  readonly visited: Set<string>;
  readonly links: ScannedPath[];
  readonly problems: DefinitionProblem[];
  readonly failures: { readonly file: string; readonly error: unknown }[];
}

/**
 * Adds the entries of a folder to the draft and returns the folders in it. A folder that was already scanned adds
 * nothing.
 */
async function scanFolder(draft: ScanDraft, folder: ScannedPath): Promise<readonly ScannedPath[]> {
  if (draft.visited.has(folder.path)) return [];
  draft.visited.add(folder.path);
  const entries = await listFolder(draft, folder);
  const activities =
    folder.depth === 0 ? undefined : entries.find(({ name }) => isActivityWorkflowName(name));
  if (activities !== undefined) {
    if (draft.options.activities) await addWorkflow(draft, folder);
    else ignoreFolder(draft, folder, activities.name);
    return [];
  }
  const folders: ScannedPath[] = [];
  for (const entry of entries) {
    if (isIgnored(entry.name) || !isSelected(draft.options, folder.file, entry.name)) continue;
    const place = childOf(folder, entry.name);
    const shown = visibleName(entry.name);
    if (shown !== entry.name) {
      const file = below(folder.file, shown);
      if (!entry.isFile() || isDefinitionName(entry.name))
        draft.problems.push(fileProblem(file, fileFault.hiddenName(file)));
    } else if (entry.isDirectory()) folders.push(place);
    else if (entry.isSymbolicLink()) draft.links.push(place);
    else if (isDefinitionName(entry.name)) addFile(draft, place, entry.isFile());
  }
  return folders;
}

async function listFolder(draft: ScanDraft, { path, file }: ScannedPath): Promise<readonly Dirent[]> {
  try {
    const identity = await identifyFolder(path);
    draft.folders.set(path, { ...draft.folders.get(path), file, identity });
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') draft.failures.push({ file, error });
    return [];
  }
}

function childOf(folder: ScannedPath, name: string): ScannedPath {
  return { path: join(folder.path, name), file: below(folder.file, name), depth: folder.depth + 1 };
}

function addFile(draft: ScanDraft, { path, file }: ScannedPath, isRegular: boolean): void {
  if (isRegular) draft.files.set(path, { file, signature: '' });
  else draft.problems.push(fileProblem(file, fileFault.notRegular(file)));
}

async function addWorkflow(draft: ScanDraft, folder: ScannedPath): Promise<void> {
  const found = await scanWorkflowFolder(draft.root, folder);
  if (found === undefined) {
    // Its `workflow.*` was removed during the scan.
    draft.failures.push({
      file: folder.file,
      error: Object.assign(new Error('changing'), { code: 'EBUSY' }),
    });
    return;
  }
  draft.folders.delete(folder.path);
  draft.workflows.set(folder.path, found);
  for (const [path, own] of found.folders) draft.folders.set(path, { ...draft.folders.get(path), ...own });
}

function ignoreFolder(draft: ScanDraft, { path, file }: ScannedPath, name: string): void {
  const fault = fileFault.noFolderReader(file, name);
  draft.problems.push(fileProblem(below(file, name), fault, basename(path)));
  const identity = draft.folders.get(path)?.identity ?? '';
  draft.folders.set(path, { identity });
}

export interface ScanOptions {
  /** Whether the folders of activity workflows are included. Otherwise they are ignored with a warning. */
  readonly activities: boolean;
  /** Names of the entries to scan directly in the directory. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** How many levels of folders are scanned. Default: 3. */
  readonly depth?: number | undefined;
  /** The folder that the directory must be in once symbolic links are resolved. Default: any. */
  readonly within?: string | undefined;
}

/** Whether an entry with this name in a folder of the source is scanned. */
export function isSelected({ only }: ScanOptions, folder: string, name: string): boolean {
  return folder !== '.' || only === undefined || only.includes(name);
}

/**
 * The folder of an activity workflow that a scan found. `file` is the workflow file and `signature` covers all files.
 */
export interface FoundWorkflow extends FoundFile {
  readonly place: ScannedPath;
  /** The real path of every file, or why it can't be read, by path in the folder. */
  readonly parts: ReadonlyMap<string, string | FileFault>;
  /** The folders whose changes affect the workflow, by real path. */
  readonly folders: ReadonlyMap<string, FoundFolder>;
  /** Paths of the symbolic links in it. */
  readonly links: ReadonlySet<string>;
  /** Real paths of the files and folders that the links lead to. */
  readonly targets: ReadonlySet<string>;
}

/** The maximum number of files of one activity workflow. */
export const maxWorkflowFiles = 1_000;

/** How many file system calls may be pending for one folder. */
const partConcurrency = 8;

interface Draft {
  readonly root: string;
  readonly place: ScannedPath;
  readonly parts: Map<string, string | FileFault>;
  readonly folders: Map<string, FoundFolder>;
  readonly links: Set<string>;
  readonly targets: Set<string>;
}

/**
 * Lists the folder of an activity workflow: its `workflow.*` file and the direct contents of `activities`, `skills` and
 * `resources`. No file is opened. Returns `undefined` if there is no `workflow.*`. `root` is the real path of the
 * source.
 */
export async function scanWorkflowFolder(
  root: string,
  place: ScannedPath,
): Promise<FoundWorkflow | undefined> {
  const draft: Draft = {
    root,
    place,
    parts: new Map(),
    folders: new Map(),
    links: new Set(),
    targets: new Set(),
  };
  await scanLevel(draft, place.path, '');
  const main = mainName([...draft.parts.keys()]);
  if (main === undefined) return undefined;
  const signature = await signAll(draft);
  const { parts, folders, links, targets } = draft;
  return { place, file: below(place.file, main), signature, parts, folders, links, targets };
}

/** Adds a real folder: the workflow's own (`''`), or the one with the name `level` in it. */
async function scanLevel(draft: Draft, path: string, level: string): Promise<void> {
  for (const entry of await listLevel(draft, path, level)) {
    const name = level === '' ? entry.name : `${level}/${entry.name}`;
    const wanted = level === '' ? isActivityWorkflowName(entry.name) : isPartName(level, entry.name);
    const isFolder = level === '' && isPartFolder(entry.name);
    if (!wanted && !isFolder) continue;
    const child = join(path, entry.name);
    const shown = visibleName(name);
    if (shown !== name) draft.parts.set(shown, fileFault.hiddenName(fileIn(draft, shown)));
    else if (entry.isSymbolicLink()) await followPart(draft, child, name);
    else if (isFolder && entry.isDirectory()) await scanLevel(draft, child, name);
    else if (wanted) addPart(draft, { path: child, name, isRegular: entry.isFile() });
  }
}

async function listLevel(draft: Draft, path: string, level: string): Promise<readonly Dirent[]> {
  try {
    draft.folders.set(path, { identity: await identifyFolder(path), workflow: draft.place.path });
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT')
      draft.parts.set(level, fileFault.unreadable(fileIn(draft, level), error));
    return [];
  }
}

function addPart(
  draft: Draft,
  part: { readonly path: string; readonly name: string; readonly isRegular: boolean },
): void {
  draft.parts.set(part.name, part.isRegular ? part.path : fileFault.notRegular(fileIn(draft, part.name)));
}

async function followPart(draft: Draft, link: string, name: string): Promise<void> {
  draft.links.add(link);
  const target = await resolveLink(draft.root, link);
  if (target.kind === 'outside') draft.parts.set(name, fileFault.leavesSource(fileIn(draft, name)));
  else if (target.kind === 'broken')
    draft.parts.set(name, fileFault.unreadable(fileIn(draft, name), target.error));
  else {
    draft.targets.add(target.path);
    const { path, stats } = target;
    if (!isPartFolder(name)) {
      await watchFolderOf(draft, path, (error) =>
        draft.parts.set(name, fileFault.unreadable(fileIn(draft, name), error)),
      );
      addPart(draft, { path, name, isRegular: stats.isFile() });
    } else if (stats.isDirectory()) await scanLevel(draft, path, name);
  }
}

function fileIn({ place }: Draft, name: string): string {
  return name === '' ? place.file : below(place.file, name);
}

/** Returns one signature for all files, or `''` if one of them has none. Files that no longer exist are removed. */
async function signAll({ parts }: Draft): Promise<string> {
  if (parts.size > maxWorkflowFiles) return '';
  const signatures = new Map<string, string>();
  await forEachLimit([...parts], partConcurrency, async ([name, part]) => {
    if (typeof part !== 'string') return void signatures.set(name, part.message);
    const signature = await signatureAt(part);
    if (signature === undefined) parts.delete(name);
    else signatures.set(name, signature);
  });
  if ([...signatures.values()].includes('')) return '';
  const sorted = [...signatures].toSorted(([a], [b]) => byCodeUnits(a, b));
  return sorted.map((pair) => pair.join('=')).join('\n');
}
