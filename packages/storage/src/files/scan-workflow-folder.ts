import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { byCodeUnits, forEachLimit, systemCode } from '../utilities.ts';
import type { FileFault } from './file-problem.ts';
import { hiddenName, leavesSource, notRegular, unreadable } from './file-problem.ts';
import {
  below,
  identifyFolder,
  isActivityWorkflowName,
  isPartFolder,
  isPartName,
  mainName,
  resolveLink,
  signatureOf,
  visibleName,
} from './paths.ts';
import type { FoundFile, FoundFolder, ScannedPath } from './scan-directory.ts';

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
const concurrency = 8;

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
    if (shown !== name) draft.parts.set(shown, hiddenName(fileIn(draft, shown)));
    else if (entry.isSymbolicLink()) await follow(draft, child, name);
    else if (isFolder && entry.isDirectory()) await scanLevel(draft, child, name);
    else if (wanted) addPart(draft, { path: child, name, isRegular: entry.isFile() });
  }
}

async function listLevel(draft: Draft, path: string, level: string): Promise<readonly Dirent[]> {
  try {
    draft.folders.set(path, { identity: await identifyFolder(path), workflow: draft.place.path });
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') draft.parts.set(level, unreadable(fileIn(draft, level), error));
    return [];
  }
}

function addPart(
  draft: Draft,
  part: { readonly path: string; readonly name: string; readonly isRegular: boolean },
): void {
  draft.parts.set(part.name, part.isRegular ? part.path : notRegular(fileIn(draft, part.name)));
}

async function follow(draft: Draft, link: string, name: string): Promise<void> {
  draft.links.add(link);
  const target = await resolveLink(draft.root, link);
  if (target.kind === 'outside') draft.parts.set(name, leavesSource(fileIn(draft, name)));
  else if (target.kind === 'broken') draft.parts.set(name, unreadable(fileIn(draft, name), target.error));
  else {
    draft.targets.add(target.path);
    const { path, stats } = target;
    if (!isPartFolder(name)) {
      await watchFolderOf(draft, path, name);
      addPart(draft, { path, name, isRegular: stats.isFile() });
    } else if (stats.isDirectory()) await scanLevel(draft, path, name);
  }
}

/** The target of a link may be in a folder that is not watched yet. */
async function watchFolderOf(draft: Draft, path: string, name: string): Promise<void> {
  const folder = dirname(path);
  if (draft.folders.has(folder)) return;
  try {
    draft.folders.set(folder, { identity: await identifyFolder(folder) });
  } catch (error) {
    draft.parts.set(name, unreadable(fileIn(draft, name), error));
  }
}

function fileIn({ place }: Draft, name: string): string {
  return name === '' ? place.file : below(place.file, name);
}

/** Returns one signature for all files, or `''` if one of them has none. Files that no longer exist are removed. */
async function signAll({ parts }: Draft): Promise<string> {
  if (parts.size > maxWorkflowFiles) return '';
  const signatures = new Map<string, string>();
  await forEachLimit([...parts], concurrency, async ([name, part]) => {
    if (typeof part !== 'string') return void signatures.set(name, part.message);
    try {
      signatures.set(name, signatureOf(await lstat(part, { bigint: true })));
    } catch (error) {
      // A file without a signature is read next, and reading it reports what is wrong.
      if (systemCode(error) === 'ENOENT') parts.delete(name);
      else signatures.set(name, '');
    }
  });
  if ([...signatures.values()].includes('')) return '';
  const sorted = [...signatures].toSorted(([a], [b]) => byCodeUnits(a, b));
  return sorted.map((pair) => pair.join('=')).join('\n');
}
