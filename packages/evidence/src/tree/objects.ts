import { createHash } from 'node:crypto';
import type { Repository } from './repository.ts';

// Git trusts most objects that it reads: it does not compare their content with their hashes. An agent can overwrite
// objects, so that git here finds other files in a commit, or another history, than git finds everywhere else.

/** A repository, as far as its objects are read. */
export type Objects = Pick<Repository, 'format' | 'run'>;

interface GitObject {
  readonly type: string;
  /** Each byte as one character. */
  readonly text: string;
}

/** Returns the objects with these ids whose content matches their hash. */
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
