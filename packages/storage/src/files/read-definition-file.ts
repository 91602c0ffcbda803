import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import type { DefinitionReader, Folder, Issue, Reading, Workflow } from '@workflowlookup/schema';
import { isWorkflowId, maxDefinitionBytes } from '@workflowlookup/schema';
import { fileMessages } from '../messages.ts';
import { byCodeUnits } from '../utilities.ts';
import type { DefinitionProblem, UntrustedDefinition } from '../workflow-store.ts';
import type { FileFault } from './paths.ts';
import { idOfFile, fileProblem, notRegular, unforeseen, unreadable, formatOf } from './paths.ts';

/** The texts of a definition that a person may trust: one file, or all files in the folder of an activity workflow. */
export interface DefinitionTexts {
  /** Path of the definition, or of the workflow file in its folder, relative to the source. */
  readonly file: string;
  /** Texts by path in the folder. A definition in a single file has one entry under its file name. */
  readonly texts: Folder;
  /** The digest of the texts, as computed by {@link digestOfTexts}. */
  readonly digest: string;
  /**
   * The files that can't be read, by path in the folder, with the reason. A definition with such files is never
   * admitted.
   */
  readonly unreadable?: ReadonlyMap<string, Pick<FileFault, 'finding' | 'message'>>;
}

/**
 * Decides which definitions of a source are read at all. A definition that is not admitted is never parsed, listed or
 * served: the store knows only its digest.
 */
export interface Admission {
  /**
   * Returns whether a definition may be read. `digest` is absent for a file that can't be read and for a problem with a
   * file or folder as a whole. An activity workflow is checked a second time after it was read, with `borrowed`: the
   * digest of the texts that it takes from other workflows.
   */
  admits(definition: {
    readonly file: string;
    readonly digest?: string;
    readonly borrowed?: string;
  }): boolean;
  /** Returns a value that changes whenever an answer of `admits` may have changed. Called every 500 ms. */
  stamp(): string;
  /**
   * The folder that the source must be in once symbolic links are resolved. If it is elsewhere, nothing in it is
   * opened.
   */
  readonly within: string;
}

/** The decision of an {@link Admission} about one definition. */
export interface Decision {
  readonly isAdmitted: boolean;
  /** Absent when the definition has no readable text. */
  readonly digest?: string;
  /** The id from the text or the file name. Absent if it is not well formed. */
  readonly id?: string;
}

/** Returns `sha256:` and 64 hex digits over the names and texts of a definition's files, in any order. */
export function digestOfTexts(texts: Folder): string {
  const sorted = [...texts].toSorted(([a], [b]) => byCodeUnits(a, b));
  return `sha256:${createHash('sha256').update(JSON.stringify(sorted)).digest('hex')}`;
}

/** Asks an admission about a definition before its texts are parsed. */
export function admitTexts(admission: Admission, file: string, texts: Folder): Decision {
  const digest = digestOfTexts(texts);
  const isAdmitted = admission.admits({ file, digest });
  return { isAdmitted, digest, ...guessId(file, texts.get(posix.basename(file))) };
}

export function admitWithoutText(admission: Admission, file: string): Decision {
  return { isAdmitted: admission.admits({ file }), ...guessId(file, undefined) };
}

export function untrustedEntry(file: string, { digest, id }: Decision): UntrustedDefinition {
  return {
    file,
    reason: 'untrusted',
    ...(digest !== undefined && { digest }),
    ...(id !== undefined && { id }),
  };
}

/**
 * Finds the id in an untrusted text without parsing it, because a hostile text could exploit a parser. The id only
 * tells people which workflow was not served; no decision depends on it.
 */
function guessId(file: string, text: string | undefined): { readonly id?: string } {
  const [, spelled] =
    /^(?:\uFEFF?\s*\{?\s*)?["']?id["']?\s*:\s*["']?([a-z0-9.-]{3,64})(?![a-z0-9.-])/m.exec(text ?? '') ?? [];
  const name = posix.basename(file).startsWith('workflow.')
    ? posix.basename(posix.dirname(file))
    : idOfFile(file);
  const id = spelled ?? name;
  return isWorkflowId(id) ? { id } : {};
}

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
