import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import type {
  DefinitionReader,
  Folder,
  Issue,
  Reading,
  Workflow,
  ActivityWorkflow,
  BrokenPart,
  FolderContext,
  FolderReader,
  FolderReading,
} from '@workflowlookup/schema';
import { defined, isWorkflowId, maxDefinitionBytes } from '@workflowlookup/schema';
import { forEachLimit } from '../pauses.ts';
import type { DefinitionProblem, UntrustedDefinition } from '../workflow-store.ts';
import { byCodeUnits } from '../workflow-store.ts';
import type { FileFault } from './paths.ts';
import { below, fileFault, fileProblem, formatOf, idOfFile } from './paths.ts';
import type { FoundWorkflow } from './scan-directory.ts';
import { maxWorkflowFiles } from './scan-directory.ts';

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
  return defined({ file, reason: 'untrusted', digest, id });
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

function reportedIssues(issues: readonly Issue[], warnings: boolean): readonly Issue[] {
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
  if (admitted?.isAdmitted === false)
    return { ...kept, mayRecover: typeof content !== 'string' && areTemporary([content]) };
  if (typeof content !== 'string') return { ...outcomeOfFault(file, content), ...kept };
  try {
    const reading = await read({ text: content, format: formatOf(file) });
    return { ...outcomeOf(file, { ...reading, issues: reportedIssues(reading.issues, warnings) }), ...kept };
  } catch (error) {
    return { ...outcomeOfFault(file, fileFault.readerFailed(file, error)), ...kept };
  }
}

/** Judges exactly the text that is parsed next, so that a file can't be swapped in between. */
function judgeContent(admission: Admission, file: string, content: string | FileFault): Decision {
  if (typeof content !== 'string') return admitWithoutText(admission, file);
  return admitTexts(admission, file, new Map([[posix.basename(file), content]]));
}

function outcomeOfFault(file: string, fault: FileFault): Outcome {
  return { problem: fileProblem(file, fault), mayRecover: areTemporary([fault]) };
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
  return readRegular(path, file).catch((error: unknown) => fileFault.unreadable(file, error));
}

async function readRegular(path: string, file: string): Promise<string | FileFault> {
  // A parent folder may have become a link since the scan. A path that resolves to itself is still inside the source.
  if ((await realpath(path)) !== path) return fileFault.changedWhileReading(file);
  // These flags neither follow a link that replaced the file nor wait for the other end of a pipe.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) return fileFault.notRegular(file);
    if (stats.size > maxDefinitionBytes) return fileFault.tooLarge(file, Number(stats.size));
    const bytes = await readBytes(handle, Number(stats.size));
    return bytes === undefined ? fileFault.changedWhileReading(file) : decode(bytes, file);
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
    return fileFault.notUtf8(file);
  }
}

interface FolderToRead extends FolderTexts {
  readonly found: FoundWorkflow;
  readonly read: FolderReader;
  readonly borrow: NonNullable<FolderContext['borrow']>;
  readonly warnings: boolean;
  /**
   * Whether any error keeps the workflow from being served, because its texts had no errors when a person trusted them.
   */
  readonly mustBeValid?: boolean;
}

/** The result of reading a folder, with the texts that it takes from other workflows. */
interface FolderOutcome extends Outcome, Pick<FolderReading, 'borrowed'> {}

/** Reads the folder of an activity workflow. Never throws: every problem is in the outcome. */
export async function readWorkflowFolder(folder: FolderToRead): Promise<FolderOutcome> {
  const { found, texts, faults, refusal, read, borrow } = folder;
  const name = posix.basename(found.place.file);
  if (refusal !== undefined) return refused(folder, refusal);
  try {
    return folderOutcome(folder, await read(withEmptyTexts(texts, faults), { id: name, borrow }));
  } catch (error) {
    return refused(folder, fileFault.readerFailed(found.file, error));
  }
}

/** Adds an empty text for every file that could not be read, so that references to it are not reported as errors. */
function withEmptyTexts(texts: Folder, faults: FolderTexts['faults']): Folder {
  const gaps = [...faults.keys()].filter((name) => /^(activities|skills)\//.test(name));
  return gaps.length === 0 ? texts : new Map([...texts, ...gaps.map((name) => [name, ''] as const)]);
}

function refused({ found, faults }: FolderToRead, fault: FileFault): Outcome {
  const id = posix.basename(found.place.file);
  const others = [...faults].filter(([name]) => below(found.place.file, name) !== found.file);
  return {
    problem: fileProblem(found.file, fault, id),
    partProblems: others.map(([name, other]) => faultProblem(below(found.place.file, name), other, id)),
    mayRecover: areTemporary([fault, ...faults.values()]),
  };
}

function folderOutcome(
  { found, faults, warnings, mustBeValid }: FolderToRead,
  reading: FolderReading,
): FolderOutcome {
  const { id, borrowed } = reading;
  const error = mustBeValid === true ? errorIn(reading) : undefined;
  const workflow = error === undefined ? reading.workflow && withFaults(reading.workflow, faults) : undefined;
  const problems = [
    ...[...faults].map(([name, fault]) => faultProblem(below(found.place.file, name), fault, id)),
    ...[...reading.issuesByFile].flatMap(([name, issues]) =>
      faults.has(name)
        ? []
        : readingProblem(below(found.place.file, name), reportedIssues(issues, warnings), id),
    ),
  ];
  const own =
    problems.find(({ file }) => file === found.file) ??
    (error && fileProblem(found.file, fileFault.changedReference(found.file, error), id));
  const problem = own && ({ ...own, severity: workflow === undefined ? 'error' : 'warning' } as const);
  return {
    id,
    ...defined({ workflow, borrowed, problem }),
    partProblems: problems.filter((other) => other !== own),
    mayRecover: areTemporary([...faults.values()]),
  };
}

function errorIn({ issuesByFile }: FolderReading): Issue | undefined {
  return [...issuesByFile.values()].flat().find(({ severity }) => severity === 'error');
}

/** Whether another try may read a file that could not be read. */
export function areTemporary(faults: readonly FileFault[]): boolean {
  return faults.some(({ code }) => code === 'SOURCE_UNREADABLE');
}

function faultProblem(file: string, fault: FileFault, id: string): DefinitionProblem {
  return { ...fileProblem(file, fault, id), severity: 'warning' };
}

function readingProblem(file: string, issues: readonly Issue[], id: string): readonly DefinitionProblem[] {
  if (issues.length === 0) return [];
  return [{ id, file, severity: 'warning', code: 'INVALID_WORKFLOW', issues }];
}

/** Replaces the error of every part that could not be read with the real reason, which the reader did not know. */
function withFaults(workflow: ActivityWorkflow, faults: FolderTexts['faults']): ActivityWorkflow {
  if (faults.size === 0) return workflow;
  const known = workflow.problems.filter(({ file }) => !faults.has(file));
  const broken = [...faults].flatMap(([file, fault]) => brokenPart(file, fault, workflow.problems));
  return Object.freeze({ ...workflow, problems: Object.freeze([...known, ...broken]) });
}

function brokenPart(file: string, fault: FileFault, known: readonly BrokenPart[]): readonly BrokenPart[] {
  const kind = kinds[posix.dirname(file)];
  if (kind === undefined) return [];
  const { id = idOfFile(file).replace(/^\d+-/, '') } = known.find((part) => part.file === file) ?? {};
  return [Object.freeze({ kind, id, file, issues: fileProblem(file, fault).issues })];
}

const kinds: Readonly<Record<string, BrokenPart['kind']>> = {
  activities: 'activity',
  skills: 'skill',
  resources: 'resource',
};

export interface FolderTexts {
  /** The texts that could be read, by path in the folder. */
  readonly texts: Folder;
  /** The files that could not be read, by path in the folder. */
  readonly faults: ReadonlyMap<string, FileFault>;
  /** Why the workflow is not served at all. */
  readonly refusal?: FileFault;
}

/** The maximum size of an activity workflow in bytes, all its files together. */
const maxWorkflowBytes = 16 * 1_048_576;

/** Reads the files of several folders, at most `limit` files at a time in total. Never throws. */
export async function readFolderTexts(
  folders: Iterable<FoundWorkflow>,
  limit: number,
): Promise<ReadonlyMap<FoundWorkflow, FolderTexts>> {
  const drafts = new Map([...folders].map((found) => [found, draftOf(found)]));
  await forEachLimit(filesOf(drafts), limit, readPart);
  return new Map([...drafts].map(([found, draft]) => [found, finish(found, draft)]));
}

interface Draft {
  readonly texts: Map<string, string>;
  readonly faults: Map<string, FileFault>;
  bytes: number;
}

interface Part {
  readonly draft: Draft;
  readonly name: string;
  readonly path: string;
  /** Path relative to the source. */
  readonly file: string;
}

function draftOf({ parts }: FoundWorkflow): Draft {
  const faults = [...parts].flatMap(([name, part]) =>
    typeof part === 'string' ? [] : [[name, part] as const],
  );
  return { texts: new Map(), faults: new Map(faults), bytes: 0 };
}

function* filesOf(drafts: ReadonlyMap<FoundWorkflow, Draft>): Generator<Part> {
  for (const [{ parts, place }, draft] of drafts) {
    if (parts.size > maxWorkflowFiles) continue;
    for (const [name, path] of parts) {
      if (typeof path === 'string') yield { draft, name, path, file: below(place.file, name) };
    }
  }
}

async function readPart({ draft, name, path, file }: Part): Promise<void> {
  if (draft.bytes > maxWorkflowBytes) return;
  const content = await readText(path, file);
  if (typeof content !== 'string') return void draft.faults.set(name, content);
  draft.texts.set(name, content);
  draft.bytes += Buffer.byteLength(content);
}

/** Returns the results sorted by path, regardless of which file was read first. */
function finish({ parts, place, file }: FoundWorkflow, { texts, faults, bytes }: Draft): FolderTexts {
  const refusal =
    parts.size > maxWorkflowFiles
      ? fileFault.tooManyFiles(place.file, maxWorkflowFiles)
      : bytes > maxWorkflowBytes && fileFault.folderTooLarge(place.file);
  const own = refusal || faults.get(file.slice(place.file.length + 1));
  const sorted = refusal ? [] : [...texts].toSorted(([a], [b]) => byCodeUnits(a, b));
  return { texts: new Map(sorted), faults: refusal ? new Map() : faults, ...(own && { refusal: own }) };
}
