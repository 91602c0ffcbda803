import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import type { DefinitionReader, Issue, Reading, Workflow } from '@workflowlookup/schema';
import { maxDefinitionBytes } from '@workflowlookup/schema';
import type { DefinitionProblem } from '../workflow-store.ts';
import type { Admission, Decision } from './admission.ts';
import { admitWithoutText, admitTexts } from './admission.ts';
import type { FileFault } from './file-problem.ts';
import { fileProblem, notRegular, unforeseen, unreadable } from './file-problem.ts';
import { formatOf, idOfFile } from './paths.ts';
import { fileMessages } from '../messages.ts';

export interface Outcome {
  readonly id?: string;
  readonly workflow?: Workflow;
  readonly problem?: DefinitionProblem;
  readonly partProblems?: readonly DefinitionProblem[];
  /** The decision of the admission, in a source that reads trusted definitions only. */
  readonly admitted?: Decision;
  /** Whether another try may give a different result although nothing was written. */
  readonly mayRecover: boolean;
}

interface FileReading {
  readonly read: DefinitionReader;
  readonly warnings: boolean;
  readonly admission?: Admission | undefined;
}

export function reportedIssues(issues: readonly Issue[], warnings: boolean): readonly Issue[] {
  return warnings ? issues : issues.filter(({ severity }) => severity === 'error');
}

/** Reads the definition file at a real path. Never throws: every problem is in the outcome. */
export async function readDefinitionFile(
  { path, file }: Pick<Entry, 'file' | 'path'>,
  { read, warnings, admission }: FileReading,
): Promise<Outcome> {
  const content = await readText(path, file);
  const admitted = admission && judgeContent(admission, file, content);
  const kept = admitted === undefined ? {} : { admitted };
  if (admitted?.isAdmitted === false) return { ...kept, mayRecover: isTemporary(content) };
  if (typeof content !== 'string') return { ...outcomeOfFault(file, content), ...kept };
  try {
    const reading = await read({ text: content, format: formatOf(file) });
    return { ...outcomeOf(file, { ...reading, issues: reportedIssues(reading.issues, warnings) }), ...kept };
  } catch (error) {
    return { ...outcomeOfFault(file, unforeseen(file, error)), ...kept };
  }
}

/** Judges exactly the text that is parsed next, so that a file can't be swapped in between. */
function judgeContent(admission: Admission, file: string, content: string | FileFault): Decision {
  if (typeof content !== 'string') return admitWithoutText(admission, file);
  return admitTexts(admission, file, new Map([[posix.basename(file), content]]));
}

function isTemporary(content: string | FileFault): boolean {
  return typeof content !== 'string' && content.code === 'SOURCE_UNREADABLE';
}

function outcomeOfFault(file: string, fault: FileFault): Outcome {
  return { problem: fileProblem(file, fault), mayRecover: fault.code === 'SOURCE_UNREADABLE' };
}

function outcomeOf(file: string, { workflow, id = workflow?.id, issues }: Reading): Outcome {
  const named = id === undefined ? {} : { id };
  if (workflow !== undefined && issues.length === 0) return { ...named, workflow, mayRecover: false };
  const problem: DefinitionProblem = {
    id: id ?? idOfFile(file),
    file,
    severity: workflow === undefined ? 'error' : 'warning',
    code: 'INVALID_WORKFLOW',
    issues,
  };
  return { ...named, ...(workflow && { workflow }), problem, mayRecover: false };
}

/** A definition (one file, or the folder of an activity workflow) and the result of reading it. */
export interface Entry extends Outcome {
  /** Real path. It is internal and never shown to anybody. */
  readonly path: string;
  /** The file, or the workflow file in the folder, relative to the source. */
  readonly file: string;
  /** The result of `signatureOf` when it was read. `''` means that it must be read again. */
  readonly signature: string;
}

/** Returns the text of the regular file at a real path, or why it could not be read. Never throws. */
export async function readText(path: string, file: string): Promise<string | FileFault> {
  return readRegular(path, file).catch((error: unknown) => unreadable(file, error));
}

async function readRegular(path: string, file: string): Promise<string | FileFault> {
  // A parent folder may have become a link since the scan. A path that resolves to itself is still inside the source.
  if ((await realpath(path)) !== path) return changedWhileReading(file);
  // These flags neither follow a link that replaced the file nor wait for the other end of a pipe.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) return notRegular(file);
    if (stats.size > maxDefinitionBytes) return tooLarge(file, stats);
    const bytes = await readBytes(handle, Number(stats.size));
    return bytes === undefined ? changedWhileReading(file) : decode(bytes, file);
  } finally {
    await handle.close();
  }
}

/** Reads a file of this size. Returns `undefined` if it has grown since. */
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
    // The decoder throws for invalid UTF-8 only.
    return {
      code: 'INVALID_WORKFLOW',
      finding: 'unreadable-file',
      ...fileMessages.notUtf8(file),
    };
  }
}

function tooLarge(file: string, { size }: BigIntStats): FileFault {
  return {
    code: 'INVALID_WORKFLOW',
    finding: 'beyond-limits',
    ...fileMessages.fileTooLarge(file, Number(size), maxDefinitionBytes),
  };
}

function changedWhileReading(file: string): FileFault {
  return {
    code: 'SOURCE_UNREADABLE',
    finding: 'unreadable-file',
    ...fileMessages.changedWhileReading(file),
  };
}
