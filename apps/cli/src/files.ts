import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { constants, statSync } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowError, maxDefinitionBytes } from '@workflowlookup/schema';
import { fileMessages } from './messages/common.ts';

/** Returns a path to show: relative if it is in the working folder, otherwise absolute. */
export function nameOf(path: string): string {
  const name = relative(process.cwd(), path);
  if (name === '') return '.';
  return name === '..' || name.startsWith(`..${sep}`) ? path : name;
}

// A project may come from anybody, so a link in it must not make a command write to a file elsewhere. The functions that
// write here refuse such links. A command that writes to a project in another way calls `refuseLinks` or
// `refuseLinkedFolders` first.

export type Files = ReadonlyMap<string, string>;

/**
 * Replaces or creates a file, as a whole or not at all. The file keeps its mode; other hard links to it keep the old
 * text. A file that belongs to the user rather than to a project, for example in the home folder, `mayBeLink`.
 *
 * @throws WorkflowError UNSAFE_FILE if a link leads elsewhere, NOT_WRITTEN if it can't be written
 */
export async function replaceFile(
  path: string,
  text: string,
  { mayBeLink = false }: { readonly mayBeLink?: boolean } = {},
): Promise<void> {
  const target = mayBeLink ? await realpath(path).catch(() => path) : path;
  if (!mayBeLink) await refuseLinks(target);
  const before = await statOf(target);
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  try {
    if (before?.isDirectory() === true) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    if (before !== undefined && !before.isFile())
      throw new WorkflowError('INVALID_INPUT', fileMessages.notRegularOutput(nameOf(target)));
    await mkdir(dirname(target), { recursive: true });
    await writeNew(draft, text, before);
    await renamePatiently(draft, target);
  } catch (cause) {
    await rm(draft, { force: true });
    if (cause instanceof WorkflowError) throw cause;
    const message = fileMessages.notReplaced(nameOf(target), codeOf(cause));
    throw new WorkflowError('NOT_WRITTEN', message, { cause });
  }
}

/**
 * Creates several files, all or none.
 *
 * @throws WorkflowError CONFLICT if one exists, UNSAFE_FILE if a link leads elsewhere, NOT_WRITTEN
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
      : new WorkflowError('NOT_WRITTEN', fileMessages.notWritten(nameOf(path), codeOf(cause)), { cause });
  }
}

/**
 * Writes lines to a new file that only its owner can read. An incomplete file is removed.
 *
 * @returns the number of lines
 * @throws WorkflowError CONFLICT if it exists, UNSAFE_FILE if a link leads elsewhere
 */
export async function writeNewLines(
  file: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<number> {
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

/** Returns the text of a file, or `undefined` if it does not exist. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Refuses a path that is a link to a file, or leads through a link out of the working folder.
 *
 * @throws WorkflowError UNSAFE_FILE
 */
export async function refuseLinks(path: string): Promise<void> {
  const target = resolve(path);
  await refuseLinkedFolders(target);
  if ((await statOf(target))?.isSymbolicLink() !== true) return;
  const end = await targetOf(target);
  const isFolderHere =
    end !== undefined && !isOutside(relative(process.cwd(), end)) && (await stat(end)).isDirectory();
  if (!isFolderHere) throw isLink(target, end);
}

/**
 * Refuses a path in the working folder that leads out of it through a link.
 *
 * @throws WorkflowError UNSAFE_FILE
 */
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

/**
 * Returns whether a path leads, through any links, into a folder.
 *
 * @throws the error of the operating system if the path leads nowhere
 */
export async function leadsInto(folder: string, path: string): Promise<boolean> {
  return !isOutside(relative(await realpath(folder), await realpath(path)));
}

/** The file must be new, and the path must not be a link. */
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Writes a new file, with the owner and mode of another file if given. */
async function writeNew(path: string, text: string, like?: Stats): Promise<void> {
  const file = await open(path, newFile, like === undefined ? 0o666 : 0o600);
  try {
    await file.writeFile(text);
    // Only root may change the owner of a file.
    if (like !== undefined) await file.chown(like.uid, like.gid).catch(() => undefined);
    if (like !== undefined) await file.chmod(like.mode & 0o7777);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Renames a file, with retries: on Windows an editor or a virus scanner may lock it for a moment. */
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

/** Returns what is at a path, without following a link; `undefined` if nothing is. */
export async function statOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw error;
  });
}

/** Returns whether a path is a folder. `statSync` throws for a path below a file. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // A path that can't be looked at is no folder.
    return false;
  }
}

function targetOf(link: string): Promise<string | undefined> {
  return realpath(link).catch(() => undefined);
}

/** Returns whether a relative path leads out of its folder. */
function isOutside(fromRoot: string): boolean {
  return fromRoot === '..' || fromRoot.startsWith(`..${sep}`) || isAbsolute(fromRoot);
}

function isLink(link: string, target: string | undefined): WorkflowError {
  const message = fileMessages.isLink(nameOf(link), target && nameOf(target));
  return new WorkflowError('UNSAFE_FILE', message, { data: { reason: 'link' } });
}

function isThere(path: string, cause: unknown): WorkflowError {
  return new WorkflowError('CONFLICT', fileMessages.exists(nameOf(path)), { cause });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

/**
 * Returns the text of a definition or of a test file. Pipes, sockets and devices are refused because reading them may
 * never end.
 *
 * @throws WorkflowError INVALID_INPUT if it is not a regular file, or is larger than a definition may be
 */
export async function readDefinitionText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    // Opening a socket fails with this code.
    throw codeOf(error) === 'ENXIO' ? notRegular(path) : error;
  });
  try {
    const stats = await file.stat();
    // Reading a folder fails with the error of the operating system.
    if (!stats.isFile() && !stats.isDirectory()) throw notRegular(path);
    if (stats.size > maxDefinitionBytes) {
      const message = fileMessages.tooLarge(nameOf(path), stats.size, maxDefinitionBytes);
      const data = { reason: 'too-large', bytes: stats.size, limit: maxDefinitionBytes };
      throw new WorkflowError('INVALID_INPUT', message, { data });
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function notRegular(path: string): WorkflowError {
  const message = fileMessages.notRegularInput(nameOf(path));
  return new WorkflowError('INVALID_INPUT', message, { data: { reason: 'not-regular' } });
}

/** A file or folder named on the command line. */
interface Place {
  /** The real path, with links resolved. */
  readonly path: string;
  readonly isDirectory: boolean;
}

/**
 * Resolves a path from the command line.
 *
 * @throws WorkflowError INVALID_INPUT if it does not exist or can't be read
 */
export async function findPlace(path: string): Promise<Place> {
  try {
    const real = await realpath(resolve(path));
    return { path: real, isDirectory: (await stat(real)).isDirectory() };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const { missing, unreadable } = fileMessages;
    const message = code === 'ENOENT' ? missing(path) : unreadable(path, code ?? 'unknown');
    throw new WorkflowError(code === 'ENOENT' ? 'NOT_FOUND' : 'INVALID_INPUT', message, { cause });
  }
}

export async function isActivityFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some(isWorkflowFile);
}

/** Returns whether a file with this name makes its folder an activity workflow. */
export function isWorkflowFile(name: string): boolean {
  return /^workflow\.(?:json|ya?ml|toon)$/.test(name);
}

/** Returns the folder of the activity workflow that an activity, skill or resource file belongs to. */
export async function workflowFolderOf(file: string): Promise<string | undefined> {
  const folder = dirname(file);
  if (!['activities', 'skills', 'resources'].includes(basename(folder))) return undefined;
  return (await isActivityFolder(dirname(folder))) ? dirname(folder) : undefined;
}

const notations = ['json', 'yaml', 'toon'] as const;

export type Notation = (typeof notations)[number];

export function notationOf(file: string): Notation | undefined {
  if (/\.ya?ml$/.test(file)) return 'yaml';
  return notations.find((notation) => file.endsWith(`.${notation}`));
}
