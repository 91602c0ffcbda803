import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { createHash, randomUUID } from 'node:crypto';
import { copyFile, link, lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathWithoutProject } from '../checks/run-command.ts';
import { readHead, readWebAddress, readIndex, filesOfCommit } from './git-files.ts';
import type { Objects } from './git-files.ts';

/** The result of a git command. */
interface GitResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** The variables that a git command gets from the server. Others could make it read another repository. */
const kept = ['HOME', 'XDG_CONFIG_HOME', 'SystemRoot', 'TMPDIR', 'LANG'];

/** No git command may take longer. */
const timeoutMs = 60_000;

/**
 * Runs a git command that only reads. It runs no program that the repository configures, because an agent may have
 * written that configuration.
 */
function git(
  args: readonly string[],
  {
    folder,
    environment,
    more = {},
    encoding = 'utf8',
    input = '',
    after,
  }: {
    readonly folder: string;
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly more?: Readonly<Record<string, string>>;
    /** `latin1` keeps the bytes of names that are not UTF-8. */
    readonly encoding?: 'latin1' | 'utf8';
    readonly input?: string | undefined;
    readonly after?: Promise<unknown> | undefined;
  },
): Promise<GitResult> {
  const passed = kept.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = {
    ...Object.fromEntries(passed),
    ...pathWithoutProject(environment['PATH'], folder),
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    LC_ALL: 'C',
    ...more,
  };
  const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--no-pager', ...args];
  const [program, list] = after === undefined ? ['git', safe] : ['/bin/sh', ['-c', waiting, 'sh', ...safe]];
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const child = execFile(
      program,
      list,
      { cwd: folder, env, maxBuffer: 512 * 1024 * 1024, encoding },
      (error, stdout, stderr) => {
        clearTimeout(timer);
        resolve({ ok: error === null, stdout, stderr });
      },
    );
    child.stdin?.on('error', () => {
      // Git ended before it read all of its input.
    });
    const begin = (): void => {
      timer = setTimeout(() => child.kill(), timeoutMs);
      child.stdin?.end(after === undefined ? input : `\n${input}`, encoding);
    };
    if (after === undefined) begin();
    else after.then(begin, begin);
  });
}

/** A shell that waits for a line and then becomes git. If the server ends first, no line comes, and git does not run. */
const waiting = 'read -r _ && exec git "$@"';

/** A git repository, read without its configuration. */
export interface Repository {
  /** The top folder of the work tree. */
  readonly root: string;
  /** Path of the working folder from the root, with `/`; empty if it is the root. */
  readonly prefix: string;
  /** The folder that all work trees of the repository share. It names the repository. */
  readonly common: string;
  /** The hash that names objects: `sha1` or `sha256`. */
  readonly format: string;
  /** The commit that is checked out. */
  head(): Promise<string | undefined>;
  /** Like `head`, but without running git, so the result need not be a commit; `undefined` if only git can tell. */
  likelyHead(): Promise<string | undefined>;
  /** The address of the repository on a known web host. */
  webAddress(): Promise<string | undefined>;
  /** Resolves the name of a branch or commit. */
  commitOf(name: string): Promise<string | undefined>;
  /** The commit that is checked out in a submodule. */
  commitIn(path: string): Promise<string | undefined>;
  /** Runs a git command on our own index, which equals the last commit that `readTree` read. */
  run(args: readonly string[], options?: RunOptions): Promise<GitResult>;
  /** Runs `git status` on our own index. Each byte of the output is one character. */
  status(args: readonly string[], options?: Pick<RunOptions, 'after'>): Promise<Status>;
  /** Makes our own index equal a commit. Fails if objects of the commit are missing or were overwritten. */
  readTree(commit: string): Promise<boolean>;
  /** Saves a copy of our own index as it is now. Git does not change the copy. */
  mark(): Promise<IndexMark>;
}

/** The result of `git status`. */
interface Status extends GitResult {
  /** Files that equal the commit and that were changed so recently that git must read them again next time. */
  readonly recent: readonly string[];
  /** Whether git noted something new about a file in the index. */
  readonly hasLearned: boolean;
}

/** A saved copy of our own index. */
export interface IndexMark {
  readonly index: string;
  /** Whether our own index has changed since the copy was made. */
  isOutdated(): Promise<boolean>;
  close(): Promise<void>;
}

/** How a git command is run. */
interface RunOptions {
  /** `latin1` keeps the bytes of names that are not UTF-8. */
  readonly encoding?: 'latin1' | 'utf8';
  /** Another index file. */
  readonly index?: string;
  /** What the command reads from its standard input. Default nothing. */
  readonly input?: string;
  /**
   * Git begins when this resolves. Its process is started earlier, because starting it takes about as long as the
   * command itself.
   */
  readonly after?: Promise<unknown> | undefined;
}

/** Where a repository is, and how it is read. */
interface RepositoryOptions {
  readonly folder: string;
  /** A folder of this user, in which our own indexes are kept. */
  readonly cacheFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Settings of a repository that say how files are read, run nothing, and can't hide a file or its text. */
const harmless = ['core.autocrlf', 'core.eol', 'core.filemode'];

/** With these attributes, files with different texts equal the same commit. */
const attributes = '* !ident !working-tree-encoding\n';

/** After that many milliseconds, the lock of an index is left over from a process that was killed. */
const oldLockMs = 10_000;

const maxTries = 100;

/**
 * Opens the repository of a folder; `undefined` if there is none. Whether files have changed is found out with an index
 * and a configuration of our own. An agent can write the index of the repository, for example to hide a changed file,
 * and its configuration, which can name programs that `git status` runs.
 */
export async function openRepository(options: RepositoryOptions): Promise<Repository | undefined> {
  const { folder, cacheFolder } = options;
  const top = await folderWithGit(folder);
  if (top === undefined) return undefined;
  const { PATH } = pathWithoutProject(options.environment['PATH'], top);
  const environment = { ...options.environment, PATH };
  const found = await git(
    [
      'rev-parse',
      '--path-format=absolute',
      '--show-toplevel',
      '--git-common-dir',
      '--git-path',
      'objects',
      '--show-object-format',
      '--git-dir',
    ],
    { folder, environment },
  );
  const [root = '', common = '', objects = '', format = '', gitDir = ''] = found.stdout.split('\n');
  const prefix = relative(root, folder);
  // The configuration of the repository can name any folder as its work tree.
  if (!found.ok || root !== top) return undefined;
  const own = join(cacheFolder, createHash('sha256').update(`${common}\n${root}`).digest('hex'));
  const [settings, ignoresCase] = await Promise.all([
    settingsOf({ folder, environment }),
    isCaseIgnored(root),
  ]);
  await prepare(own, { format, settings: `${settings}\nignorecase = ${ignoresCase}` });
  const more = {
    GIT_DIR: own,
    GIT_WORK_TREE: root,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const run: Repository['run'] = (args, { encoding = 'utf8', index, input, after } = {}) =>
    git(args, {
      folder: root,
      environment,
      more: index === undefined ? more : { ...more, GIT_INDEX_FILE: index },
      encoding,
      input,
      after,
    });
  const resolve = async (name: string, from = folder): Promise<string | undefined> => {
    // No program takes such an argument.
    if (name.includes('\0')) return undefined;
    const { ok, stdout } = await git(
      ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
      { folder: from, environment },
    );
    // The name `^main` resolves to what is no commit.
    return ok && /^[0-9a-f]+$/.test(stdout.trim()) ? stdout.trim() : undefined;
  };
  const hash = format === '' ? 'sha1' : format;
  return {
    root,
    common,
    format: hash,
    prefix: prefix.split(sep).join('/'),
    head: () => resolve('HEAD'),
    // In a folder below, an agent could make a repository of its own.
    likelyHead: async () => (prefix === '' ? readHead({ root, gitDir, common }) : undefined),
    webAddress: () => readWebAddress({ common }),
    commitOf: (name) => resolve(name),
    commitIn: (path) => resolve('HEAD', join(root, path)),
    run,
    status: (args, { after } = {}) => askStatus(own, args, { run, format: hash }, after),
    readTree: (commit) => readTree(own, commit, { run, format: hash }),
    mark: () => markIndex(own),
  };
}

/** Returns the nearest folder, from a folder upwards, that contains something named `.git`, or `undefined` if no folder does. */
async function folderWithGit(folder: string): Promise<string | undefined> {
  const found = await lstat(join(folder, '.git')).catch(() => undefined);
  if (found !== undefined) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : folderWithGit(above);
}

async function readTree(own: string, commit: string, objects: Objects): Promise<boolean> {
  const { run } = objects;
  const lock = join(own, 'index.lock');
  for (let tries = 0; tries < maxTries; tries += 1) {
    // With -m the entries of unchanged files keep what is known of them, so that they need not be read again.
    const { ok } = await run(['read-tree', '-m', commit]);
    if (ok && (await isOfCommit(objects, commit))) return nameCommit(own, commit);
    if (ok) break;
    const found = await stat(lock).catch(() => undefined);
    if (found === undefined) break;
    if (Date.now() - found.mtimeMs > oldLockMs) await rm(lock, { force: true });
    else await pause(20);
  }
  // The index is damaged.
  await rm(join(own, 'index'), { force: true });
  const { ok } = await run(['read-tree', commit]);
  if (ok && (await isOfCommit(objects, commit))) return nameCommit(own, commit);
  // What was read so far must not count for the commit that was read before.
  await nameCommit(own, noCommit);
  return false;
}

/** The content of HEAD while our own index equals no commit. */
const noCommit = 'ref: refs/heads/none';

async function nameCommit(own: string, commit: string): Promise<true> {
  const file = join(own, `HEAD-${randomUUID()}`);
  await writeFile(file, `${commit}\n`);
  await rename(file, join(own, 'HEAD'));
  return true;
}

/** How far the clock of a file system, which may be on another machine, can be behind. */
const clockMs = 1000;

/** Returns the second from which on a change counts as recent, for a status that begins now. */
function recentS(): number {
  return Math.floor((Date.now() - clockMs) / 1000);
}

/**
 * Runs `git status` on a copy of our own index, which then replaces the index. Git considers a file unchanged if its
 * size and the second of its last change are the same. An agent could let git read a file and then, within the same
 * second, write other content of the same size. So what git noted about files that were changed just now is discarded.
 */
async function askStatus(
  own: string,
  args: readonly string[],
  objects: Objects,
  after?: Promise<unknown>,
): Promise<Status> {
  const { run, format } = objects;
  const [current, index] = [join(own, 'index'), join(own, `look-${randomUUID()}`)];
  let sinceS = recentS();
  const begins = after?.then(() => (sinceS = recentS()));
  try {
    await copyIndex(current, index);
    const [before, copied] = await Promise.all([current, index].map(stampOfIndex));
    const status = await run(args, { encoding: 'latin1', index, after: begins });
    // While the status waited, the index may have been set to another commit.
    if (after !== undefined && (await stampOfIndex(current)) !== before)
      return await askStatus(own, args, objects);
    if (copied === undefined || (await stampOfIndex(index)) === copied)
      return { ...status, recent: [], hasLearned: false };
    const entries = [...readIndex(await readFile(index), format === 'sha256' ? 32 : 20)];
    const recent = entries.filter(({ changedS }) => changedS >= sinceS);
    const input = recent.map(({ mode, id, path }) => `${mode} ${id}\t${path}\0`).join('');
    const isForgotten =
      input === '' ||
      (await run(['update-index', '-z', '--index-info'], { encoding: 'latin1', index, input })).ok;
    if (isForgotten) await replaceIndex(current, index, before);
    return { ...status, recent: recent.map(({ path }) => path), hasLearned: true };
  } finally {
    await rm(index, { force: true });
  }
}

/**
 * Copies an index if it exists. A hard link is enough, because git never changes an index file but replaces it with a
 * new one.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  await link(from, to)
    .catch(() => copyFile(from, to, constants.COPYFILE_EXCL))
    .catch(() => undefined);
}

async function stampOfIndex(index: string): Promise<string | undefined> {
  const found = await stat(index).catch(() => undefined);
  return found && `${found.ino} ${found.mtimeMs}`;
}

/** Replaces our own index, unless another process is replacing it or has replaced it since `before`. */
async function replaceIndex(current: string, index: string, before: string | undefined): Promise<void> {
  // Git uses this file as its lock, and renames it to become the new index.
  const lock = `${current}.lock`;
  const isLocked = await link(index, lock)
    .catch(() => copyFile(index, lock, constants.COPYFILE_EXCL))
    .then(
      () => true,
      () => false,
    );
  if (!isLocked) return;
  const drop = (): Promise<void> => rm(lock, { force: true });
  if ((await stampOfIndex(current)) === before) await rename(lock, current).catch(drop);
  else await drop();
}

/** Returns whether our own index has exactly the files of a commit. */
async function isOfCommit(objects: Objects, commit: string): Promise<boolean> {
  const [files, { stdout }] = await Promise.all([
    filesOfCommit(objects, commit),
    objects.run(['ls-files', '--stage', '-z'], { encoding: 'latin1' }),
  ]);
  const entries = stdout.split('\0').filter((line) => line !== '');
  return (
    files?.size === entries.length &&
    entries.every((line) => {
      const [about, path] = split(line, '\t');
      return about === `${files.get(path)} 0`;
    })
  );
}

function split(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function markIndex(own: string): Promise<IndexMark> {
  const [current, index] = [join(own, 'index'), join(own, `mark-${randomUUID()}`)];
  await copyIndex(current, index);
  const before = await stampOfIndex(current);
  return {
    index,
    isOutdated: async () => (await stampOfIndex(current)) !== before,
    close: () => rm(index, { force: true }),
  };
}

/**
 * Returns whether the file system ignores case. The configuration of the repository also says so, but an agent can
 * change it.
 */
async function isCaseIgnored(root: string): Promise<boolean> {
  const [lower, upper] = await Promise.all(
    ['.git', '.GIT'].map((name) => lstat(join(root, name)).catch(() => undefined)),
  );
  if (lower === undefined || lower.ino !== upper?.ino || lower.dev !== upper.dev) return false;
  // In a linked work tree, `.git` is a file, and an agent can give it a second name.
  return lower.isDirectory() || lower.nlink === 1;
}

async function settingsOf({
  folder,
  environment,
}: Pick<RepositoryOptions, 'environment' | 'folder'>): Promise<string> {
  const { stdout } = await git(
    ['config', '--get-regexp', `^(${harmless.join('|').replaceAll('.', '\\.')})$`],
    {
      folder,
      environment,
    },
  );
  return stdout
    .split('\n')
    .flatMap((line) => {
      const [name = '', value = ''] = line.split(' ', 2);
      return /^[a-z]+$/.test(value) && harmless.includes(name)
        ? [`${name.slice('core.'.length)} = ${value}`]
        : [];
    })
    .join('\n');
}

async function prepare(
  own: string,
  { format, settings }: { readonly format: string; readonly settings: string },
): Promise<void> {
  const isOther = format !== '' && format !== 'sha1';
  const config = [
    '[core]',
    `repositoryformatversion = ${isOther ? 1 : 0}`,
    'bare = false',
    'preloadIndex = true',
    // An agent can write the files of the user as well. Only what the project itself ignores is ignored.
    'excludesFile = /dev/null',
    'attributesFile = /dev/null',
    settings,
    ...(isOther ? ['[extensions]', `objectFormat = ${format}`] : []),
    '',
  ].join('\n');
  await mkdir(join(own, 'refs'), { recursive: true, mode: 0o700 });
  await mkdir(join(own, 'objects'), { recursive: true });
  await mkdir(join(own, 'info'), { recursive: true });
  await writeFile(join(own, 'info/attributes'), attributes);
  await writeFile(join(own, 'HEAD'), `${noCommit}\n`, { flag: 'wx' }).catch(() => undefined);
  await writeFile(join(own, 'config'), config);
}
