import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { byCodeUnits } from '../by-code-units.ts';
import { forEachLimit } from '../for-each-limit.ts';
import { systemCode } from '../system-code.ts';
import type { FileFault } from './file-problem.ts';
import { hiddenName, leavesSource, notRegular, unreadable } from './file-problem.ts';
import { identifyFolder } from './identify-directory.ts';
import { below, isActivityWorkflowName, isPartFolder, isPartName, mainName, visibleName } from './names.ts';
import { resolveLink } from './resolve-link.ts';
import type { FoundFile, FoundFolder, Place } from './scan-folder.ts';
import { signatureOf } from './signature.ts';

/** The folder of an activity workflow that a scan found. Its `file` is the workflow file, its signature that of all files. */
export interface FoundWorkflow extends FoundFile {
  /** The folder, as it was reached. */
  readonly place: Place;
  /** Real path of every file, or why it has none, by path in the folder. */
  readonly parts: ReadonlyMap<string, string | FileFault>;
  /** The folders whose changes matter, by real path. */
  readonly folders: ReadonlyMap<string, FoundFolder>;
  /** Paths of the symbolic links met. */
  readonly links: ReadonlySet<string>;
  /** Real paths of the files and folders that links lead to. */
  readonly targets: ReadonlySet<string>;
}

/** Most files of one activity workflow. */
export const maxWorkflowFiles = 1_000;

/** Questions to the file system that one folder may have open. */
const concurrency = 8;

interface Draft {
  readonly root: string;
  readonly place: Place;
  readonly parts: Map<string, string | FileFault>;
  readonly folders: Map<string, FoundFolder>;
  readonly links: Set<string>;
  readonly targets: Set<string>;
}

/**
 * Lists the folder of an activity workflow: its `workflow.*`, and what lies directly in `activities`, `skills` and
 * `resources`. No file is opened. `undefined` when it has no `workflow.*`. `root` is the real path of the source.
 */
export async function scanWorkflowFolder(root: string, place: Place): Promise<FoundWorkflow | undefined> {
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

/** Takes in a real folder: the workflow's own (`''`), or the one it has under the name `level`. */
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

/** What a link leads to may lie in a folder nobody watches yet. */
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

/** One signature for all files, `''` as soon as one of them has none; those that are gone by now are left out. */
async function signAll({ parts }: Draft): Promise<string> {
  if (parts.size > maxWorkflowFiles) return '';
  const signatures = new Map<string, string>();
  await forEachLimit([...parts], concurrency, async ([name, part]) => {
    if (typeof part !== 'string') return void signatures.set(name, part.message);
    try {
      signatures.set(name, signatureOf(await lstat(part, { bigint: true })));
    } catch (error) {
      // Without a signature it is read, and the reading says what is wrong.
      if (systemCode(error) === 'ENOENT') parts.delete(name);
      else signatures.set(name, '');
    }
  });
  if ([...signatures.values()].includes('')) return '';
  const sorted = [...signatures].toSorted(([a], [b]) => byCodeUnits(a, b));
  return sorted.map((pair) => pair.join('=')).join('\n');
}
