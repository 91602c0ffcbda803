import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { maxDefinitionBytes, WorkflowError } from '@workflowlookup/schema';
import { nameOf } from './authoring/name-of.ts';
import { isOutside } from './write-files.ts';

/**
 * The text of a definition or of its tests. A pipe, a socket or a device is refused: to read one may never end.
 *
 * @throws WorkflowError INVALID_PARAMS if it is not a regular file, or is larger than a definition may be
 */
export async function readDefinitionText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    // A socket can't be opened at all.
    throw (error as NodeJS.ErrnoException).code === 'ENXIO' ? notRegular(path) : error;
  });
  try {
    const stats = await file.stat();
    // Reading a folder fails with the code of the system.
    if (!stats.isFile() && !stats.isDirectory()) throw notRegular(path);
    if (stats.size > maxDefinitionBytes) throw tooLarge(path, stats.size);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Whether a path leads, through whatever links, to something in a folder. @throws the error of the system where it leads nowhere */
export async function leadsInto(folder: string, path: string): Promise<boolean> {
  return !isOutside(relative(await realpath(folder), await realpath(path)));
}

function notRegular(path: string): WorkflowError {
  return new WorkflowError(
    'INVALID_PARAMS',
    `'${nameOf(path)}' is a pipe, a socket or a device, and definitions are read from regular files. Name a regular file.`,
    { data: { reason: 'not-regular' } },
  );
}

function tooLarge(path: string, size: number): WorkflowError {
  return new WorkflowError(
    'INVALID_PARAMS',
    `'${nameOf(path)}' has ${size} bytes, and a definition has at most ${maxDefinitionBytes} (1 MiB). Split the workflow, or move long texts out of it.`,
    { data: { reason: 'too-large', bytes: size, limit: maxDefinitionBytes } },
  );
}
