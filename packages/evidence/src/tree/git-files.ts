import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { repositoryAddress } from '@workflowlookup/schema';
import { openRegular } from '../regular-file.ts';
import type { Repository } from './repository.ts';

/** The folders of a repository, as git reports them. All paths are absolute. */
export interface GitPlaces {
  /** The top folder of the work tree. */
  readonly root: string;
  readonly gitDir: string;
  /** The folder that all work trees share. */
  readonly common: string;
}

/**
 * Returns the commit that is checked out, without running git: starting a process takes longer than reading these
 * files. Returns `undefined` unless the files have their simplest form, which git would read in the same way. An agent
 * can write all of them, so they must still point to the folders that git reported.
 */
export async function readHead({ root, gitDir, common }: GitPlaces): Promise<string | undefined> {
  const [link, shared, config, head] = await Promise.all([
    gitDir === join(root, '.git') ? '' : textOf(join(root, '.git')),
    textOf(join(gitDir, 'commondir')),
    textOf(join(common, 'config')),
    textOf(join(gitDir, 'HEAD')),
  ]);
  const isLinked = link === '' || link === `gitdir: ${gitDir}\n`;
  const isShared = shared === undefined ? common === gitDir : resolve(gitDir, shared.trimEnd()) === common;
  // Another reference format stores commits elsewhere. A configuration can't spell the name of this setting in any
  // other way.
  if (!isLinked || !isShared || config === undefined || /refstorage/i.test(config)) return undefined;
  const branch = /^ref: (refs\/heads\/[\w/-]+(?:\.[\w/-]+)*)\n$/.exec(head ?? '')?.[1];
  return commitIn(branch === undefined ? head : await textOf(join(common, branch)));
}

/**
 * Returns the web address of the remote `origin` from the configuration of a repository; `undefined` if it is not on a
 * known host. An agent can write the configuration, but the page of a commit only shows content that matches its hash.
 */
export async function readWebAddress({ common }: Pick<GitPlaces, 'common'>): Promise<string | undefined> {
  const config = await textOf(join(common, 'config'));
  const section = /^\[remote "origin"\]\s*\n((?:(?!\s*\[).*\n?)*)/m.exec(config ?? '')?.[1];
  const url = /^\s*url\s*=\s*"?([^\s"]+)"?\s*$/m.exec(section ?? '')?.[1];
  return url === undefined ? undefined : repositoryAddress(url);
}

function commitIn(text: string | undefined): string | undefined {
  return /^([0-9a-f]{40}(?:[0-9a-f]{24})?)\n$/.exec(text ?? '')?.[1];
}

const maxBytes = 65_536;

/** Reads a small file that is neither a link nor a pipe; `undefined` if there is none. */
async function textOf(path: string): Promise<string | undefined> {
  const file = await openRegular(path, { followsLink: false });
  if (file === undefined) return undefined;
  try {
    return (await file.stat()).size <= maxBytes ? await file.readFile('utf8') : undefined;
  } catch {
    // It can't be read.
    return undefined;
  } finally {
    await file.close();
  }
}

/** A file that an index of git knows. */
interface IndexEntry {
  /** When git last looked at it, the file system had last noticed a change then: whole seconds since 1970. */
  readonly changedS: number;
  /** As git writes it. */
  readonly mode: string;
  readonly id: string;
  /** Each byte as one character. */
  readonly path: string;
}

/**
 * Reads the entries of an index, as https://git-scm.com/docs/index-format describes them. Git shows their times only in a
 * format for people that may change.
 *
 * @param idBytes the length of the names of objects
 * @throws Error for versions that git does not write without being told to
 */
export function* readIndex(bytes: Buffer, idBytes: number): Generator<IndexEntry> {
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || bytes.readUInt32BE(4) > 3)
    throw new Error('unknown index format');
  const count = bytes.readUInt32BE(8);
  let start = 12;
  for (let nth = 0; nth < count; nth += 1) {
    const idAt = start + 40;
    const flagsAt = idAt + idBytes;
    const isExtended = (bytes.readUInt16BE(flagsAt) & 0x4000) !== 0;
    const pathAt = flagsAt + (isExtended ? 4 : 2);
    const end = bytes.indexOf(0, pathAt);
    yield {
      changedS: bytes.readUInt32BE(start),
      mode: bytes.readUInt32BE(start + 24).toString(8),
      id: bytes.toString('hex', idAt, flagsAt),
      path: bytes.toString('latin1', pathAt, end),
    };
    // Entries are filled up with one to eight zeros.
    start += (end - start + 8) & ~7;
  }
}

/** A repository, as far as its objects are read. */
export type Objects = Pick<Repository, 'format' | 'run'>;

interface GitObject {
  readonly type: string;
  /** Each byte as one character. */
  readonly text: string;
}

/**
 * Returns the objects with these ids whose content matches their hash. Git trusts most objects that it reads: it does
 * not compare their content with their hashes. An agent can overwrite objects, so that git here finds other files in a
 * commit, or another history, than git finds everywhere else.
 */
async function genuineObjects(
  { run, format }: Objects,
  ids: readonly string[],
): Promise<ReadonlyMap<string, GitObject>> {
  const found = new Map<string, GitObject>();
  if (ids.length === 0) return found;
  const { stdout } = await run(['cat-file', '--batch'], { encoding: 'latin1', input: `${ids.join('\n')}\n` });
  for (let at = 0; at < stdout.length;) {
    const end = stdout.indexOf('\n', at);
    const [id = '', type = '', size] = stdout.slice(at, end).split(' ');
    at = end + 1;
    // The object is missing.
    if (size === undefined) continue;
    const text = stdout.slice(at, at + Number(size));
    at += text.length + 1;
    const name = createHash(format).update(`${type} ${text.length}\0${text}`, 'latin1').digest('hex');
    if (name === id) found.set(id, { type, text });
  }
  return found;
}

/** Files by path. Each byte of a path is one character. The value is the mode and the name of the content. */
type FilesOfCommit = ReadonlyMap<string, string>;

/** Returns the files of a commit; `undefined` if an object is missing or was overwritten. */
export async function filesOfCommit(objects: Objects, commit: string): Promise<FilesOfCommit | undefined> {
  const root = (await genuineObjects(objects, [commit])).get(commit);
  const [, tree] = /^tree ([0-9a-f]+)\n/.exec(root?.text ?? '') ?? [];
  if (root?.type !== 'commit' || tree === undefined) return undefined;
  const files = new Map<string, string>();
  let folders: readonly (readonly [path: string, id: string])[] = [['', tree]];
  while (folders.length > 0) {
    const trees = await genuineObjects(objects, [...new Set(folders.map(([, id]) => id))]);
    const below: (readonly [path: string, id: string])[] = [];
    for (const [path, id] of folders) {
      const found = trees.get(id);
      if (found?.type !== 'tree') return undefined;
      for (const { mode, name, id: entry } of entriesOf(found.text, id.length / 2)) {
        if (mode === folderMode) below.push([`${path}${name}/`, entry]);
        else files.set(path + name, `${mode.toString(8)} ${entry}`);
      }
    }
    folders = below;
  }
  return files;
}

const folderMode = 0o040000;

/** Old versions of git recorded all permissions of a file. An index only has whether it is executable. */
function modeOf(text: string): number {
  const mode = Number.parseInt(text, 8);
  const isFile = mode >> 12 === 0o10;
  return isFile ? 0o100644 | ((mode & 0o100) === 0 ? 0 : 0o111) : mode;
}

/** Reads the text of a tree. `bytes` is the length of names of objects. */
function* entriesOf(
  text: string,
  bytes: number,
): Generator<{ readonly mode: number; readonly name: string; readonly id: string }> {
  for (let at = 0; at < text.length;) {
    const [space, end] = [text.indexOf(' ', at), text.indexOf('\0', at)];
    const id = Buffer.from(text.slice(end + 1, end + 1 + bytes), 'latin1').toString('hex');
    yield { mode: modeOf(text.slice(at, space)), name: text.slice(space + 1, end), id };
    at = end + 1 + bytes;
  }
}

/** Returns the paths of files that differ between two commits. */
export function differingFiles(one: FilesOfCommit, other: FilesOfCommit): readonly string[] {
  const paths = new Set([...one.keys(), ...other.keys()]);
  return [...paths].filter((path) => one.get(path) !== other.get(path));
}

/** Returns whether a commit comes before another one. */
export async function isAncestor(objects: Objects, base: string, commit: string): Promise<boolean> {
  const { ok, stdout } = await objects.run(['rev-list', '--ancestry-path', `${base}..${commit}`]);
  if (!ok) return false;
  // The output of git only says which commits to look at. It proves nothing.
  const commits = await genuineObjects(objects, stdout.split('\n').filter(Boolean));
  const seen = new Set([commit]);
  for (const id of seen) {
    if (id === base) return true;
    // Elsewhere in the text, everybody else takes such a line for something else.
    const lines = /^tree [0-9a-f]+\n((?:parent [0-9a-f]+\n)*)/.exec(commits.get(id)?.text ?? '')?.[1] ?? '';
    for (const [, parent = ''] of lines.matchAll(/parent ([0-9a-f]+)/g)) seen.add(parent);
  }
  return false;
}
