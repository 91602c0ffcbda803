import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { GitResult } from './git.ts';
import { git } from './git.ts';

/** A git repository, read without its configuration. */
export interface Repository {
  /** The top folder of the work tree. */
  readonly root: string;
  /** Path of the working folder from the root, with `/`; empty if it is the root. */
  readonly prefix: string;
  /** The folder that all work trees of the repository share. It names the repository. */
  readonly common: string;
  /** The commit that is checked out. */
  head(): Promise<string | undefined>;
  /** Resolves the name of a branch or commit. */
  commitOf(name: string): Promise<string | undefined>;
  /** The commit that is checked out in a submodule. */
  commitIn(path: string): Promise<string | undefined>;
  /** Runs a git command on our own index, which equals the last commit that `readTree` read. */
  run(args: readonly string[]): Promise<GitResult>;
  /** The commit that our own index equals; `undefined` before `readTree`. */
  indexed(): string | undefined;
  /** Makes our own index equal a commit. */
  readTree(commit: string): Promise<boolean>;
}

/** Where a repository is, and how it is read. */
export interface RepositoryOptions {
  readonly folder: string;
  /** A folder of this user, in which our own indexes are kept. */
  readonly cacheFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Settings of a repository that say how files are read, and run nothing. */
const harmless = ['core.autocrlf', 'core.eol', 'core.filemode', 'core.ignorecase', 'core.symlinks'];

/**
 * Opens the repository of a folder; `undefined` if there is none. Whether files have changed is found out with an index
 * and a configuration of our own. An agent can write the index of the repository, for example to hide a changed file,
 * and its configuration, which can name programs that `git status` runs.
 */
export async function openRepository(options: RepositoryOptions): Promise<Repository | undefined> {
  const { folder, cacheFolder, environment } = options;
  const found = await git(
    [
      'rev-parse',
      '--path-format=absolute',
      '--show-toplevel',
      '--git-common-dir',
      '--git-path',
      'objects',
      '--show-object-format',
    ],
    { folder, environment },
  );
  const [root = '', common = '', objects = '', format = ''] = found.stdout.split('\n');
  if (!found.ok || root === '') return undefined;
  const own = join(cacheFolder, createHash('sha256').update(`${common}\n${root}`).digest('hex'));
  await prepare(own, { format, settings: await settingsOf(options) });
  const more = {
    GIT_DIR: own,
    GIT_WORK_TREE: root,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const run = (args: readonly string[]): Promise<GitResult> => git(args, { folder: root, environment, more });
  const resolve = async (name: string, from = folder): Promise<string | undefined> => {
    const { ok, stdout } = await git(
      ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
      { folder: from, environment },
    );
    return ok ? stdout.trim() : undefined;
  };
  let indexed: string | undefined;
  return {
    root,
    common,
    prefix: relative(root, folder).split(sep).join('/'),
    head: () => resolve('HEAD'),
    commitOf: (name) => resolve(name),
    commitIn: (path) => resolve('HEAD', join(root, path)),
    run,
    indexed: () => indexed,
    async readTree(commit) {
      if (indexed === commit) return true;
      // With -m the entries of unchanged files keep what is known of them, so that they need not be read again.
      let { ok } = await run(['read-tree', '-m', commit]);
      if (!ok) {
        // A process that was killed leaves the lock of the index.
        await Promise.all(['index', 'index.lock'].map((name) => rm(join(own, name), { force: true })));
        ({ ok } = await run(['read-tree', commit]));
      }
      if (!ok) return false;
      await writeFile(join(own, 'HEAD'), `${commit}\n`);
      indexed = commit;
      return true;
    },
  };
}

async function settingsOf({ folder, environment }: RepositoryOptions): Promise<string> {
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
    settings,
    ...(isOther ? ['[extensions]', `objectFormat = ${format}`] : []),
    '',
  ].join('\n');
  await mkdir(join(own, 'refs'), { recursive: true, mode: 0o700 });
  await mkdir(join(own, 'objects'), { recursive: true });
  await writeFile(join(own, 'HEAD'), 'ref: refs/heads/none\n', { flag: 'wx' }).catch(() => undefined);
  await writeFile(join(own, 'config'), config);
}
