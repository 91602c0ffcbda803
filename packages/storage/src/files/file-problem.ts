import type { FindingCode, Severity } from '@workflowlookup/schema';
import type { DefinitionProblem } from '../workflow-store.ts';
import { fileMessages } from '../messages.ts';
import { idOfFile } from './paths.ts';
import { systemCode } from '../utilities.ts';

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

/** Describes a file or folder that could not be read. `error` was thrown by `node:fs`. */
export function unreadable(file: string, error: unknown): FileFault {
  return {
    code: 'SOURCE_UNREADABLE',
    finding: 'unreadable-file',
    ...fileMessages.unreadable(file, systemCode(error)),
  };
}

/** Describes a pipe, socket or device that has the name of a definition. */
export function notRegular(file: string): FileFault {
  return {
    code: 'INVALID_WORKFLOW',
    finding: 'unreadable-file',
    ...fileMessages.notRegular(file),
  };
}

/**
 * Describes a file or folder that is not opened because its name has hidden characters. `file` is the name with those
 * characters escaped.
 */
export function hiddenName(file: string): FileFault {
  return {
    code: 'UNSAFE_FILE',
    finding: 'hidden-character',
    ...fileMessages.hiddenName(file),
  };
}

/** Describes a symbolic link that is not followed. */
export function leavesSource(file: string): FileFault {
  return {
    code: 'UNSAFE_FILE',
    finding: 'leaves-source',
    ...fileMessages.leavesSource(file),
  };
}

/** Describes a source that is outside of its project because of a symbolic link. Nothing in it is opened. */
export const sourceLeavesProject: FileFault = {
  code: 'UNSAFE_FILE',
  finding: 'leaves-source',
  ...fileMessages.sourceLeavesProject(),
};

/**
 * Describes a file for which the reader threw. The reader promises never to throw; one such file must not affect the
 * others.
 */
export function unforeseen(file: string, error: unknown): FileFault {
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    code: 'INVALID_WORKFLOW',
    finding: 'unreadable-file',
    ...fileMessages.readerFailed(file, kind),
  };
}

/** Whether a system error means that resources ran out, which may be temporary. */
export function isPassing(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EBUSY'].includes(systemCode(error));
}
