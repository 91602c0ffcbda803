import { lstat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { byCodeUnits } from '../by-code-units.ts';
import { forEachLimit } from '../for-each-limit.ts';
import type { DefinitionProblem } from '../workflow-store.ts';
import { systemCode } from '../system-code.ts';
import { fileProblem, isPassing, leavesSource, sourceLeavesProject, unreadable } from './file-problem.ts';
import { identifyDirectory, identifyFolder } from './identify-directory.ts';
import { isDefinitionName } from './names.ts';
import { liesIn, resolveLink } from './resolve-link.ts';
import type { FoundFile, FoundFolder, Place, ScanDraft } from './scan-folder.ts';
import { scanFolder } from './scan-folder.ts';
import type { ScanOptions } from './scan-options.ts';
import type { FoundWorkflow } from './scan-workflow-folder.ts';
import { signatureOf } from './signature.ts';

/** How many questions to the file system may be open at once. */
export const concurrency = 32;

/** What lies in a directory, by names, sizes and times alone: no file is opened. */
export interface Scan {
  readonly options: ScanOptions;
  /** As `identifyDirectory` says. */
  readonly identity: string;
  /** By real path, so that a file with several names counts once; its own name goes before those of links. */
  readonly files: ReadonlyMap<string, FoundFile>;
  /** Folders of activity workflows, by real path. */
  readonly workflows: ReadonlyMap<string, FoundWorkflow>;
  /** Every folder whose changes matter, by real path. */
  readonly folders: ReadonlyMap<string, FoundFolder>;
  /** Real path of the source; absent when there is none. */
  readonly root?: string;
  /** Paths of the symbolic links met. */
  readonly links: ReadonlySet<string>;
  /** Real paths of the files and folders that links in the folders of activity workflows lead to. */
  readonly targets: ReadonlySet<string>;
  readonly problems: readonly DefinitionProblem[];
  /** False when something could not be looked at for want of resources, so that it is worth another try. */
  readonly complete: boolean;
}

/** Looks through a directory, which may be missing. Never throws. */
export async function scanDirectory(directory: string, options: ScanOptions): Promise<Scan> {
  const { root: target, identity, error } = await identifyDirectory(directory);
  const isOutside =
    target !== undefined && options.within !== undefined && !(await liesIn(options.within, target));
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
  if (isOutside) draft.problems.push(fileProblem('.', sourceLeavesProject, draft.name));
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
  return fileProblem(file, unreadable(file, error), file === '.' ? draft.name : undefined);
}

async function fill(draft: ScanDraft): Promise<void> {
  await walk(draft, { path: draft.root, file: '.', depth: 0 });
  // Links come after everything that has a name of its own, so that a circle ends where it meets known ground.
  for (let followed = 0; followed < draft.links.length;) {
    const batch = draft.links.slice(followed).toSorted((a, b) => byCodeUnits(a.file, b.file));
    followed = draft.links.length;
    for (const link of batch) await follow(draft, link);
  }
  await forEachLimit(draft.files, concurrency, async ([path, found]) => {
    try {
      draft.files.set(path, { ...found, signature: signatureOf(await lstat(path, { bigint: true })) });
    } catch (error) {
      // Without a signature it is read, and the reading says what is wrong.
      if (systemCode(error) === 'ENOENT') draft.files.delete(path);
    }
  });
}

async function walk(draft: ScanDraft, start: Place): Promise<void> {
  for (let level: readonly Place[] = [start]; level.length > 0;) {
    const next: Place[] = [];
    await forEachLimit(level, concurrency, async (folder) => {
      next.push(...(await scanFolder(draft, folder)));
    });
    level = next.filter((folder) => isNearEnough(draft, folder));
  }
}

function isNearEnough({ options }: ScanDraft, { depth }: Place): boolean {
  return depth <= (options.depth ?? 3);
}

async function follow(draft: ScanDraft, link: Place): Promise<void> {
  const target = await resolveLink(draft.root, link.path);
  if (target.kind === 'outside') {
    draft.problems.push(fileProblem(link.file, leavesSource(link.file)));
  } else if (target.kind === 'broken') {
    if (isDefinitionName(link.file)) draft.failures.push({ file: link.file, error: target.error });
  } else if (target.stats.isDirectory()) {
    if (isNearEnough(draft, link)) await walk(draft, { ...link, path: target.path });
  } else if (isDefinitionName(link.file)) {
    await addLinkedFile(draft, target.path, link.file);
  }
}

async function addLinkedFile(draft: ScanDraft, path: string, file: string): Promise<void> {
  if (draft.files.has(path)) return;
  draft.files.set(path, { file, signature: '' });
  const folder = dirname(path);
  if (draft.folders.has(folder)) return;
  try {
    draft.folders.set(folder, { identity: await identifyFolder(folder) });
  } catch (error) {
    draft.failures.push({ file, error });
  }
}
