import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { lstat, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowError } from '@workflowlookup/schema';
import { nameOf } from './authoring/name-of.ts';

// Everything the command line writes for its users goes through here. A project may come from anybody: a link in it must
// not make a command write to a file of the user elsewhere.

/** Texts, each under the path of its file. */
export type Files = ReadonlyMap<string, string>;

/** How a file is replaced. */
interface Replacing {
  /** Whether the file belongs to the user and not to a project, such as a config file in their home, which may be a link. */
  readonly mayBeLink?: boolean;
}

/**
 * Puts a text in the place of a file's, or makes the file; whole or not at all. The file keeps its mode; other names of it
 * (hard links) keep the text they had.
 *
 * @throws WorkflowError SECURITY where a link leads elsewhere, STORAGE where it can't be written
 */
export async function replaceFile(
  path: string,
  text: string,
  { mayBeLink = false }: Replacing = {},
): Promise<void> {
  const target = mayBeLink ? await realpath(path).catch(() => path) : path;
  if (!mayBeLink) await refuseLinks(target);
  const before = await statOf(target);
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  try {
    if (before?.isDirectory() === true) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    if (before !== undefined && !before.isFile()) throw noFile(target);
    await mkdir(dirname(target), { recursive: true });
    await writeNew(draft, text, before);
    await renamePatiently(draft, target);
  } catch (cause) {
    await rm(draft, { force: true });
    if (cause instanceof WorkflowError) throw cause;
    throw new WorkflowError(
      'STORAGE',
      `'${nameOf(target)}' can't be written (${codeOf(cause)}); it was not changed.`,
      { cause },
    );
  }
}

/**
 * Writes files that are not there yet, all or none.
 *
 * @throws WorkflowError INVALID_PARAMS where one is there, SECURITY where a link leads elsewhere, STORAGE
 */
export async function writeNewFiles(directory: string, files: Files): Promise<void> {
  const written: string[] = [];
  try {
    for (const [file, text] of files) {
      const path = join(directory, file);
      await refuseLinkedFolders(path);
      await mkdir(dirname(path), { recursive: true });
      await writeNew(path, text);
      written.push(path);
    }
  } catch (cause) {
    for (const path of written) await rm(path, { force: true });
    if (cause instanceof WorkflowError) throw cause;
    const { path = '' } = cause as NodeJS.ErrnoException;
    throw codeOf(cause) === 'EEXIST'
      ? isThere(path, cause)
      : new WorkflowError(
          'STORAGE',
          `'${nameOf(path)}' can't be written (${codeOf(cause)}). Nothing was written.`,
          { cause },
        );
  }
}

/**
 * Writes lines to a new file that its owner alone can read; only a whole file stays.
 *
 * @returns how many lines there were
 * @throws WorkflowError INVALID_PARAMS where it is there, SECURITY where a link leads elsewhere
 */
export async function writeNewLines(file: string, lines: AsyncIterable<string>): Promise<number> {
  const path = resolve(file);
  await refuseLinkedFolders(path);
  const target = await open(path, newFile, 0o600).catch((cause: unknown) => {
    throw codeOf(cause) === 'EEXIST' ? isThere(path, cause) : cause;
  });
  let count = 0;
  try {
    for await (const line of lines) {
      await target.write(`${line}\n`);
      count += 1;
    }
    await target.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await target.close();
  }
  return count;
}

/** The text of a file, or `undefined` if it does not exist. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Refuses a path that is a link to a file, or leads through a link out of the working folder. @throws WorkflowError SECURITY */
export async function refuseLinks(path: string): Promise<void> {
  const target = resolve(path);
  await refuseLinkedFolders(target);
  if ((await statOf(target))?.isSymbolicLink() !== true) return;
  const end = await targetOf(target);
  const isFolderHere =
    end !== undefined && !isOutside(relative(process.cwd(), end)) && (await stat(end)).isDirectory();
  if (!isFolderHere) throw isLink(target, end);
}

/** Refuses a path in the working folder that leads out of it through a link. @throws WorkflowError SECURITY */
export async function refuseLinkedFolders(path: string): Promise<void> {
  const root = process.cwd();
  const inside = relative(root, path);
  if (isOutside(inside)) return;
  let folder = root;
  for (const name of dirname(inside).split(sep)) {
    folder = join(folder, name);
    const found = await statOf(folder);
    if (found === undefined) return;
    if (!found.isSymbolicLink()) continue;
    const target = await targetOf(folder);
    if (target === undefined || isOutside(relative(root, target))) throw isLink(folder, target);
  }
}

/** Made by this call and by no other, never through a link. */
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Writes a file of its own, with the owner and the mode of another one where that is said. */
async function writeNew(path: string, text: string, like?: Stats): Promise<void> {
  const file = await open(path, newFile, like === undefined ? 0o666 : 0o600);
  try {
    await file.writeFile(text);
    // Only root may give a file to somebody else.
    if (like !== undefined) await file.chown(like.uid, like.gid).catch(() => undefined);
    if (like !== undefined) await file.chmod(like.mode & 0o7777);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** On Windows a file that an editor or a scanner holds can't be replaced for a moment. */
async function renamePatiently(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (tries === 10 || !['EACCES', 'EBUSY', 'EPERM'].includes(codeOf(error))) throw error;
      await pause(100);
    }
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw error;
  });
}

function targetOf(link: string): Promise<string | undefined> {
  return realpath(link).catch(() => undefined);
}

/** Whether a path relative to a folder leads out of it. */
export function isOutside(fromRoot: string): boolean {
  return fromRoot === '..' || fromRoot.startsWith(`..${sep}`) || isAbsolute(fromRoot);
}

function isLink(link: string, target: string | undefined): WorkflowError {
  const where = target === undefined ? 'something that is not there' : `'${nameOf(target)}'`;
  return new WorkflowError(
    'SECURITY',
    `'${nameOf(link)}' is a symbolic link to ${where}, and this command does not write through links. Nothing was written. Name the path it leads to, or replace the link with a file or folder of its own.`,
    { data: { reason: 'link' } },
  );
}

function noFile(path: string): WorkflowError {
  return new WorkflowError(
    'INVALID_PARAMS',
    `'${nameOf(path)}' is a device, a pipe or a socket. Name a regular file; without one the result is printed to standard output.`,
  );
}

function isThere(path: string, cause: unknown): WorkflowError {
  return new WorkflowError('INVALID_PARAMS', `'${nameOf(path)}' already exists. Nothing was written.`, {
    cause,
  });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}
