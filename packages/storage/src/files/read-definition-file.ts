import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, realpath } from 'node:fs/promises';
import type { DefinitionReader, Reading, Workflow } from '@workflowlookup/schema';
import { maxDefinitionBytes } from '@workflowlookup/schema';
import type { DefinitionProblem } from '../workflow-store.ts';
import type { FileFault } from './file-problem.ts';
import { fileProblem, unreadable } from './file-problem.ts';
import { formatOf, idOfFile } from './names.ts';
import { notRegular } from './scan-folder.ts';

/** What became of a definition file. */
export interface Outcome {
  /** The id its text names. */
  readonly id?: string;
  readonly workflow?: Workflow;
  readonly problem?: DefinitionProblem;
  /** Whether another try may give something else although nothing was written. */
  readonly unsettled: boolean;
}

/** Reads the definition file at a real path; whatever is wrong with it is in the outcome, never thrown. */
export async function readDefinitionFile(
  path: string,
  file: string,
  read: DefinitionReader,
): Promise<Outcome> {
  const content = await readText(path, file).catch((error: unknown) => unreadable(file, error));
  if (typeof content !== 'string') return faulty(file, content);
  try {
    return outcomeOf(file, await read({ text: content, format: formatOf(file) }));
  } catch (error) {
    return faulty(file, unforeseen(file, error));
  }
}

function faulty(file: string, fault: FileFault): Outcome {
  return { problem: fileProblem(file, fault), unsettled: fault.code === 'STORAGE' };
}

function outcomeOf(file: string, { workflow, id = workflow?.id, issues }: Reading): Outcome {
  const named = id === undefined ? {} : { id };
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (workflow !== undefined && errors.length === 0) return { ...named, workflow, unsettled: false };
  const problem: DefinitionProblem = {
    id: id ?? idOfFile(file),
    file,
    severity: workflow === undefined ? 'error' : 'warning',
    code: 'INVALID_WORKFLOW',
    issues: errors,
  };
  return { ...named, ...(workflow && { workflow }), problem, unsettled: false };
}

async function readText(path: string, file: string): Promise<string | FileFault> {
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
      message: `'${file}' is not valid UTF-8`,
      suggestion: 'Save the file as UTF-8',
    };
  }
}

function tooLarge(file: string, { size }: BigIntStats): FileFault {
  return {
    code: 'INVALID_WORKFLOW',
    message: `'${file}' is ${size} bytes; a definition is at most ${maxDefinitionBytes} bytes (1 MiB)`,
    suggestion: 'Split the workflow, or move long texts out of it',
  };
}

function changing(file: string): FileFault {
  return {
    code: 'STORAGE',
    message: `'${file}' changed while it was being read`,
    suggestion: 'It is read again in a moment',
  };
}

/** The reader promises never to throw; one file that makes it break its word must not take the others along. */
function unforeseen(file: string, error: unknown): FileFault {
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    code: 'INVALID_WORKFLOW',
    message: `'${file}' can't be read: the reader failed on it (${kind})`,
    suggestion: 'Make the definition smaller and plainer until it is read',
  };
}
