import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, realpath } from 'node:fs/promises';
import { maxDefinitionBytes } from '@workflowlookup/schema';
import type { FileFault } from './file-problem.ts';
import { notRegular, unreadable } from './file-problem.ts';

/** The text of the regular file at a real path, or what kept it from being read. Never throws. */
export async function readText(path: string, file: string): Promise<string | FileFault> {
  return readRegular(path, file).catch((error: unknown) => unreadable(file, error));
}

async function readRegular(path: string, file: string): Promise<string | FileFault> {
  // A folder on the way may have become a link since the scan; only the path that leads to itself stays inside.
  if ((await realpath(path)) !== path) return changing(file);
  // Neither follows a link put in the file's place nor waits for the other end of a pipe.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) return notRegular(file);
    if (stats.size > maxDefinitionBytes) return tooLarge(file, stats);
    const bytes = await readBytes(handle, Number(stats.size));
    return bytes === undefined ? changing(file) : decode(bytes, file);
  } finally {
    await handle.close();
  }
}

/** The bytes of a file of this size; undefined when it has grown past it. */
async function readBytes(handle: FileHandle, size: number): Promise<Uint8Array | undefined> {
  const buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  while (length <= size) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  return undefined;
}

function decode(bytes: Uint8Array, file: string): string | FileFault {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The decoder throws for one reason alone.
    return {
      code: 'INVALID_WORKFLOW',
      finding: 'unreadable-file',
      message: `'${file}' is not valid UTF-8`,
      suggestion: 'Save the file as UTF-8',
    };
  }
}

function tooLarge(file: string, { size }: BigIntStats): FileFault {
  return {
    code: 'INVALID_WORKFLOW',
    finding: 'beyond-limits',
    message: `'${file}' is ${size} bytes; a definition is at most ${maxDefinitionBytes} bytes (1 MiB)`,
    suggestion: 'Split the workflow, or move long texts out of it',
  };
}

function changing(file: string): FileFault {
  return {
    code: 'STORAGE',
    finding: 'unreadable-file',
    message: `'${file}' changed while it was being read`,
    suggestion: 'It is read again in a moment',
  };
}
