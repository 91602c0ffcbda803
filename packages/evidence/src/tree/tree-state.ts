import { createHash, randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, readlink, readdir } from 'node:fs/promises';
import picomatch from 'picomatch';
import { openRegular } from '../regular-file.ts';
import type { IndexMark, Repository } from './repository.ts';

/** The state of the files of a repository. */
export interface TreeState {
  /** The commit that is checked out. */
  readonly commit: string;
  /** `commit:SHA` if all files equal the commit, otherwise a digest of the commit and of what differs from it. */
  readonly tree: string;
  readonly isClean: boolean;
  /** Paths from the root of the repository: files that differ from the commit, and new ones that are not ignored. */
  readonly changed: readonly string[];
  /** Whether there are new files that are not ignored. */
  readonly hasNew: boolean;
  /**
   * The time of the last change of each of these files, according to the file system. It also has files that equal the
   * commit but were changed just now.
   */
  readonly stamps: ReadonlyMap<string, string>;
  /** Whether git noted something new about a file since the last status. */
  readonly hasLearned: boolean;
}

/** Options of {@link treeState}. */
export interface TreeOptions {
  /**
   * Patterns of new files that are not part of the state, relative to the working folder: the reports that checks
   * write.
   */
  readonly reports?: readonly string[] | Promise<readonly string[]>;
  /** The state is read after this resolves. */
  readonly after?: Promise<unknown> | undefined;
}

/** A file that differs from the commit. */
interface Difference {
  readonly path: string;
  /** The bytes of the path, each as one character. It need not be UTF-8. */
  readonly raw: string;
  readonly isNew: boolean;
  readonly isSubmodule: boolean;
  /** Whether changes in it can't be detected. Its path may be incomplete. */
  readonly isUnseen: boolean;
}

const statusArguments = [
  'status',
  '--porcelain=v2',
  '--branch',
  '-z',
  '--untracked-files=all',
  '--no-renames',
  // To look into a submodule, git could run programs that the submodule's own configuration names.
  '--ignore-submodules=dirty',
];

/** Returns the state of all files; `undefined` if there is no commit, or if git fails. */
export async function treeState(
  repository: Repository,
  { reports = [], after }: TreeOptions = {},
): Promise<TreeState | undefined> {
  const ask = (options?: Pick<TreeOptions, 'after'>) => repository.status(statusArguments, options);
  // The commit is usually the same as last time, so both commands can run at the same time.
  const asked = ask({ after });
  await after;
  const likely = await repository.likelyHead();
  let [commit, status] = await Promise.all([likely ?? repository.head(), asked]);
  // The commit that was found without git is only valid if git last read the same commit.
  if (likely !== undefined && commitIn(status) !== likely) commit = await repository.head();
  // Another server may have read a different commit into the index in the meantime.
  for (let tries = 0; commit !== undefined && commitIn(status) !== commit; tries += 1) {
    if (tries === maxTries || !(await repository.readTree(commit))) return undefined;
    [commit, status] = await Promise.all([repository.head(), ask()]);
  }
  if (commit === undefined || !status.ok) return undefined;
  const isReport = reportMatcher(repository, await reports);
  const unlisted = await unlistedFolders(repository, status.stderr);
  const differences = [...readStatus(status.stdout), ...unlisted].filter(
    ({ path, isNew }) => !(isNew && isReport(path)),
  );
  const stamps = new Map<string, string>();
  for (const raw of status.recent) stamps.set(raw, await stampAt(repository, raw));
  const { hasLearned } = status;
  if (differences.length === 0)
    return {
      commit,
      tree: `commit:${commit}`,
      isClean: true,
      changed: [],
      hasNew: false,
      stamps,
      hasLearned,
    };
  const hash = createHash('sha256').update(`${commit}\0`);
  const root = Buffer.from(`${repository.root}/`).toString('latin1');
  for (const { path, raw, isSubmodule, isUnseen } of differences.toSorted(byPath)) {
    if (isUnseen) hash.update(`${raw}\0unreadable ${randomUUID()}\0`);
    // Something else may be in its place.
    else if (isSubmodule && (await isFolder(root + raw)))
      hash.update(`${raw}\0submodule ${await submoduleCommit(repository, path)}\0`);
    else await addPath(hash, root + raw, raw, stamps);
  }
  return {
    commit,
    tree: `sha256:${hash.digest('hex')}`,
    isClean: false,
    changed: differences.map(({ path }) => path),
    hasNew: differences.some(({ isNew }) => isNew),
    stamps,
    hasLearned,
  };
}

/** How often to retry if another server changes the index. */
const maxTries = 5;

/** The commit that our own index equals, as `git status` says. */
function commitIn({ stdout }: { readonly stdout: string }): string | undefined {
  return /^# branch\.oid ([0-9a-f]+)\0/.exec(stdout)?.[1];
}

/** Starts to watch for files that are written during a check, even if they end up unchanged. */
export async function watchWrites(
  repository: Repository,
  before: TreeState,
): Promise<{ touched(after: TreeState): Promise<readonly string[]>; close(): Promise<void> }> {
  const mark = await repository.mark();
  return {
    async touched(after) {
      const now = await Promise.all([...before.stamps.keys()].map((raw) => stampAt(repository, raw)));
      const written = [...before.stamps].flatMap(([raw, stamp], at) => (now[at] === stamp ? [] : [raw]));
      const tracked = await writtenSince(repository, mark, after);
      const known = new Set([...[...before.stamps.keys()].map(textOfPath), ...after.changed]);
      const others = tracked.map(textOfPath).filter((path) => !known.has(path));
      return [...written.map(textOfPath), ...others].toSorted();
    },
    close: () => mark.close(),
  };
}

async function writtenSince(
  repository: Repository,
  mark: IndexMark,
  { hasLearned }: TreeState,
): Promise<readonly string[]> {
  // If a file has the same content but a new time, `git status` notes that in the index.
  if (!hasLearned && !(await mark.isOutdated())) return [];
  const { stdout } = await repository.run(['diff-files', '--name-only', '--ignore-submodules', '-z'], {
    encoding: 'latin1',
    index: mark.index,
  });
  return stdout.split('\0').filter((raw) => raw !== '');
}

/** Returns when the file system last noticed a change of a file. */
async function stampAt({ root }: Repository, raw: string): Promise<string> {
  const place = Buffer.from(`${Buffer.from(root).toString('latin1')}/${raw}`, 'latin1');
  const found = await lstat(place, { bigint: true }).catch(() => undefined);
  return found === undefined ? 'missing' : stampOf(found);
}

/** Decodes a path whose bytes are one character each. */
export function textOfPath(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8');
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
    if (kind === '?') return [difference(line.slice(2), { isNew: true })];
    if (kind !== '1' && kind !== 'u') return [];
    const fields = line.split(' ');
    const raw = fields.slice(kind === '1' ? 8 : 10).join(' ');
    return [difference(raw, { isSubmodule: fields[2]?.startsWith('S') === true })];
  });
}

function difference(
  raw: string,
  {
    isNew = false,
    isSubmodule = false,
    isUnseen = false,
  }: Partial<Pick<Difference, 'isNew' | 'isSubmodule' | 'isUnseen'>>,
): Difference {
  return { path: textOfPath(raw), raw, isNew, isSubmodule, isUnseen };
}

/**
 * Returns the folders of this user in which git could not look. An agent can take away the right to list a folder, or make
 * its path too long, and use what is in it all the same. Git cuts off long warnings, and replaces control characters in
 * them.
 */
async function unlistedFolders({ root }: Repository, warnings: string): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  for (const warning of warnings.split(/^warning: could not open directory '/m).slice(1)) {
    const raw = warning.slice(0, Math.max(0, warning.lastIndexOf("/': ")));
    const place = Buffer.from(`${root}/${raw}`, 'latin1');
    const folder = raw === '' ? undefined : await lstat(place).catch(() => undefined);
    if (folder === undefined) found.push(difference((raw || warning).slice(0, maxShown), { isUnseen: true }));
    else if (folder.uid === process.getuid?.()) found.push(difference(raw, { isNew: true }));
  }
  return found;
}

/** The maximum number of characters shown of a path that can't be read. */
const maxShown = 100;

function byPath(one: Difference, other: Difference): number {
  return one.raw < other.raw ? -1 : 1;
}

async function isFolder(full: string): Promise<boolean> {
  const found = await lstat(Buffer.from(full, 'latin1')).catch(() => undefined);
  return found?.isDirectory() === true;
}

async function submoduleCommit(repository: Repository, path: string): Promise<string> {
  return (await repository.commitIn(path)) ?? 'none';
}

type Hash = ReturnType<typeof createHash>;

/**
 * Larger files are not read. Their inode, size and times stand for their content, because nobody can change the content
 * and keep all of these.
 */
const maxBytes = 64n * 1024n * 1024n;

/**
 * Adds a file, a link, or a repository within the repository, which git reports as one new folder. Paths are bytes, each
 * as one character.
 */
async function addPath(hash: Hash, full: string, path: string, stamps: Map<string, string>): Promise<void> {
  const place = Buffer.from(full, 'latin1');
  const found = await lstat(place, { bigint: true }).catch(() => undefined);
  if (found === undefined) {
    hash.update(`${path}\0missing\0`);
    return;
  }
  if (!found.isDirectory()) stamps.set(path, stampOf(found));
  if (found.isSymbolicLink()) {
    hash.update(`${path}\0link ${await readlink(place, { encoding: 'latin1' })}\0`);
  } else if (found.isDirectory()) {
    hash.update(`${path}\0folder\0`);
    const names = await readdir(place, { encoding: 'latin1' }).catch(() => undefined);
    // Changes in an unreadable folder can't be detected, so the hash never matches another one.
    if (names === undefined) hash.update(`unreadable ${randomUUID()}\0`);
    for (const name of names?.toSorted() ?? []) {
      if (name !== '.git') await addPath(hash, `${full}/${name}`, `${path}/${name}`, stamps);
    }
  } else if (found.isFile()) {
    const digest = await digestOfContent(place, found);
    hash.update(`${path}\0${(found.mode & 0o111n) === 0n ? 'file' : 'program'} ${digest}\0`);
  } else {
    hash.update(`${path}\0other\0`);
  }
}

function stampOf({ ino, size, ctimeNs, mtimeNs }: BigIntStats): string {
  return [ino, size, ctimeNs, mtimeNs].join(' ');
}

const chunkBytes = 64 * 1024;

/**
 * Returns the digest of the content of a file. For a file that is very large or can't be read, returns its inode, size
 * and times instead: see `maxBytes`.
 */
export async function digestOfContent(path: Buffer | string, found: BigIntStats): Promise<string> {
  if (found.size > maxBytes) return stampOf(found);
  const file = await openRegular(path);
  if (file === undefined) return stampOf(found);
  const hash = createHash('sha256');
  // Reads only up to the size at the start, so that a process that keeps writing to the file can't keep the server
  // reading.
  let left = Number(found.size);
  const buffer = Buffer.allocUnsafe(Math.min(left, chunkBytes));
  try {
    while (left > 0) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(left, buffer.length));
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      left -= bytesRead;
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}
