import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readlink, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import type { Repository } from './repository.ts';

/** The state of the files of a repository. */
export interface TreeState {
  /** The commit that is checked out. */
  readonly commit: string;
  /** `commit:SHA` if all files equal the commit, otherwise a digest of the commit and of what differs from it. */
  readonly tree: string;
  readonly isClean: boolean;
  /** Paths from the root of the repository: files that differ from the commit, and new ones that are not ignored. */
  readonly changed: readonly string[];
}

/** Paths of files that are no part of the state. */
export interface TreeOptions {
  /** Patterns of new files, from the working folder: the reports that checks write. */
  readonly reports?: readonly string[];
}

/** A file that differs from the commit. */
interface Difference {
  readonly path: string;
  readonly isNew: boolean;
  readonly isSubmodule: boolean;
}

const statusArguments = [
  'status',
  '--porcelain=v2',
  '-z',
  '--untracked-files=all',
  '--no-renames',
  // What a submodule has changed within is found out by programs that its own configuration may name.
  '--ignore-submodules=dirty',
];

/** Returns the state of all files; `undefined` if there is no commit, or if git fails. */
export async function treeState(
  repository: Repository,
  { reports = [] }: TreeOptions = {},
): Promise<TreeState | undefined> {
  const known = repository.indexed();
  // Mostly the commit is the same as last time, so that both questions can be asked at once.
  const [commit, early] = await Promise.all([
    repository.head(),
    known === undefined ? undefined : repository.run(statusArguments),
  ]);
  if (commit === undefined || !(await repository.readTree(commit))) return undefined;
  const { ok, stdout } =
    early === undefined || commit !== known ? await repository.run(statusArguments) : early;
  if (!ok) return undefined;
  const isReport = reportMatcher(repository, reports);
  const differences = readStatus(stdout).filter(({ path, isNew }) => !(isNew && isReport(path)));
  if (differences.length === 0) return { commit, tree: `commit:${commit}`, isClean: true, changed: [] };
  const hash = createHash('sha256').update(`${commit}\0`);
  for (const { path, isSubmodule } of differences.toSorted(byPath)) {
    if (isSubmodule) hash.update(`${path}\0submodule ${await submoduleCommit(repository, path)}\0`);
    else await addPath(hash, join(repository.root, path), path);
  }
  return {
    commit,
    tree: `sha256:${hash.digest('hex')}`,
    isClean: false,
    changed: differences.map(({ path }) => path),
  };
}

function reportMatcher({ prefix }: Repository, reports: readonly string[]): (path: string) => boolean {
  if (reports.length === 0) return () => false;
  const patterns = reports.map((one) =>
    [prefix, one.replace(/^\.\//, '')].filter((part) => part !== '').join('/'),
  );
  return picomatch(patterns, { dot: true });
}

/** Reads `git status --porcelain=v2 -z`. */
function readStatus(text: string): readonly Difference[] {
  return text.split('\0').flatMap((line): readonly Difference[] => {
    const kind = line[0];
    if (kind === '?') return [{ path: line.slice(2), isNew: true, isSubmodule: false }];
    if (kind !== '1' && kind !== 'u') return [];
    const fields = line.split(' ');
    const path = fields.slice(kind === '1' ? 8 : 10).join(' ');
    return [{ path, isNew: false, isSubmodule: fields[2]?.startsWith('S') === true }];
  });
}

function byPath(one: Difference, other: Difference): number {
  return one.path < other.path ? -1 : 1;
}

async function submoduleCommit(repository: Repository, path: string): Promise<string> {
  return (await repository.commitIn(path)) ?? 'none';
}

type Hash = ReturnType<typeof createHash>;

/** Adds a file, a link, or a repository within the repository, which git reports as one new folder. */
async function addPath(hash: Hash, full: string, path: string): Promise<void> {
  const found = await lstat(full).catch(() => undefined);
  if (found === undefined) {
    hash.update(`${path}\0missing\0`);
  } else if (found.isSymbolicLink()) {
    hash.update(`${path}\0link ${await readlink(full)}\0`);
  } else if (found.isDirectory()) {
    hash.update(`${path}\0folder\0`);
    for (const name of (await readdir(full)).toSorted()) {
      if (name !== '.git') await addPath(hash, join(full, name), `${path}/${name}`);
    }
  } else if (found.isFile()) {
    const digest = await digestOfFile(full);
    hash.update(`${path}\0${(found.mode & 0o111) === 0 ? 'file' : 'program'} ${digest}\0`);
  } else {
    hash.update(`${path}\0other\0`);
  }
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
