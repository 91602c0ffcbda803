import type { BigIntStats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { posix, sep } from 'node:path';
import type { DefinitionText, FindingCode, Issue, Severity } from '@workflowlookup/schema';
import { maxDefinitionBytes, writeOutHidden } from '@workflowlookup/schema';
import type { FileText } from '../messages.ts';
import { fileMessages } from '../messages.ts';
import { systemCode } from '../errors.ts';
import type { DefinitionProblem } from '../workflow-store.ts';

/** Whether a file with this name is a definition. Files with tests of workflows are not. */
export function isDefinitionName(name: string): boolean {
  return /\.(json|ya?ml)$/.test(name) && !isTestsName(name);
}

function isTestsName(name: string): boolean {
  return /\.test\.(json|ya?ml)$/.test(name);
}

export function isActivityWorkflowName(name: string): boolean {
  return /^workflow\.(json|ya?ml|toon)$/.test(name);
}

export function mainName(names: readonly string[]): string | undefined {
  return ['workflow.yaml', 'workflow.yml', 'workflow.json', 'workflow.toon'].find((name) =>
    names.includes(name),
  );
}

/** Whether a folder with this name in an activity workflow holds parts of it. */
export function isPartFolder(name: string): boolean {
  return ['activities', 'skills', 'resources'].includes(name);
}

/** Whether a file with this name in such a folder is a part of the workflow. */
export function isPartName(folder: string, name: string): boolean {
  if (isIgnored(name) || isTestsName(name) || /^readme\./i.test(name)) return false;
  return /\.(json|ya?ml|toon)$/.test(name) || (folder === 'resources' && name.endsWith('.md'));
}

/** Whether a change of something with this name can affect the activity workflow that it is in. */
export function mayAffectWorkflow(name: string): boolean {
  return isPartFolder(name) || isPartName('resources', name);
}

export function isIgnored(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** Returns a name that is safe to show: invisible characters and line ends are escaped. */
export function visibleName(name: string): string {
  const spelled = (char: string): string => `\\u{${char.charCodeAt(0).toString(16)}}`;
  return writeOutHidden(name).replaceAll(/[\t\n\r]/g, spelled);
}

export function formatOf(file: string): DefinitionText['format'] {
  return file.endsWith('.json') ? 'json' : 'yaml';
}

/** Returns the id for a file without a known id: its base name without the extension. */
export function idOfFile(file: string): string {
  return posix.parse(file).name;
}

/** Joins a folder and a name. Paths are relative to the source, and `.` is the source itself. */
export function below(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`;
}

/** The target of a symbolic link, as seen from its source. */
type LinkTarget =
  | { readonly kind: 'inside'; readonly path: string; readonly stats: BigIntStats }
  | { readonly kind: 'outside' }
  | { readonly kind: 'broken'; readonly error: unknown };

/** Resolves a link. A target outside of `root` (a real path) is neither opened nor examined. */
export async function resolveLink(root: string, link: string): Promise<LinkTarget> {
  try {
    const path = await realpath(link);
    if (!isInside(root, path)) return { kind: 'outside' };
    return { kind: 'inside', path, stats: await lstat(path, { bigint: true }) };
  } catch (error) {
    return { kind: 'broken', error };
  }
}

/** Whether a real path is in a folder, or is that folder, once the links in the folder's own path are resolved. */
export async function isIn(folder: string, path: string): Promise<boolean> {
  try {
    return isInside(await realpath(folder), path);
  } catch {
    // A missing folder contains nothing.
    return false;
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

interface FoundDirectory {
  /** Its real path. Absent when there is no such directory, or it can't be accessed. */
  readonly root?: string;
  /** Changes when the name leads to another directory or to none, and when the permissions change. */
  readonly identity: string;
  /** Why there is no root, unless the directory is simply missing. */
  readonly error?: unknown;
}

/** Finds the directory that a name leads to. Never throws. */
export async function identifyDirectory(directory: string): Promise<FoundDirectory> {
  try {
    const root = await realpath(directory);
    return { root, identity: await identifyFolder(root) };
  } catch (error) {
    const identity = systemCode(error);
    return identity === 'ENOENT' ? { identity } : { identity, error };
  }
}

/** Returns a text that tells a folder from another one with the same path. */
export async function identifyFolder(path: string): Promise<string> {
  const { dev, ino, birthtimeNs, mode } = await lstat(path, { bigint: true });
  return [path, dev, ino, birthtimeNs, mode].join('|');
}

/** The clock of a file system may be this coarse, so a file may be written again shortly after with the same time. */
const settlingMs = 100;

/**
 * Returns a text that changes whenever the content of a file may have changed: it was replaced (`ino`), written (times,
 * size), or written with its time reset (`ctime`). Returns `''` for a file that changed just now, which must be read
 * again before it counts as unchanged.
 */
export function signatureOf(
  { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats,
  nowMs: number = Date.now(),
): string {
  const isSettled = Math.abs(nowMs - Number(ctimeNs / 1_000_000n)) > settlingMs;
  return isSettled ? [dev, ino, size, mtimeNs, ctimeNs].join(':') : '';
}

/** A problem with a file as a whole, regardless of its text. */
export interface FileFault {
  readonly code: DefinitionProblem['code'];
  readonly finding: FindingCode;
  readonly message: string;
  readonly suggestion?: string;
  readonly severity?: Severity;
}

/** Returns the problem of a file whose text was not read. `id` is the file's base name by default. */
export function fileProblem(file: string, fault: FileFault, id = idOfFile(file)): DefinitionProblem {
  const { code, finding, severity = 'error', ...text } = fault;
  const issue = { severity, code: finding, pointer: '', ...text, line: 1, column: 1 };
  return { id, file, severity, code, issues: [issue] };
}

function ofFile(code: FileFault['code'], finding: FindingCode, text: FileText): FileFault {
  return { code, finding, ...text };
}

function invalid(finding: FindingCode, text: FileText): FileFault {
  return ofFile('INVALID_WORKFLOW', finding, text);
}

/** What can be wrong with a file. `file` is its name as people see it. */
export const fileFault = {
  /** @param error was thrown by `node:fs` */
  unreadable: (file: string, error: unknown) =>
    ofFile('SOURCE_UNREADABLE', 'unreadable-file', fileMessages.unreadable(file, systemCode(error))),
  changedWhileReading: (file: string) =>
    ofFile('SOURCE_UNREADABLE', 'unreadable-file', fileMessages.changedWhileReading(file)),
  /** A pipe, socket or device that has the name of a definition. */
  notRegular: (file: string) => invalid('unreadable-file', fileMessages.notRegular(file)),
  notUtf8: (file: string) => invalid('unreadable-file', fileMessages.notUtf8(file)),
  tooLarge: (file: string, bytes: number) =>
    invalid('beyond-limits', fileMessages.fileTooLarge(file, bytes, maxDefinitionBytes)),
  tooManyFiles: (folder: string, limit: number) =>
    invalid('beyond-limits', fileMessages.tooManyFiles(folder, limit)),
  folderTooLarge: (folder: string) => invalid('beyond-limits', fileMessages.folderTooLarge(folder)),
  /** The reader promises never to throw; one file for which it does must not affect the others. */
  readerFailed: (file: string, error: unknown) =>
    invalid(
      'unreadable-file',
      fileMessages.readerFailed(file, error instanceof Error ? error.name : typeof error),
    ),
  /** An error in a workflow whose own texts are unchanged since they were trusted, when they had no errors. */
  changedReference: (file: string, { code, message }: Issue) =>
    invalid(code, fileMessages.changedReference(file, message)),
  noFolderReader: (folder: string, main: string) => ({
    ...invalid('not-a-definition', fileMessages.noFolderReader(folder, main)),
    severity: 'warning',
  }),
  /** A file or folder that is not opened, because its name has hidden characters. */
  hiddenName: (file: string) => ofFile('UNSAFE_FILE', 'hidden-character', fileMessages.hiddenName(file)),
  /** A symbolic link that is not followed. */
  leavesSource: (file: string) => ofFile('UNSAFE_FILE', 'leaves-source', fileMessages.leavesSource(file)),
  /** Nothing in such a source is opened. */
  sourceLeavesProject: () => ofFile('UNSAFE_FILE', 'leaves-source', fileMessages.sourceLeavesProject()),
} satisfies Readonly<Record<string, (...about: never[]) => FileFault>>;

/** Whether a system error means that resources ran out, which may be temporary. */
export function isPassing(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EBUSY'].includes(systemCode(error));
}
