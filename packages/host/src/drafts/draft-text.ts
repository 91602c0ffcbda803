import { constants } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { maxDefinitionBytes, WorkflowError } from '@workflowlookup/schema';

/** How long a file that something else holds is tried again. */
const busyMs = 1_000;

/**
 * What a regular file says; null where there is none. Neither a link in its place nor a pipe is followed.
 * @throws WorkflowError FORBIDDEN for a link, INVALID_WORKFLOW for what no definition can be, STORAGE
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

/** Writes a file whole or not at all: a new one only where none is there. @throws WorkflowError STATE, STORAGE */
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
    if (code === 'EEXIST') throw new WorkflowError('STATE', `'${file}' is there already.`, { cause });
    throw new WorkflowError('STORAGE', `'${file}' can't be written (${code}).`, { cause });
  }
}

function notText(file: string): WorkflowError {
  const message = `'${file}' is not a text file in UTF-8 of at most 1 MiB, so it can't be part of a definition. Put such a file in its place.`;
  return new WorkflowError('INVALID_WORKFLOW', message, { data: { reason: 'not-a-text', file } });
}

function isLink(file: string): WorkflowError {
  const message = `'${file}' is a symbolic link, which is not followed here. Open the file that it leads to, or put a copy of that file in its place.`;
  return new WorkflowError('FORBIDDEN', message, { data: { reason: 'link', file } });
}

function unreadable(file: string, cause: unknown): WorkflowError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException;
  const message = `'${file}' can't be read (${code}). Let the user of the server read it, and check the disk.`;
  return new WorkflowError('STORAGE', message, { data: { code }, cause });
}
