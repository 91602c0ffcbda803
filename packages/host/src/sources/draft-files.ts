import { constants } from 'node:fs';
import { mkdir, open, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { WorkflowError, maxDefinitionBytes } from '@workflowlookup/schema';
import { draftMessages } from '../messages.ts';

/** Matches the names of files that belong to definitions. */
const spelling = /^(?:[^./\\\0][^/\\\0]*\/){0,4}[^./\\\0][^/\\\0]*\.(?:json|ya?ml|toon|md)$/;

/**
 * The absolute path of a file of a source, which need not be there. Neither its name nor a link on the way leads out of
 * the source. @throws WorkflowError FORBIDDEN
 */
export async function draftPath(directory: string, file: string): Promise<string> {
  if (file.length > 512 || !spelling.test(file) || file.split('/').includes('node_modules')) throw refusal();
  const path = join(directory, ...file.split('/'));
  const root = await realOf(directory);
  // A source that is not there has no links in it.
  if (root === undefined) return path;
  const real = await realOfNearest(path);
  if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) throw refusal();
  return path;
}

async function realOfNearest(path: string): Promise<string> {
  const real = await realOf(path);
  return real ?? realOfNearest(dirname(path));
}

async function realOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw refusal(error);
  }
}

function refusal(cause?: unknown): WorkflowError {
  return new WorkflowError('FORBIDDEN', draftMessages.outside(), cause === undefined ? {} : { cause });
}

/** How long to retry a file that another program has locked. */
const busyMs = 1_000;

/**
 * Returns the text of a regular file, or null if there is none. Follows no link, and reads no pipe.
 * @throws WorkflowError FORBIDDEN for a link, INVALID_WORKFLOW for what no definition can be, NOT_WRITTEN
 */
export async function readDraftText(path: string, file: string): Promise<string | null> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > maxDefinitionBytes) throw notText(file);
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP') throw isLink(file);
    if (error instanceof WorkflowError) throw error;
    throw error instanceof TypeError ? notText(file) : unreadable(file, error);
  }
}

/** Writes a file whole or not at all: a new one only where none is there. @throws WorkflowError CONFLICT, NOT_WRITTEN */
export async function writeDraftText(
  path: string,
  text: string,
  { isNew, file }: { readonly isNew: boolean; readonly file: string },
): Promise<void> {
  try {
    if (isNew) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: 'wx' });
      return;
    }
    const { writeFile: replaceFile } = await import('atomically');
    await replaceFile(path, text, { timeout: busyMs });
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new WorkflowError('CONFLICT', draftMessages.exists(file), { cause });
    throw new WorkflowError('NOT_WRITTEN', draftMessages.notWritten(file, code), { cause });
  }
}

function notText(file: string): WorkflowError {
  const data = { reason: 'not-a-text', file };
  return new WorkflowError('INVALID_WORKFLOW', draftMessages.notText(file), { data });
}

function isLink(file: string): WorkflowError {
  return new WorkflowError('FORBIDDEN', draftMessages.isLink(file), { data: { reason: 'link', file } });
}

function unreadable(file: string, cause: unknown): WorkflowError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException;
  return new WorkflowError('NOT_WRITTEN', draftMessages.unreadable(file, code), { data: { code }, cause });
}
